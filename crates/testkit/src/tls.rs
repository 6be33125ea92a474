//! TLS on both sides of the product: verifying clients, and back ends with certificates.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, HandshakeKind, RootCertStore, ServerConfig};
use tokio::io::{AsyncWriteExt as _, copy, copy_bidirectional, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::http::Connection;

/// A certificate authority.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate with its key, both in PEM.
#[derive(Debug, Clone)]
pub struct Certified {
    /// The certificate.
    pub certificate: String,
    /// The key.
    pub key: String,
}

impl Authority {
    /// Creates an authority.
    ///
    /// # Errors
    /// Fails if no key can be generated.
    pub fn new() -> anyhow::Result<Self> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate()?;
        // Two with the same name would be confused.
        let name = format!(
            "an authority of the tests, {:02x?}",
            &key.public_key_raw()[1..9]
        );
        params.distinguished_name.push(DnType::CommonName, name);
        let pem = params.self_signed(&key)?.pem();
        let issuer = Issuer::new(params, key);
        Ok(Self { issuer, pem })
    }

    /// Its certificate in PEM.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Issues a certificate for these names, valid until the beginning of a year.
    ///
    /// # Errors
    /// Fails if no key can be generated.
    pub fn certify(&self, names: &[&str], end: i32) -> anyhow::Result<Certified> {
        self.issue(names, |params| {
            params.not_after = date_time_ymd(end, 1, 1);
        })
    }

    /// Issues a certificate for these names, valid from now on for `span`.
    ///
    /// # Errors
    /// Fails if no key can be generated.
    pub fn certify_for(&self, names: &[&str], span: Duration) -> anyhow::Result<Certified> {
        let end = SystemTime::now().duration_since(UNIX_EPOCH)? + span;
        self.issue(names, |params| {
            params.not_after = date_time_ymd(1970, 1, 1) + end;
        })
    }

    fn issue(
        &self,
        names: &[&str],
        end: impl FnOnce(&mut CertificateParams),
    ) -> anyhow::Result<Certified> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names)?;
        params.not_before = date_time_ymd(2020, 1, 1);
        end(&mut params);
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Certified {
            certificate,
            key: key.serialize_pem(),
        })
    }
}

/// Terminates TLS and forwards the bytes to a plain server.
#[derive(Debug)]
pub struct TlsFront {
    address: SocketAddr,
    taken: Arc<Taken>,
    accepting: JoinHandle<()>,
}

/// How a session ends.
#[derive(Debug, Clone, Copy)]
enum End {
    CloseNotify,
    Cut,
}

/// The completed handshakes.
#[derive(Debug, Default)]
struct Taken {
    full: AtomicUsize,
    resumed: AtomicUsize,
}

impl TlsFront {
    /// Starts it in front of the server at `plain`, on a free port.
    ///
    /// # Errors
    /// Fails if there is no port, or the certificate is invalid.
    pub async fn start(plain: SocketAddr, certified: &Certified) -> anyhow::Result<Self> {
        Self::with_end(plain, certified, End::CloseNotify).await
    }

    /// Like [`TlsFront::start`], with sessions that end without close_notify.
    ///
    /// # Errors
    /// Fails like [`TlsFront::start`].
    pub async fn cutting(plain: SocketAddr, certified: &Certified) -> anyhow::Result<Self> {
        Self::with_end(plain, certified, End::Cut).await
    }

    async fn with_end(plain: SocketAddr, certified: &Certified, end: End) -> anyhow::Result<Self> {
        let chain = CertificateDer::pem_slice_iter(certified.certificate.as_bytes());
        let chain = chain.collect::<Result<Vec<_>, _>>()?;
        let key = PrivatePkcs8KeyDer::from_pem_slice(certified.key.as_bytes())?;
        let config = ServerConfig::builder_with_provider(aws_lc_rs::default_provider().into())
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, PrivateKeyDer::from(key))?;
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let taken = Arc::<Taken>::default();
        let counted = Arc::clone(&taken);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, counted) = (acceptor.clone(), Arc::clone(&counted));
                tokio::spawn(async move {
                    let mut stream = acceptor.accept(stream).await?;
                    let count = match stream.get_ref().1.handshake_kind() {
                        Some(HandshakeKind::Resumed) => &counted.resumed,
                        _ => &counted.full,
                    };
                    count.fetch_add(1, Ordering::Relaxed);
                    let mut plain = TcpStream::connect(plain).await?;
                    match end {
                        End::CloseNotify => {
                            copy_bidirectional(&mut stream, &mut plain).await?;
                        }
                        End::Cut => {
                            let (mut from, mut to) = split(stream);
                            let (mut answer, mut request) = plain.into_split();
                            tokio::select! {
                                _ = copy(&mut from, &mut request) => {}
                                _ = copy(&mut answer, &mut to) => to.flush().await?,
                            }
                        }
                    }
                    Ok::<_, std::io::Error>(())
                });
            }
        });
        Ok(Self {
            address,
            taken,
            accepting,
        })
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The numbers of full and of resumed handshakes.
    #[must_use]
    pub fn handshakes(&self) -> (usize, usize) {
        let of = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        (of(&self.taken.full), of(&self.taken.resumed))
    }
}

impl Drop for TlsFront {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// The configuration of a client that trusts the authorities of a text in PEM.
///
/// # Errors
/// Fails if it contains no authority.
pub fn trusting(pem: &str) -> anyhow::Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    for authority in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        roots.add(authority?)?;
    }
    let config = ClientConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Connects to a server that must prove to be `name`.
///
/// # Errors
/// Fails if nothing listens there, or the server is not `name`.
pub async fn connect(
    address: SocketAddr,
    name: &str,
    config: &Arc<ClientConfig>,
) -> anyhow::Result<Connection> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    connect_over(stream, name, config).await
}

/// Like [`connect`], over an open connection.
///
/// # Errors
/// Fails if the server is not `name`.
pub async fn connect_over(
    stream: TcpStream,
    name: &str,
    config: &Arc<ClientConfig>,
) -> anyhow::Result<Connection> {
    let name = ServerName::try_from(name.to_owned())?;
    let connector = TlsConnector::from(Arc::clone(config));
    let stream = connector.connect(name, stream).await.context("TLS")?;
    Ok(Connection::over(stream))
}
