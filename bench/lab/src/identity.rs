//! The certificate of a run: ECDSA over P-256, created anew for each run, and the authority that
//! signs it. Tollgate, the rivals and the back end all present the same one, so all do the same
//! work.

use std::net::IpAddr;

use anyhow::Context as _;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};

/// The DNS name of the certificate, besides addresses: some gateways do not verify addresses of
/// upstreams.
pub(crate) const NAME: &str = "localhost";

/// Names of the three files.
pub(crate) const CERTIFICATE: &str = "lab.crt";
pub(crate) const KEY: &str = "lab.key";
pub(crate) const AUTHORITY: &str = "ca.crt";

/// A certificate, its private key and the authority's certificate, in PEM.
#[derive(Debug)]
pub struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
    pub(crate) authority: String,
}

impl Identity {
    /// Creates one for [`NAME`] and these addresses.
    ///
    /// # Errors
    /// Fails if the system provides no random bytes.
    pub(crate) fn make(addresses: &[IpAddr]) -> anyhow::Result<Self> {
        let mut params = CertificateParams::default();
        let name = &mut params.distinguished_name;
        name.push(DnType::CommonName, "The authority of a run");
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?);
        let authority = authority.context("creating an authority")?;
        let addresses = addresses.iter().map(IpAddr::to_string);
        let names: Vec<String> = addresses.chain([NAME.to_owned()]).collect();
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name.push(DnType::CommonName, NAME);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &authority);
        Ok(Self {
            certificate: certificate.context("creating a certificate")?.pem(),
            key: key.serialize_pem(),
            authority: authority.pem(),
        })
    }

    /// Returns names and contents of its files.
    pub(crate) fn files(&self) -> [(&'static str, &str); 3] {
        [
            (CERTIFICATE, &self.certificate),
            (KEY, &self.key),
            (AUTHORITY, &self.authority),
        ]
    }
}
