//! TLS settings for all of Tollgate: one provider (AWS-LC), two versions, two groups; and the
//! authorities that its clients trust.

use std::sync::{Arc, LazyLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WantsClientCert};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName, UnixTime};
use rustls::server::ResolvesServerCert;
use rustls::version::{TLS12, TLS13};
use rustls::{
    ClientConfig, ConfigBuilder, DigitallySignedStruct, Error, RootCertStore, ServerConfig,
    SignatureScheme, SupportedProtocolVersion,
};

/// The supported versions: TLS 1.2 (RFC 5246) and 1.3 (RFC 8446).
const VERSIONS: &[&SupportedProtocolVersion] = &[&TLS13, &TLS12];

/// Resumable sessions of one client: a few for each worker.
const SESSIONS_MAX: usize = 64;

static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| {
    Arc::new(CryptoProvider {
        kx_groups: vec![aws_lc_rs::kx_group::X25519, aws_lc_rs::kx_group::SECP256R1],
        ..aws_lc_rs::default_provider()
    })
});

static SYSTEM: LazyLock<System> = LazyLock::new(System::read);

/// The system's trusted authorities.
struct System {
    roots: Arc<RootCertStore>,
    problem: Option<String>,
}

impl System {
    fn read() -> Self {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(found.certs);
        let problem = found.errors.first().map(ToString::to_string);
        let is_configured = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
            .iter()
            .any(|name| std::env::var_os(name).is_some());
        // A user who names authorities wants no others.
        if roots.is_empty() && !is_configured {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        Self {
            problem: problem.or_else(|| roots.is_empty().then(|| "there are none".to_owned())),
            roots: Arc::new(roots),
        }
    }
}

/// The provider of all TLS: AES-GCM and ChaCha20-Poly1305, X25519 and P-256.
#[must_use]
pub fn provider() -> Arc<CryptoProvider> {
    Arc::clone(&PROVIDER)
}

/// The certificate authorities that the system trusts; Mozilla's if it names none.
#[must_use]
pub fn system_roots() -> Arc<RootCertStore> {
    Arc::clone(&SYSTEM.roots)
}

/// The problem found when the system's authorities were loaded, if any.
#[must_use]
pub fn system_roots_problem() -> Option<&'static str> {
    SYSTEM.problem.as_deref()
}

/// Text without valid certificate authorities.
#[derive(Debug, thiserror::Error)]
pub enum NotRoots {
    /// Not PEM (RFC 7468), or without a certificate.
    #[error("it holds no certificate in PEM (-----BEGIN CERTIFICATE-----)")]
    None,
    /// With a private key, which would be stored and shown as is.
    #[error("it holds a private key, but must hold certificates only")]
    Key,
    /// A certificate that cannot be read.
    #[error("its certificate number {number} cannot be read")]
    Certificate {
        /// From 1.
        number: usize,
        /// Why.
        source: Error,
    },
}

/// Parses certificate authorities in PEM (RFC 7468).
///
/// # Errors
/// [`NotRoots`] if there are none or one is invalid.
pub fn roots_of(pem: &str) -> Result<RootCertStore, NotRoots> {
    if pem.contains("PRIVATE KEY-----") {
        return Err(NotRoots::Key);
    }
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_slice_iter(pem.as_bytes());
    for (index, certificate) in certificates.enumerate() {
        let certificate = certificate.map_err(|_| NotRoots::None)?;
        let number = index + 1;
        let added = roots.add(certificate);
        added.map_err(|source| NotRoots::Certificate { number, source })?;
    }
    if roots.is_empty() {
        return Err(NotRoots::None);
    }
    Ok(roots)
}

/// Parses the name that a server must prove: a DNS name, or an address.
///
/// # Errors
/// Fails if the host is neither.
pub fn server_name(host: &str) -> Result<ServerName<'static>, InvalidDnsNameError> {
    ServerName::try_from(host.to_owned())
}

/// The TLS configuration for servers certified by these authorities, with HTTP/1.1 (RFC 7301).
#[must_use]
pub fn client(roots: Arc<RootCertStore>) -> ClientConfig {
    finish(builder().with_root_certificates(roots))
}

/// Like [`client`], for servers that only prove possession of the key of their certificate,
/// whichever it is.
#[must_use]
pub fn client_of_anybody() -> ClientConfig {
    let anybody = Arc::new(Anybody(PROVIDER.signature_verification_algorithms));
    let builder = builder().dangerous();
    finish(builder.with_custom_certificate_verifier(anybody))
}

/// The TLS configuration for callers: without early data (RFC 8446, appendix E.5), with ticket keys
/// that rotate every six hours.
///
/// # Errors
/// Fails if the system has no random bytes.
pub fn server(certificates: Arc<dyn ResolvesServerCert>) -> Result<ServerConfig, Error> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(VERSIONS)?
        .with_no_client_auth()
        .with_cert_resolver(certificates);
    config.ticketer = aws_lc_rs::Ticketer::new()?;
    // A client that offers only other protocols is refused (RFC 7301, section 3.2).
    config.alpn_protocols = vec![b"http/1.1".to_vec(), b"http/1.0".to_vec()];
    Ok(config)
}

fn builder() -> ConfigBuilder<ClientConfig, rustls::WantsVerifier> {
    ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(VERSIONS)
        .expect("the provider has suites of both versions")
}

fn finish(builder: ConfigBuilder<ClientConfig, WantsClientCert>) -> ClientConfig {
    let mut config = builder.with_no_client_auth();
    config.resumption = Resumption::in_memory_sessions(SESSIONS_MAX);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}

/// Accepts every certificate.
#[derive(Debug)]
struct Anybody(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}

#[cfg(test)]
mod tests;
