//! Which bucket the requests of a job are for, and what each of them says of it.

use aws_sdk_s3::types::RequestPayer;

/// What every request of a job says.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The bucket's name or ARN.
    pub bucket: String,
    /// The account that has to own the bucket.
    pub expected_owner: Option<String>,
    /// Whether the requester pays.
    pub requester_pays: bool,
    /// Whether retention in governance mode is bypassed.
    pub bypass_governance: bool,
    /// The serial number and value of an MFA device.
    pub mfa: Option<String>,
}

impl Target {
    /// What a fault is about.
    pub fn place(&self) -> String {
        format!("bucket {:?}", self.bucket)
    }

    /// What a request says of who pays.
    pub fn payer(&self) -> Option<RequestPayer> {
        self.requester_pays.then_some(RequestPayer::Requester)
    }
}
