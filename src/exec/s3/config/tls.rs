//! Which certificates are trusted: those of the system, and those that options, environment and profile add.
//!
//! The client of the SDK panics at certificates that it can't read, so that they are looked at here before it sees them.

use std::fs;

use aws_smithy_http_client::tls::{TlsContext, TrustStore};
use aws_smithy_types::base64;
use rustls::RootCertStore;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use super::settings::{Setting, Settings, from_environment};
use crate::exec::s3::fault::Fault;

/// How many characters PEM has in a line.
const LINE: usize = 64;

/// What is wrong with a bundle of certificates in PEM.
pub fn find_fault(pem: &[u8]) -> Option<String> {
    certificates(pem).err()
}

/// The certificates of a bundle that can be used: there is at least one.
fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let all = read.map_err(|error| format!("holds what can't be read: {error}"))?;
    if all.is_empty() {
        return Err("holds no certificate".to_owned());
    }
    let usable = |certificate: &CertificateDer<'static>| {
        RootCertStore::empty().add(certificate.clone()).is_ok()
    };
    let usable: Vec<_> = all.into_iter().filter(usable).collect();
    if usable.is_empty() {
        return Err("holds no certificate that can be used".to_owned());
    }
    Ok(usable)
}

/// What is trusted. `bundle` is that of the options, and was looked at.
pub fn context(settings: &Settings, bundle: Option<&str>) -> Result<TlsContext, Fault> {
    let mut store = TrustStore::default();
    let mut add = |certificates: Vec<CertificateDer<'static>>| {
        for certificate in certificates {
            store.add_pem_certificate(to_pem(&certificate));
        }
    };
    match (bundle, settings.get("AWS_CA_BUNDLE", "ca_bundle")) {
        (Some(pem), _) => add(certificates(pem.as_bytes())
            .map_err(|fault| Fault::invalid_config(format!("caBundle {fault}")))?),
        (None, Some(setting)) => add(of_file(&setting)?),
        (None, None) => {}
    }
    // Node.js trusts these in addition to all others, and so does this.
    if let Some(setting) = from_environment("NODE_EXTRA_CA_CERTS") {
        add(of_file(&setting)?);
    }
    TlsContext::builder()
        .with_trust_store(store)
        .build()
        .map_err(|error| Fault::invalid_config(error.to_string()))
}

fn of_file(setting: &Setting) -> Result<Vec<CertificateDer<'static>>, Fault> {
    let fault = |what: String| {
        Fault::invalid_config(format!("{} names {:?}, which {what}", setting.source, setting.text))
    };
    let pem = fs::read(&setting.text).map_err(|error| fault(format!("can't be read: {error}")))?;
    certificates(&pem).map_err(fault)
}

fn to_pem(certificate: &CertificateDer<'_>) -> String {
    let text = base64::encode(certificate);
    let lines = text.as_bytes().chunks(LINE).map(|line| String::from_utf8_lossy(line));
    let lines = lines.collect::<Vec<_>>().join("\n");
    format!("-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_without_certificates_is_named() {
        assert_eq!(find_fault(b""), Some("holds no certificate".to_owned()));
        assert_eq!(find_fault(b"no PEM at all"), Some("holds no certificate".to_owned()));
        let empty = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert_eq!(find_fault(empty), Some("holds no certificate that can be used".to_owned()));
        let cut = b"-----BEGIN CERTIFICATE-----\nAAAA\n";
        assert!(find_fault(cut).unwrap().contains("can't be read"), "{:?}", find_fault(cut));
    }
}
