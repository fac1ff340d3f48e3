//! What a client is made from.

use std::time::Duration;

use aws_config::timeout::TimeoutConfig;
use aws_sdk_s3::config::retry::RetryConfig;
use aws_sdk_s3::config::{
    Builder, IdentityCache, Region, SharedCredentialsProvider, StalledStreamProtectionConfig,
};
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use aws_smithy_runtime_api::client::http::SharedHttpClient;

use super::credentials::Credentials;
use super::fault::Fault;

/// The options of a client; what is left out follows from the environment, as in every program of AWS.
#[derive(Clone, Debug)]
pub struct Config {
    /// The region.
    pub region: Option<String>,
    /// Where the store is, if it is not AWS.
    pub endpoint: Option<String>,
    /// The profile in the shared configuration files.
    pub profile: Option<String>,
    /// Whether the bucket is part of the path instead of the host.
    pub force_path_style: Option<bool>,
    /// Whether to use endpoints that speak IPv6 as well.
    pub use_dualstack_endpoint: Option<bool>,
    /// Whether to use endpoints that are FIPS validated.
    pub use_fips_endpoint: Option<bool>,
    /// Whether to use transfer acceleration.
    pub use_accelerate_endpoint: Option<bool>,
    /// Whether an ARN's region counts, if it differs from the client's.
    pub use_arn_region: Option<bool>,
    /// Whether to refuse multi-region access points.
    pub disable_multi_region_access_points: Option<bool>,
    /// Whether directory buckets are used without sessions.
    pub disable_s3_express_session_auth: Option<bool>,
    /// How many times a request is tried, throttled tries aside.
    pub max_attempts: u32,
    /// How long a request may take.
    pub request_timeout: Duration,
    /// How long connecting may take.
    pub connection_timeout: Duration,
    /// How long a prefix may be throttled without anything getting through.
    pub throttle_timeout: Duration,
}

/// The SDK's client, and where it gets its credentials from.
pub async fn connect(
    config: &Config,
    credentials: Option<Credentials>,
) -> Result<(aws_sdk_s3::Client, Credentials), Fault> {
    let is_plain = config.endpoint.as_ref().is_some_and(|url| url.starts_with("http:"));
    let mut loader = aws_config::from_env().http_client(https());
    if let Some(region) = &config.region {
        loader = loader.region(Region::new(region.clone()));
    } else if config.endpoint.is_some() {
        // A store of one's own has none, and asking the cloud for it would take seconds outside of it.
        loader = loader.region(
            aws_config::meta::region::RegionProviderChain::first_try(
                aws_config::environment::EnvironmentVariableRegionProvider::new(),
            )
            .or_else(Region::from_static("us-east-1")),
        );
    }
    if let Some(profile) = &config.profile {
        loader = loader.profile_name(profile);
    }
    if credentials.is_some() {
        loader = loader.no_credentials();
    }
    let shared = loader.load().await;
    let credentials = match (credentials, shared.credentials_provider()) {
        (Some(credentials), _) => credentials,
        (None, Some(chain)) => Credentials::from_chain(chain),
        (None, None) => {
            return Err(Fault::fatal("CredentialsError", "There are no credentials".to_owned()));
        }
    };
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(config.connection_timeout)
        .operation_attempt_timeout(config.request_timeout)
        .build();
    let mut builder = Builder::from(&shared)
        .http_client(if is_plain { builder().build_http() } else { https() })
        .credentials_provider(SharedCredentialsProvider::new(credentials.clone()))
        // Both would stand in the way of what is decided here.
        .identity_cache(IdentityCache::no_cache())
        .retry_config(RetryConfig::disabled())
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .timeout_config(timeouts);
    builder.set_force_path_style(config.force_path_style);
    builder.set_accelerate(config.use_accelerate_endpoint);
    builder.set_use_arn_region(config.use_arn_region);
    builder.set_disable_multi_region_access_points(config.disable_multi_region_access_points);
    builder.set_disable_s3_express_session_auth(config.disable_s3_express_session_auth);
    if let Some(endpoint) = &config.endpoint {
        builder = builder.endpoint_url(endpoint);
    }
    if let Some(dualstack) = config.use_dualstack_endpoint {
        builder = builder.use_dual_stack(dualstack);
    }
    if let Some(fips) = config.use_fips_endpoint {
        builder = builder.use_fips(fips);
    }
    Ok((aws_sdk_s3::Client::from_conf(builder.build()), credentials))
}

fn builder() -> aws_smithy_http_client::Builder {
    // Servers close what idles for longer, and a request on such a connection is lost.
    aws_smithy_http_client::Builder::new().pool_idle_timeout(Duration::from_secs(15))
}

fn https() -> SharedHttpClient {
    builder().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https()
}
