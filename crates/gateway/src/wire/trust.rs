//! Trust in upstreams: what their certificates are checked against.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tollgate_fetch::tls;
use tollgate_model::feed::ServedUpstream;

/// What the certificate of an upstream is checked against.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Trust {
    /// The system's certificate authorities.
    System,
    /// The upstream's own authorities, in PEM.
    Own(String),
    /// Nothing: every certificate is accepted.
    Anybody,
}

/// Why TLS to an upstream cannot be set up. The control plane has checked it before.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoTls {
    #[error("its certificate authorities cannot be read")]
    Roots(#[from] tls::NotRoots),
    #[error("{0:?} is not a valid server name")]
    Name(String),
}

/// The TLS configuration for an upstream. Its sessions are resumed across snapshots.
#[derive(Debug)]
pub(crate) struct UpstreamTls {
    pub(crate) config: Arc<ClientConfig>,
    pub(crate) name: ServerName<'static>,
}

impl Trust {
    pub(crate) fn for_upstream(upstream: &ServedUpstream) -> Self {
        match &upstream.ca {
            _ if !upstream.verify_certificate => Self::Anybody,
            Some(ca) => Self::Own(ca.clone()),
            None => Self::System,
        }
    }

    /// Builds the TLS configuration for a host.
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
