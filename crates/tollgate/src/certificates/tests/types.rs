//! Two types of keys for one name, in real handshakes.

use std::sync::Mutex;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, ServerConnection,
    SupportedProtocolVersion,
};

use super::*;

const ECDSA: &[SignatureScheme] = &[SignatureScheme::ECDSA_NISTP256_SHA256];
const RSA: &[SignatureScheme] = &[
    SignatureScheme::RSA_PSS_SHA256,
    SignatureScheme::RSA_PKCS1_SHA256,
];
const ED25519: &[SignatureScheme] = &[SignatureScheme::ED25519];

/// A client that supports these signature schemes and trusts every certificate.
#[derive(Debug)]
struct Takes {
    schemes: Vec<SignatureScheme>,
    shown: Mutex<Option<CertificateDer<'static>>>,
}

impl ServerCertVerifier for Takes {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        *self.shown.lock().unwrap() = Some(leaf.clone().into_owned());
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = tls::provider().signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, leaf, signed, &algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = tls::provider().signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, leaf, signed, &algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.clone()
    }
}

/// Returns the pair that a client with these signature schemes receives in a successful handshake.
fn handshake(
    certificates: &Arc<Certificates>,
    name: &'static str,
    schemes: &[&[SignatureScheme]],
    version: &'static SupportedProtocolVersion,
) -> Result<String, Error> {
    let takes = Arc::new(Takes {
        schemes: schemes.concat(),
        shown: Mutex::default(),
    });
    let config = ClientConfig::builder_with_provider(tls::provider())
        .with_protocol_versions(&[version])
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::<Takes>::clone(&takes))
        .with_no_client_auth();
    let name = ServerName::try_from(name).unwrap();
    let mut client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut server = ServerConnection::new(certificates.config().unwrap()).unwrap();
    while client.is_handshaking() || server.is_handshaking() {
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes).unwrap();
        server.read_tls(&mut bytes.as_slice()).unwrap();
        server.process_new_packets()?;
        bytes.clear();
        server.write_tls(&mut bytes).unwrap();
        client.read_tls(&mut bytes.as_slice()).unwrap();
        client.process_new_packets()?;
    }
    let leaf = takes.shown.lock().unwrap().clone().unwrap();
    let present = certificates.present.load();
    let mut pairs = present.pairs.iter();
    let pair = pairs.find(|pair| pair.key.cert[0] == leaf).unwrap();
    Ok(pair.name.clone())
}

#[test]
fn each_client_receives_a_key_type_that_it_supports() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // The type takes precedence over the expiry.
    pair_with(path, "a-rsa", &["a.example"], (2041, &PKCS_RSA_SHA256));
    pair_with(path, "a", &["a.example"], (2040, &PKCS_ECDSA_P256_SHA256));
    pair_with(path, "b", &["b.example"], (2040, &PKCS_ECDSA_P256_SHA256));
    pair_with(
        path,
        "b-old",
        &["b.example"],
        (2039, &PKCS_ECDSA_P256_SHA256),
    );
    pair_with(path, "b-wild", &["*.example"], (2040, &PKCS_RSA_SHA256));
    pair_with(
        path,
        "default",
        &["z.test"],
        (2040, &PKCS_ECDSA_P256_SHA256),
    );
    pair_with(
        path,
        "z-rsa",
        &["z.test", "y.test"],
        (2040, &PKCS_RSA_SHA256),
    );
    let certificates = Certificates::open(path).unwrap();
    for version in [&TLS12, &TLS13] {
        for (name, schemes, expected) in [
            ("a.example", &[RSA, ECDSA][..], "a"),
            ("a.example", &[ECDSA], "a"),
            ("a.example", &[RSA], "a-rsa"),
            ("A.EXAMPLE", &[RSA], "a-rsa"),
            ("b.example", &[ECDSA, RSA], "b"),
            ("b.example", &[RSA], "b-wild"),
            ("nobody.test", &[ECDSA, RSA], "default"),
            ("nobody.test", &[RSA], "z-rsa"),
            ("y.test", &[RSA, ECDSA], "z-rsa"),
        ] {
            let shown = handshake(&certificates, name, schemes, version);
            assert_eq!(
                shown.as_deref(),
                Ok(expected),
                "{name} {schemes:?} {version:?}"
            );
        }
        let none = handshake(&certificates, "a.example", &[ED25519], version);
        assert!(none.is_err(), "no certificate fits");
    }
}

#[test]
fn a_single_type_is_used_for_every_client_that_supports_it() {
    let folder = tempfile::tempdir().unwrap();
    pair_with(folder.path(), "a", &["a.example"], (2040, &PKCS_RSA_SHA256));
    let certificates = Certificates::open(folder.path()).unwrap();
    for version in [&TLS12, &TLS13] {
        for name in ["a.example", "b.example"] {
            let shown = handshake(&certificates, name, &[ECDSA, RSA], version);
            assert_eq!(shown.as_deref(), Ok("a"));
        }
        assert!(handshake(&certificates, "a.example", &[ECDSA], version).is_err());
    }
}
