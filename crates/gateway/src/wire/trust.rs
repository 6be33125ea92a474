//! Whom the gateway trusts to be an upstream: what its certificate is checked against.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tollgate_fetch::tls;
use tollgate_model::feed::ServedUpstream;

/// What the certificate of an upstream is checked against.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Trust {
    /// The authorities that the system trusts.
    System,
    /// Those of the upstream's own, in PEM.
    Own(String),
    /// Nothing.
    Anybody,
}

/// Why TLS cannot be spoken with an upstream. The control plane has checked it before.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoTls {
    #[error("its certificate authorities cannot be read")]
    Roots(#[from] tls::NotRoots),
    #[error("{0:?} is no name that a certificate could have")]
    Name(String),
}

/// How TLS is spoken with an upstream. Its sessions are resumed over all snapshots.
#[derive(Debug)]
pub(crate) struct UpstreamTls {
    pub(crate) config: Arc<ClientConfig>,
    pub(crate) name: ServerName<'static>,
}

impl Trust {
    pub(crate) fn of(upstream: &ServedUpstream) -> Self {
        match &upstream.ca {
            _ if !upstream.verify_certificate => Self::Anybody,
            Some(ca) => Self::Own(ca.clone()),
            None => Self::System,
        }
    }

    /// Makes ready to speak TLS with a host.
    pub(crate) fn with(&self, host: &str) -> Result<UpstreamTls, NoTls> {
        let config = match self {
            Self::System => tls::client(tls::system_roots()),
            Self::Own(ca) => tls::client(Arc::new(tls::roots_of(ca)?)),
            Self::Anybody => tls::client_of_anybody(),
        };
        let name = tls::server_name(host).map_err(|_| NoTls::Name(host.to_owned()))?;
        Ok(UpstreamTls {
            config: Arc::new(config),
            name,
        })
    }
}
