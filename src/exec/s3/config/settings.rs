//! What the environment and the shared configuration files say, and where it was said.
//!
//! An explicit choice wins: the settings of a profile that the user names come before those of the environment. Empty values count
//! as missing. Settings that this library does not use are not read, so a wrong one does no harm.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use aws_config::profile::ProfileSet;
use aws_runtime::env_config::file::{EnvConfigFileKind, EnvConfigFiles};
use aws_runtime::env_config::property::PropertiesKey;
use aws_types::os_shim_internal::{Env, Fs};

use crate::exec::s3::fault::Fault;
use crate::exec::s3::shown::chain;

/// How many profiles are followed by `source_profile`. A longer chain is taken for a circle.
const MOST_SOURCES: usize = 32;

/// A setting, and where it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What was said.
    pub text: String,
    /// Where, for an error.
    pub source: String,
}

impl Setting {
    /// The fault of a setting that can't be used; `remedy` says what it must be.
    pub fn fault(&self, remedy: &str, shown: &str) -> Fault {
        Fault::invalid_config(format!("{} must be {remedy}, but is {shown:?}", self.source))
    }
}

/// The settings of the environment and of the files.
#[derive(Debug)]
pub struct Settings {
    /// The profile's name.
    pub profile: String,
    /// Whether the user named the profile, rather than the environment or nobody.
    pub is_explicit: bool,
    /// The contents of the files, for what takes credentials from them.
    pub files: EnvConfigFiles,
    sections: ProfileSet,
    /// What the files are and how reading them went.
    read: Vec<String>,
    /// Why the files can't be used.
    fault: Option<String>,
}

impl Settings {
    /// Reads the files; `explicit` is the profile that the user names.
    pub async fn load(explicit: Option<&str>) -> Result<Self, Fault> {
        let named = explicit.map(str::to_owned).or_else(|| variable("AWS_PROFILE"));
        let profile = named.clone().unwrap_or_else(|| "default".to_owned());
        let mut read = Vec::new();
        let mut files = EnvConfigFiles::builder();
        for (kind, name, default) in [
            (EnvConfigFileKind::Config, "AWS_CONFIG_FILE", "config"),
            (EnvConfigFileKind::Credentials, "AWS_SHARED_CREDENTIALS_FILE", "credentials"),
        ] {
            let Some(path) = path_of(name, default) else { continue };
            let (contents, outcome) = contents(&path);
            read.push(format!("{}{outcome}", path.display()));
            files = files.with_contents(kind, contents);
        }
        let files = files.build();
        let selected = Some(Cow::Owned(profile.clone()));
        let no_variables = Env::from_slice(&[]);
        let parsed = aws_config::profile::load(&Fs::real(), &no_variables, &files, selected).await;
        let (sections, fault) = match parsed {
            Ok(sections) => (sections, None),
            Err(error) => (ProfileSet::default(), Some(chain(&error))),
        };
        let is_explicit = explicit.is_some();
        let settings = Self { profile, is_explicit, files, sections, read, fault };
        if is_explicit || (named.is_some() && variable("AWS_ACCESS_KEY_ID").is_none()) {
            settings.check_profile()?;
        }
        Ok(settings)
    }

    /// Checks that the profile exists and can be read.
    fn check_profile(&self) -> Result<(), Fault> {
        if let Some(fault) = &self.fault {
            let message = format!("The profile {:?} can't be read: {fault}", self.profile);
            return Err(Fault::invalid_config(message));
        }
        // The default profile may be missing, even where it is named.
        if self.profile != "default" && self.sections.get_profile(&self.profile).is_none() {
            let message =
                format!("There is no profile {:?} in {}", self.profile, self.read.join(" and "));
            return Err(Fault::invalid_config(message));
        }
        Ok(())
    }

    /// The files that were read, for an error.
    pub fn read(&self) -> String {
        let fault = self.fault.as_ref().map(|fault| format!(" ({fault})")).unwrap_or_default();
        format!("{}{fault}", self.read.join(", "))
    }

    /// A setting by its variable and by its name in a profile.
    pub fn get(&self, name: &str, key: &str) -> Option<Setting> {
        self.ordered(from_environment(name), || self.in_profile(key))
    }

