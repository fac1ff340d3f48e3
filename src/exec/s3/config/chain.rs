//! Where credentials come from that the user does not give.

use aws_config::ecs::EcsCredentialsProvider;
use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::imds::credentials::ImdsCredentialsProvider;
use aws_config::meta::credentials::CredentialsProviderChain;
use aws_config::profile::ProfileFileCredentialsProvider;
use aws_config::provider_config::ProviderConfig;
use aws_config::web_identity_token::WebIdentityTokenCredentialsProvider;
use aws_credential_types::provider::SharedCredentialsProvider;

use super::settings::{Settings, variable};
use crate::exec::s3::credentials::Credentials;

/// The credentials of the environment, unless the user names a profile. Nothing else is looked at when they are there.
pub fn of_environment(settings: &Settings) -> Option<Credentials> {
    let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
    let are_there = !settings.is_explicit && names.into_iter().all(|name| variable(name).is_some());
    are_there.then(|| {
        let provider = EnvironmentVariableCredentialsProvider::new();
        let hint = "they are those of the environment".to_owned();
        Credentials::from_chain(SharedCredentialsProvider::new(provider), hint)
    })
}

/// The credentials of a profile that the user names and of nothing else. Without such a profile, those of the chain that all SDKs of AWS have.
pub fn of_chain(settings: &Settings, config: &ProviderConfig) -> Credentials {
    let profile = ProfileFileCredentialsProvider::builder()
        .configure(config)
        .profile_files(settings.files.clone())
        .profile_name(&settings.profile)
        .build();
    let read = settings.read();
    if settings.is_explicit {
        let hint = format!(
            "the profile {:?} gives no credentials (read: {read}), and the environment is not asked for a profile that is named",
            settings.profile
        );
        return Credentials::from_chain(SharedCredentialsProvider::new(profile), hint);
    }
    let mut chain = CredentialsProviderChain::first_try(
        "Environment",
        EnvironmentVariableCredentialsProvider::new(),
    )
    .or_else("Profile", profile);
    // An empty variable is as none; the SDK would take it for the name of a file or a path.
    if variable("AWS_WEB_IDENTITY_TOKEN_FILE").is_some() {
        let provider = WebIdentityTokenCredentialsProvider::builder().configure(config).build();
        chain = chain.or_else("WebIdentityToken", provider);
    }
    let container =
        ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"];
    if container.into_iter().any(|name| variable(name).is_some()) {
        chain =
            chain.or_else("Container", EcsCredentialsProvider::builder().configure(config).build());
    }
    let instance = ImdsCredentialsProvider::builder().configure(config).build();
    let chain = chain.or_else("Instance", instance);
    let hint = format!(
        "neither the environment nor the profile {:?} (read: {read}) nor this machine gives credentials; set `credentials`, to false for anonymous access",
        settings.profile
    );
    Credentials::from_chain(SharedCredentialsProvider::new(chain), hint)
}
