//! What can be set: on the command line when the server starts ([`Options`]), and the part of it that tests may change
//! while it runs ([`Settings`], `GET` and `POST /-/config`).

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The command line.
#[derive(Clone, Debug, clap::Parser)]
#[command(
    name = "s3-server",
    about = "An S3-compatible server over memory, on 127.0.0.1, for tests"
)]
pub struct Options {
    /// The port to listen on; 0 takes a free one. The port taken is printed as a line of JSON
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// The region that requests must be signed for
    #[arg(long, default_value = "us-east-1")]
    pub region: String,
    /// The access key that requests must be signed with
    #[arg(long, default_value = "test-access-key")]
    pub access_key: String,
    /// The secret that belongs to the access key
    #[arg(long, default_value = "test-secret-key")]
    pub secret_key: String,
    /// A JSON file of scripted faults; src/load/faults.rs describes it
    #[arg(long, value_name = "FILE")]
    pub faults: Option<PathBuf>,
    /// End when standard input ends
    #[arg(long)]
    pub exit_with_stdin: bool,
    /// What can be changed later as well.
    #[command(flatten)]
    pub settings: Settings,
}

impl Default for Options {
    fn default() -> Self {
        clap::Parser::parse_from(["s3-server"])
    }
}

/// How the server behaves. Times are in milliseconds.
#[derive(Clone, Debug, clap::Args, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// How long a listing page takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0.0)]
    pub latency_list: f64,
    /// How long a delete request takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0.0)]
    pub latency_delete: f64,
    /// How long each key of a delete request takes on top, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0.0)]
    pub latency_per_key: f64,
    /// How many keys a second may be deleted or put per prefix (with one second's burst) before the answer is 503 SlowDown
    #[arg(long, value_name = "N")]
    pub keys_per_second_per_prefix: Option<f64>,
    /// How many requests may be in flight per prefix before the answer is 503 SlowDown
    #[arg(long, value_name = "N")]
    pub max_in_flight_per_prefix: Option<u32>,
    /// How many characters of a key are its prefix for the limits and statistics per prefix; 0: the bucket is one prefix
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub prefix_length: usize,
    /// Refuse a multi-delete without Content-MD5, even with a checksum
    #[arg(long)]
    pub require_content_md5: bool,
    /// Refuse a multi-delete without an x-amz-checksum header, even with Content-MD5
    #[arg(long)]
    pub require_checksum: bool,
    /// Refuse x-amz-checksum and x-amz-sdk-checksum headers, as stores do that do not know them
    #[arg(long)]
    pub refuse_checksums: bool,
    /// Have no multi-delete: answer 501 NotImplemented or 400 InvalidArgument
    #[arg(long, value_name = "STATUS", value_parser = clap::value_parser!(u16))]
    pub no_multi_delete: Option<u16>,
    /// Name deleted keys in the answer even when the request is quiet
    #[arg(long)]
    pub ignore_quiet: bool,
    /// Send keys as they are even when the request asks for url encoding
    #[arg(long)]
    pub ignore_encoding_type: bool,
    /// Write answers with line breaks and indentation
    #[arg(long)]
    pub pretty_xml: bool,
    /// Serve under this path only, such as /storage/v1/s3; signatures cover it
    #[arg(long, value_name = "PATH", default_value = "")]
    pub path_prefix: String,
    /// How far the server's clock is ahead of the machine's, in milliseconds; signatures and the header Date go by it
    #[arg(long, value_name = "MS", default_value_t = 0, allow_negative_numbers = true)]
    pub clock_skew: i64,
    /// Close a connection without a word when it was idle for so long, in milliseconds
    #[arg(long, value_name = "MS")]
    pub idle_timeout: Option<f64>,
}

impl Settings {
    /// Names the first setting that makes no sense, and what would.
    pub(crate) fn check(&self) -> Result<(), String> {
        let times = [
            ("latencyList", Some(self.latency_list)),
            ("latencyDelete", Some(self.latency_delete)),
            ("latencyPerKey", Some(self.latency_per_key)),
            ("idleTimeout", self.idle_timeout),
        ];
        for (name, value) in times {
            if value.is_some_and(|ms| Duration::try_from_secs_f64(ms / 1000.0).is_err()) {
                return Err(format!(
                    "{name} is {}: give milliseconds, 0 or more",
                    value.unwrap_or_default()
                ));
            }
        }
        if let Some(rate) = self.keys_per_second_per_prefix
            && !(rate.is_finite() && rate > 0.0)
        {
            return Err(format!("keysPerSecondPerPrefix is {rate}: give a number above 0"));
        }
        if self.max_in_flight_per_prefix == Some(0) {
            return Err("maxInFlightPerPrefix is 0: give 1 or more".to_owned());
        }
        let is_prefix = self.path_prefix.starts_with('/') && !self.path_prefix.ends_with('/');
        if !self.path_prefix.is_empty() && !is_prefix {
            return Err(format!(
                "pathPrefix is {:?}: begin it with a slash, and end it with none",
                self.path_prefix
            ));
        }
        match self.no_multi_delete {
            None | Some(501 | 400) => Ok(()),
            Some(status) => Err(format!("noMultiDelete is {status}: give 501 or 400")),
        }
    }

    /// These settings with the fields of `changes` laid over them.
    pub(crate) fn changed_by(&self, changes: &serde_json::Value) -> Result<Self, String> {
        let changes = changes.as_object().ok_or("give a JSON object of settings")?;
        let mut merged = serde_json::to_value(self).expect("settings are plain JSON");
        for (name, value) in changes {
            merged[name] = value.clone();
        }
        let settings: Self = serde_json::from_value(merged).map_err(|error| error.to_string())?;
        settings.check()?;
        Ok(settings)
    }
}

/// A checked time in milliseconds as a duration.
pub(crate) fn milliseconds(ms: f64) -> Duration {
    Duration::from_secs_f64(ms / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_change_keeps_the_other_settings() {
        let settings = Options::default().settings;
        let changed =
            settings.changed_by(&json!({ "latencyList": 40, "noMultiDelete": 501 })).unwrap();
        let changed = changed.changed_by(&json!({ "prefixLength": 4 })).unwrap();
        assert_eq!(
            (changed.latency_list, changed.no_multi_delete, changed.prefix_length),
            (40.0, Some(501), 4)
        );
        assert_eq!(
            changed.changed_by(&json!({ "noMultiDelete": null })).unwrap().no_multi_delete,
            None
        );
    }

    #[test]
    fn bad_settings_are_named() {
        let settings = Options::default().settings;
        for (change, word) in [
            (json!({ "latencyLits": 1 }), "latencyLits"),
            (json!({ "latencyList": -1 }), "latencyList is -1"),
            (json!({ "keysPerSecondPerPrefix": 0 }), "keysPerSecondPerPrefix is 0"),
            (json!({ "maxInFlightPerPrefix": 0 }), "maxInFlightPerPrefix is 0"),
            (json!({ "noMultiDelete": 404 }), "noMultiDelete is 404"),
            (json!({ "pathPrefix": "/a/" }), "pathPrefix is \"/a/\""),
            (json!([]), "JSON object"),
        ] {
            let error = settings.changed_by(&change).unwrap_err();
            assert!(error.contains(word), "{error} should say {word}");
        }
    }
}
