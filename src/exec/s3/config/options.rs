//! The options of a client.

use std::time::Duration;

use super::proxy::Choice;

/// The options of a client; what is left out follows from the environment, as in every program of AWS.
#[derive(Clone, Debug)]
pub struct Config {
    /// The region.
    pub region: Option<String>,
    /// Where the store is, if it is not AWS.
    pub endpoint: Option<String>,
    /// The profile in the shared configuration files.
    pub profile: Option<String>,
    /// Whether requests are not signed.
    pub is_anonymous: bool,
    /// The proxy.
    pub proxy: Choice,
    /// Certificates that are trusted as well, in PEM.
    pub ca_bundle: Option<String>,
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
