//! The certificate of a run: ECDSA over P-256, made anew each time, with an authority that vouches
//! for it. Ours, the rivals and the back end all show the same one, so that all do the same work.

use std::net::IpAddr;

use anyhow::Context as _;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};

/// The name that it is for, beside addresses: some gateways ask their upstreams for no address.
pub(crate) const NAME: &str = "localhost";

/// Names of the three files, wherever they are written.
pub(crate) const CERTIFICATE: &str = "lab.crt";
pub(crate) const KEY: &str = "lab.key";
pub(crate) const AUTHORITY: &str = "ca.crt";

/// A certificate, its key and the authority's certificate, in PEM.
#[derive(Debug)]
pub struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
    pub(crate) authority: String,
}

impl Identity {
    /// One for [`NAME`] and these addresses.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub(crate) fn make(addresses: &[IpAddr]) -> anyhow::Result<Self> {
        let mut params = CertificateParams::default();
        let name = &mut params.distinguished_name;
        name.push(DnType::CommonName, "The authority of a run");
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?);
        let authority = authority.context("making an authority")?;
        let addresses = addresses.iter().map(IpAddr::to_string);
        let names: Vec<String> = addresses.chain([NAME.to_owned()]).collect();
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name.push(DnType::CommonName, NAME);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &authority);
        Ok(Self {
            certificate: certificate.context("making a certificate")?.pem(),
            key: key.serialize_pem(),
            authority: authority.pem(),
        })
    }

    /// Names and texts of its files.
    pub(crate) fn files(&self) -> [(&'static str, &str); 3] {
        [
            (CERTIFICATE, &self.certificate),
            (KEY, &self.key),
            (AUTHORITY, &self.authority),
        ]
    }
}
