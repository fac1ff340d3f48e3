//! Makes the client of the SDK from the options, and from what the environment and a profile say where the options are silent.

use std::time::Duration;

use aws_config::imds::region::ImdsRegionProvider;
use aws_config::provider_config::ProviderConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_s3::config::retry::RetryConfig;
use aws_sdk_s3::config::{
    AppName, Builder, IdentityCache, Region, SharedCredentialsProvider,
    StalledStreamProtectionConfig,
};
use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::{Provider, TlsContext, rustls_provider::CryptoMode};
use aws_smithy_runtime_api::client::http::SharedHttpClient;

use super::endpoint::Endpoint;
use super::options::Config;
use super::proxy::Route;
use super::settings::{Setting, Settings};
use super::{chain, endpoint, proxy, region, tls};
use crate::exec::s3::credentials::{Credentials, Values, hidden};
use crate::exec::s3::fault::Fault;

/// A client of the SDK, and what else belongs to it.
#[derive(Debug)]
pub struct Connected {
    /// It sends the requests.
    pub sdk: aws_sdk_s3::Client,
    /// Where it gets credentials from, unless it signs nothing.
    pub credentials: Option<Credentials>,
    /// The proxy that requests go through.
    pub proxy: Option<String>,
}

impl Connected {
    /// A fault as the user may see it: with the proxy, and without credentials.
    pub fn told(&self, fault: Fault, values: Option<&Values>) -> Fault {
        let mut fault = match &self.proxy {
            Some(proxy) => fault.at(&format!("proxy {proxy}")),
            None => fault,
        };
        if let Some(values) = values {
            fault.message = hidden(fault.message, values);
        }
        fault
    }
}

/// Reads what the options leave open, and makes the SDK's client.
pub async fn connect(
    config: &Config,
    credentials: Option<Credentials>,
) -> Result<Connected, Fault> {
    let settings = Settings::load(config.profile.as_deref()).await?;
    let endpoint = match &config.endpoint {
        Some(url) => {
            let setting = Setting { text: url.clone(), source: "endpoint".to_owned() };
            Some(endpoint::of_setting(&setting)?)
        }
        None => settings.endpoint()?.as_ref().map(endpoint::of_setting).transpose()?,
    };
    let outside = Outside { config, settings: &settings };
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(config.connection_timeout)
        .operation_attempt_timeout(config.request_timeout)
        .build();
    let mut builder = Builder::new()
        // Credentials are kept, requests retried and their time limited by this library instead.
        .identity_cache(IdentityCache::no_cache())
        .retry_config(RetryConfig::disabled())
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .timeout_config(timeouts);
    let (is_https, port) =
        endpoint.as_ref().map_or((true, 443), |endpoint| (endpoint.is_https, endpoint.port));
    let route = proxy::route(&config.proxy, is_https, port)?;
    let proxy = route.shown.clone();
    builder = builder.http_client(outside.http_client(route, is_https)?);
    let region = outside.region(endpoint.as_ref()).await?;
    builder = builder.region(Region::new(region.clone()));
    let credentials = if config.is_anonymous {
        builder = builder.allow_no_auth();
        None
    } else {
        let credentials = match credentials.or_else(|| chain::of_environment(&settings)) {
            Some(credentials) => credentials,
            None => chain::of_chain(&settings, &outside.provider_config(Some(region))?),
        };
        builder = builder.credentials_provider(SharedCredentialsProvider::new(credentials.clone()));
        Some(credentials)
    };
    if let Some(endpoint) = endpoint {
        builder = builder.endpoint_url(endpoint.url);
    }
    builder.set_force_path_style(config.force_path_style);
    builder.set_accelerate(config.use_accelerate_endpoint);
    builder.set_use_fips(outside.flag(config.use_fips_endpoint, "USE_FIPS_ENDPOINT")?);
    builder
        .set_use_dual_stack(outside.flag(config.use_dualstack_endpoint, "USE_DUALSTACK_ENDPOINT")?);
    builder.set_use_arn_region(outside.flag(config.use_arn_region, "S3_USE_ARN_REGION")?);
    builder.set_disable_multi_region_access_points(
        outside.flag(
            config.disable_multi_region_access_points,
            "S3_DISABLE_MULTIREGION_ACCESS_POINTS",
        )?,
    );
    builder.set_disable_s3_express_session_auth(
        outside.flag(config.disable_s3_express_session_auth, "S3_DISABLE_EXPRESS_SESSION_AUTH")?,
    );
    // The name of the application is for logs of the store alone, so a name that can't be used is left out.
    let app = settings.get("AWS_SDK_UA_APP_ID", "sdk_ua_app_id");
    builder.set_app_name(app.and_then(|app| AppName::new(app.text).ok()));
    Ok(Connected { sdk: aws_sdk_s3::Client::from_conf(builder.build()), credentials, proxy })
}