    /// A setting that is true or false.
    pub fn flag(&self, name: &str, key: &str) -> Result<Option<bool>, Fault> {
        let Some(setting) = self.get(name, key) else { return Ok(None) };
        match setting.text.to_ascii_lowercase().as_str() {
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            _ => Err(setting.fault("true or false", &setting.text)),
        }
    }

    /// The region.
    pub fn region(&self) -> Option<Setting> {
        let variable = from_environment("AWS_REGION");
        self.ordered(variable.or_else(|| from_environment("AWS_DEFAULT_REGION")), || {
            self.region_of_profile()
        })
    }

    /// Where the store is. The environment does not tell it for a profile that the user names: requests that are signed with the
    /// keys of that profile belong to nobody else.
    pub fn endpoint(&self) -> Result<Option<Setting>, Fault> {
        let key = "ignore_configured_endpoint_urls";
        if self.flag("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", key)? == Some(true) {
            return Ok(None);
        }
        let variable = (!self.is_explicit)
            .then(|| {
                from_environment("AWS_ENDPOINT_URL_S3")
                    .or_else(|| from_environment("AWS_ENDPOINT_URL"))
            })
            .flatten();
        Ok(variable
            .or_else(|| self.in_services("endpoint_url"))
            .or_else(|| self.in_profile("endpoint_url")))
    }

    fn ordered(
        &self,
        variable: Option<Setting>,
        profile: impl Fn() -> Option<Setting>,
    ) -> Option<Setting> {
        if self.is_explicit { profile().or(variable) } else { variable.or_else(profile) }
    }

    fn in_profile(&self, key: &str) -> Option<Setting> {
        self.of_profile(&self.profile, key)
    }

    fn of_profile(&self, profile: &str, key: &str) -> Option<Setting> {
        let text = self.sections.get_profile(profile)?.get(key)?.trim();
        (!text.is_empty()).then(|| Setting {
            text: text.to_owned(),
            source: format!("{key} of the profile {profile:?}"),
        })
    }

    /// A profile that takes its credentials from another one has its region as well.
    fn region_of_profile(&self) -> Option<Setting> {
        let mut profile = self.profile.clone();
        for _ in 0..MOST_SOURCES {
            if let Some(region) = self.of_profile(&profile, "region") {
                return Some(region);
            }
            profile = self.of_profile(&profile, "source_profile")?.text;
        }
        None
    }

    fn in_services(&self, key: &str) -> Option<Setting> {
        let services = self.in_profile("services")?.text;
        let place = PropertiesKey::builder()
            .section_key("services")
            .section_name(&services)
            .property_name("s3")
            .sub_property_name(key)
            .build()
            .ok()?;
        let text = self.sections.other_sections().get(&place)?.trim();
        (!text.is_empty()).then(|| Setting {
            text: text.to_owned(),
            source: format!("{key} of s3 in the services section {services:?}"),
        })
    }
}

/// A variable of the environment that says something.
pub fn variable(name: &str) -> Option<String> {
    let text = env::var_os(name)?.to_string_lossy().trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A variable as a setting.
pub fn from_environment(name: &str) -> Option<Setting> {
    Some(Setting { text: variable(name)?, source: name.to_owned() })
}

/// Where a file of configuration is, as `name` tells it or in the home directory.
fn path_of(name: &str, default: &str) -> Option<PathBuf> {
    let Some(told) = env::var_os(name).filter(|path| !path.is_empty()) else {
        return Some(env::home_dir()?.join(".aws").join(default));
    };
    let told = PathBuf::from(told);
    match (told.strip_prefix("~"), env::home_dir()) {
        (Ok(rest), Some(home)) => Some(home.join(rest)),
        _ => Some(told),
    }
}

/// What a file holds, and a word on it if that is nothing.
fn contents(path: &Path) -> (String, String) {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(contents) => (contents, String::new()),
            Err(_) => (String::new(), " (which is not UTF-8)".to_owned()),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            (String::new(), " (which is missing)".to_owned())
        }
        Err(error) => (String::new(), format!(" (which can't be read: {error})")),
    }
}
