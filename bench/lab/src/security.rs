//! The TLS configuration of the lab's generator and back end, the same towards all gateways:
//! rustls, versions 1.2 and 1.3, X25519 and P-256, AES-256-GCM first. Gateways choose the first
//! suite that their client offers, so all of them use the same cipher.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, ensure};
use rustls::client::{
    ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue,
};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, NamedGroup, RootCertStore, ServerConfig};

use crate::load::Tls;

#[cfg(test)]
mod tests;

/// Maximum number of tickets kept: more than connections are opened at once.
const TICKETS_MAX: usize = 1_024;

/// A client's configuration, and the server name it expects.
#[derive(Debug)]
pub(crate) struct Security {
    pub(crate) config: Arc<ClientConfig>,
    pub(crate) name: ServerName<'static>,
}

impl Security {
    pub(crate) fn from_tls(tls: &Tls) -> anyhow::Result<Self> {
        let path = tls.trusted.display();
        let mut trusted = RootCertStore::empty();
        for certificate in certificates(&tls.trusted)? {
            trusted
                .add(certificate)
                .with_context(|| format!("{path} cannot be trusted"))?;
        }
        let mut config = ClientConfig::builder_with_provider(provider().into())
            .with_safe_default_protocol_versions()?
            .with_root_certificates(trusted)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.resumption = match tls.resumes {
            true => Resumption::store(Arc::<Tickets>::default()),
            false => Resumption::disabled(),
        };
        let name = ServerName::try_from(tls.server_name.clone());
        let name =
            name.with_context(|| format!("{:?} is not a valid server name", tls.server_name))?;
        Ok(Self {
            config: config.into(),
            name,
        })
    }
}

/// Returns the configuration of a server with this certificate; sessions can be resumed by tickets.
pub(crate) fn server(certificate: &Path, key: &Path) -> anyhow::Result<Arc<ServerConfig>> {
    let path = key.display();
    let key = PrivateKeyDer::from_pem_file(key);
    let key = key.with_context(|| format!("{path} contains no private key"))?;
    let mut config = ServerConfig::builder_with_provider(provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates(certificate)?, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.ticketer = aws_lc_rs::Ticketer::new()?;
    Ok(config.into())
}

fn provider() -> CryptoProvider {
    CryptoProvider {
        kx_groups: vec![aws_lc_rs::kx_group::X25519, aws_lc_rs::kx_group::SECP256R1],
        ..aws_lc_rs::default_provider()
    }
}

fn certificates(file: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let path = file.display();
    let all = CertificateDer::pem_file_iter(file);
    let all = all.with_context(|| format!("cannot read {path}"))?;
    let all: Vec<_> = all
        .collect::<Result<_, _>>()
        .with_context(|| format!("{path} is not PEM"))?;
    ensure!(!all.is_empty(), "{path} contains no certificate");
    Ok(all)
}

/// Tickets of the single server of a load, each used once (RFC 8446, appendix C.4). The store of
/// rustls keeps eight per server, too few if many connections are opened at once.
#[derive(Debug, Default)]
struct Tickets(Mutex<VecDeque<Tls13ClientSessionValue>>);

impl ClientSessionStore for Tickets {
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: ServerName<'static>, _: Tls12ClientSessionValue) {}

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        None
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {}

    fn insert_tls13_ticket(&self, _: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        let mut tickets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if tickets.len() < TICKETS_MAX {
            tickets.push_back(ticket);
        }
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        let mut tickets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.pop_front()
    }
}