/// The options, and the settings that count where the options are silent.
struct Outside<'a> {
    config: &'a Config,
    settings: &'a Settings,
}

impl Outside<'_> {
    /// A flag of the options, or of the variable `AWS_<name>`, or of the profile, where it has the name in small letters.
    fn flag(&self, option: Option<bool>, name: &str) -> Result<Option<bool>, Fault> {
        match option {
            Some(flag) => Ok(Some(flag)),
            None => self.settings.flag(&format!("AWS_{name}"), &name.to_ascii_lowercase()),
        }
    }

    async fn region(&self, endpoint: Option<&Endpoint>) -> Result<String, Fault> {
        if let Some(region) = &self.config.region {
            return Ok(region.clone());
        }
        if let Some(setting) = self.settings.region() {
            return match region::find_fault(&setting.text) {
                Some(remedy) => Err(setting.fault(remedy, &setting.text)),
                None => Ok(setting.text),
            };
        }
        if endpoint.is_some() {
            // A store with an endpoint of its own needs no region, and outside of AWS asking for one takes seconds.
            return Ok("us-east-1".to_owned());
        }
        let config = self.provider_config(None)?;
        let of_instance = ImdsRegionProvider::builder().configure(&config).build().region().await;
        of_instance.map(|region| region.to_string()).ok_or_else(|| {
            Fault::invalid_config(format!(
                "There is no region: set `region`, AWS_REGION, or region in the profile {:?} (read: {}); for a store other than AWS set `endpoint`",
                self.settings.profile,
                self.settings.read()
            ))
        })
    }

    /// The configuration of the clients that ask services for credentials, and for the region of this machine.
    fn provider_config(&self, region: Option<String>) -> Result<ProviderConfig, Fault> {
        let route = proxy::route(&self.config.proxy, true, 443)?;
        Ok(ProviderConfig::default()
            .with_http_client(self.http_client(route, true)?)
            .with_retry_config(RetryConfig::standard())
            .with_use_fips(self.flag(self.config.use_fips_endpoint, "USE_FIPS_ENDPOINT")?)
            .with_use_dual_stack(
                self.flag(self.config.use_dualstack_endpoint, "USE_DUALSTACK_ENDPOINT")?,
            )
            .with_region(region.map(Region::new)))
    }

    fn http_client(&self, route: Route, is_https: bool) -> Result<SharedHttpClient, Fault> {
        let tls = match is_https || route.is_https {
            true => Some(tls::context(self.settings, self.config.ca_bundle.as_deref())?),
            false => None,
        };
        Ok(http_client(route, tls))
    }
}

fn http_client(route: Route, tls: Option<TlsContext>) -> SharedHttpClient {
    aws_smithy_http_client::Builder::new().build_with_connector_fn(move |settings, components| {
        // Servers close connections that idle for longer, and a request that is sent on such a connection is lost.
        let mut builder = Connector::builder()
            .pool_idle_timeout(Duration::from_secs(15))
            .proxy_config(route.config.clone());
        builder.set_connector_settings(settings.cloned());
        builder.set_sleep_impl(components.and_then(|components| components.sleep_impl()));
        match &tls {
            Some(context) => builder
                .tls_provider(Provider::Rustls(CryptoMode::Ring))
                .tls_context(context.clone())
                .build(),
            None => builder.build_http(),
        }
    })
}
