//! Which certificates are trusted: those of the system, and those that options, environment and profile add.
//!
//! The client of the SDK panics at certificates that it can't read, so they are checked here first.

use std::fs;
use std::sync::LazyLock;

use aws_smithy_http_client::tls::{TlsContext, TrustStore};
use aws_smithy_types::base64;
use rustls::RootCertStore;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use super::settings::{Setting, Settings, from_environment};
use crate::exec::s3::fault::Fault;

/// How many characters PEM has in a line.
const LINE: usize = 64;

/// The certificates of the system. They are read once, because some systems take a third of a second for it.
static OF_SYSTEM: LazyLock<String> = LazyLock::new(|| {
    let found = rustls_native_certs::load_native_certs().certs;
    found.iter().filter(|certificate| is_usable(certificate)).map(to_pem).collect()
});

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
    let usable: Vec<_> = all.into_iter().filter(is_usable).collect();
    if usable.is_empty() {
        return Err("holds no certificate that can be used".to_owned());
    }
    Ok(usable)
}

fn is_usable(certificate: &CertificateDer<'static>) -> bool {
    RootCertStore::empty().add(certificate.clone()).is_ok()
}

/// The certificates to trust. `bundle` is that of the options.
pub fn context(settings: &Settings, bundle: Option<&str>) -> Result<TlsContext, Fault> {
    let mut pem = OF_SYSTEM.clone();
    let mut add = |certificates: Vec<CertificateDer<'static>>| {
        pem.extend(certificates.iter().map(to_pem));
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
    if pem.is_empty() {
        let message = "This machine has no certificates that could be trusted: install them, let SSL_CERT_FILE name them, or give `caBundle`";
        return Err(Fault::invalid_config(message.to_owned()));
    }
    TlsContext::builder()
        .with_trust_store(TrustStore::empty().with_pem_certificate(pem))
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

fn to_pem(certificate: &CertificateDer<'static>) -> String {
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
