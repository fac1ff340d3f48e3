//! Options of S3 jobs, out of the objects that `lib` made of what the user gave. It has checked them.

use std::time::{Duration, SystemTime};

use napi::bindgen_prelude::{FromNapiValue, Object};
use napi::{Error, Result, Status};

use crate::core::batch::Grouping;
use crate::core::batch::prefix::Cut;
use crate::core::limit::Limit;
use crate::exec::s3::config::Config;
use crate::exec::s3::config::proxy::Choice;
use crate::exec::s3::credentials::Values;
use crate::exec::s3::filter::{Filter, glob, regex};
use crate::exec::s3::scope::Scope;
use crate::exec::s3::target::Target;
use crate::exec::s3::way::{Proof, Way};
use crate::exec::s3::{delete, list};

/// An object of options.
pub struct Options<'a>(pub Object<'a>);

impl Options<'_> {
    fn get<T: FromNapiValue>(&self, name: &str) -> Result<Option<T>> {
        self.0.get(name)
    }

    fn flag(&self, name: &str) -> Result<bool> {
        Ok(self.get(name)?.unwrap_or(false))
    }

    fn text(&self, name: &str) -> Result<String> {
        Ok(self.get(name)?.unwrap_or_default())
    }

    fn patterns<T>(
        &self,
        name: &str,
        make: fn(&str) -> std::result::Result<T, String>,
    ) -> Result<Vec<T>> {
        let patterns: Vec<String> = self.get(name)?.unwrap_or_default();
        let made: std::result::Result<_, _> = patterns.iter().map(|text| make(text)).collect();
        made.map_err(|error| Error::new(Status::InvalidArg, error))
    }

    fn milliseconds(&self, name: &str) -> Result<Duration> {
        let ms: f64 = self.get(name)?.unwrap_or_default();
        Ok(Duration::try_from_secs_f64(ms / 1000.0).unwrap_or(Duration::MAX))
    }

    fn limit(&self, name: &str) -> Result<Limit> {
        let number = self.get(name)?.unwrap_or(f64::MAX);
        Limit::from_f64(number)
            .map_err(|error| Error::new(Status::InvalidArg, format!("{name}: {error}")))
    }

    /// How a client is made.
    pub fn config(&self) -> Result<Config> {
        Ok(Config {
            region: self.get("region")?,
            endpoint: self.get("endpoint")?,
            profile: self.get("profile")?,
            is_anonymous: self.flag("isAnonymous")?,
            proxy: match self.get("proxy")? {
                Some(url) => Choice::Url(url),
                None if self.flag("isDirect")? => Choice::Direct,
                None => Choice::Environment,
            },
            ca_bundle: self.get("caBundle")?,
            force_path_style: self.get("forcePathStyle")?,
            use_dualstack_endpoint: self.get("useDualstackEndpoint")?,
            use_fips_endpoint: self.get("useFipsEndpoint")?,
            use_accelerate_endpoint: self.get("useAccelerateEndpoint")?,
            use_arn_region: self.get("useArnRegion")?,
            disable_multi_region_access_points: self.get("disableMultiregionAccessPoints")?,
            disable_s3_express_session_auth: self.get("disableS3ExpressSessionAuth")?,
            max_attempts: self.get("maxAttempts")?.unwrap_or(1),
            request_timeout: self.milliseconds("requestTimeout")?,
            connection_timeout: self.milliseconds("connectionTimeout")?,
            throttle_timeout: self.milliseconds("throttleTimeout")?,
        })
    }

    /// The way of deleting that was told.
    pub fn way(&self) -> Result<Option<Way>> {
        let way: Option<String> = self.get("deleteMode")?;
        Ok(match way.as_deref() {
            Some("checksum") => Some(Way::Multi(Proof::Checksum)),
            Some("md5") => Some(Way::Multi(Proof::Md5)),
            Some("single") => Some(Way::Single),
            _ => None,
        })
    }

    /// Credentials, as far as there are some.
    pub fn credentials(&self) -> Result<Option<Values>> {
        let Some(id) = self.get::<String>("accessKeyId")? else { return Ok(None) };
        let expiry = self
            .get::<f64>("expiration")?
            .and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok());
        Ok(Some(Values::new(
            id,
            self.text("secretAccessKey")?,
            self.get("sessionToken")?.filter(|token: &String| !token.is_empty()),
            expiry.map(|since| SystemTime::UNIX_EPOCH + since),
            "ya-syn-native",
        )))
    }

    fn target(&self) -> Result<Target> {
        Ok(Target {
            bucket: self.text("Bucket")?,
            expected_owner: self.get("ExpectedBucketOwner")?,
            requester_pays: self.flag("requesterPays")?,
            bypass_governance: self.flag("BypassGovernanceRetention")?,
            mfa: self.get("MFA")?,
        })
    }

    /// What is listed.
    pub fn list(&self) -> Result<list::Options> {
        Ok(list::Options {
            target: self.target()?,
            prefix: self.text("Prefix")?,
            start_after: self.text("StartAfter")?,
            page_size: self.get("MaxKeys")?,
            versions: self.flag("versions")?,
            details: self.flag("details")?,
            parallel: self.get::<u32>("parallelListing")?.unwrap_or(1) as usize,
            filter: Filter {
                modified_before: self.get("modifiedBefore")?,
                min_size: self.get("minSize")?,
                max_size: self.get("maxSize")?,
                suffix: self.get("suffix")?,
                globs: self.patterns("globs", glob)?,
                regexes: self.patterns("regexes", regex)?,
            },
        })
    }

    /// How it is deleted; `prefix` is what all keys begin with, if that is known.
    pub fn delete(&self, prefix: &str) -> Result<delete::Options> {
        let grouping = match self.cut(prefix)? {
            Some(cut) => Grouping::PerPrefix {
                cut,
                limit: self.limit("maxPerPrefix")?,
                gated: self.flag("gated")?,
            },
            None => {
                Grouping::Shared(Cut::Delimiter { base: prefix.len(), delimiter: "/".to_owned() })
            }
        };
        Ok(delete::Options {
            target: self.target()?,
            scope: Scope { prefix: prefix.to_owned(), versions: self.flag("versions")? },
            batch_size: self.get::<u32>("batchSize")?.unwrap_or(1000) as usize,
            requests: self.limit("maxTasksInExecution")?,
            grouping,
        })
    }

    /// Where the prefix of a key ends that has a limit; `prefix` is what all keys begin with.
    pub fn cut(&self, prefix: &str) -> Result<Option<Cut>> {
        let delimiter: Option<String> = self.get("delimiter")?;
        Ok(match (self.get::<f64>("prefixLength")?, delimiter) {
            (Some(length), _) => Some(Cut::Length(length as usize)),
            (None, Some(delimiter)) => Some(Cut::Delimiter { base: prefix.len(), delimiter }),
            (None, None) => None,
        })
    }

    /// How many pages are listed and not deleted yet.
    pub fn window(&self) -> Result<Limit> {
        self.limit("maxTasksInFlight")
    }
}
