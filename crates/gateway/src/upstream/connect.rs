//! Connections to upstreams: the host is resolved, each address is checked, and the connection goes
//! to exactly the address that was checked. With TLS, the upstream then proves its identity.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use socket2::SockRef;
use tokio::net::{TcpStream, lookup_host};
use tollgate_fetch::{Forbidden, UpstreamRules};

use crate::choose::Chosen;
use crate::snapshot::version::Target;
use crate::wire::stream::{UpstreamStream, bound_unsent};
use crate::wire::trust::UpstreamTls;
use crate::worker::Worker;

/// Why there is no connection to an upstream.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoConnection {
    /// The host has no address, or resolving it failed.
    #[error("the host cannot be resolved")]
    Unresolved(#[source] io::Error),
    /// Every address of the host is forbidden for upstreams.
    #[error("no upstream may have this address")]
    Forbidden(#[source] Forbidden),
    /// The upstream's connect timeout expired.
    #[error("no connection within {0:?}")]
    TimedOut(Duration),
    /// Refused, unreachable, or no descriptor is left.
    #[error("{0}")]
    Connect(SocketAddr, #[source] io::Error),
    /// The TLS handshake failed.
    #[error("the TLS handshake failed")]
    Handshake(#[source] io::Error),
}

impl NoConnection {
    /// Whether the upstream presented an untrusted certificate, or none.
    pub(crate) fn is_untrusted(&self) -> bool {
        let Self::Handshake(error) = self else {
            return false;
        };
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
        matches!(
            inner,
            Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented)
        )
    }
}

/// Connects to the chosen target, including TLS, within its connect timeout.
pub(super) async fn connect(
    chosen: &Chosen<'_, '_>,
    worker: &Worker,
) -> Result<UpstreamStream, NoConnection> {
    let time = Duration::from_millis(chosen.upstream().served.connect_timeout_ms.into());
    let connecting = async {
        let stream = connect_any(chosen.target(), &worker.settings.upstream_rules).await?;
        match chosen.target().place.tls() {
            None => Ok(UpstreamStream::Plain(stream.into())),
            // Boxed: few calls open a connection, and each would pay for the space.
            Some(tls) => Box::pin(secure(stream, tls, worker)).await,
        }
    };
    let connected = tokio::time::timeout(time, connecting).await;
    connected.map_err(|_| NoConnection::TimedOut(time))?
}

/// Performs the TLS handshake.
async fn secure(
    stream: TcpStream,
    tls: &UpstreamTls,
    worker: &Worker,
) -> Result<UpstreamStream, NoConnection> {
    let secured = UpstreamStream::connect(stream, tls, &worker.buffer_pool);
    secured.await.map_err(NoConnection::Handshake)
}

async fn connect_any(target: &Target, rules: &UpstreamRules) -> Result<TcpStream, NoConnection> {
    let host = target.served.host.as_str();
    if let Some(address) = target.address {
        return connect_to(host, address, rules).await;
    }
    let resolved = lookup_host((host, target.served.port)).await;
    connect_first(host, resolved.map_err(NoConnection::Unresolved)?, rules).await
}

/// Tries the addresses in the resolver's order. Forbidden addresses are skipped, and reported only
/// if no connection was tried.
async fn connect_first(
    host: &str,
    addresses: impl Iterator<Item = SocketAddr>,
    rules: &UpstreamRules,
) -> Result<TcpStream, NoConnection> {
    let mut failure = NoConnection::Unresolved(io::ErrorKind::NotFound.into());
    for address in addresses {
        match connect_to(host, address, rules).await {
            Ok(stream) => return Ok(stream),
            Err(NoConnection::Forbidden(_)) if matches!(failure, NoConnection::Connect(..)) => {}
            Err(other) => failure = other,
        }
    }
    Err(failure)
}

async fn connect_to(
    host: &str,
    address: SocketAddr,
    rules: &UpstreamRules,
) -> Result<TcpStream, NoConnection> {
    rules
        .judge(host, address)
        .map_err(NoConnection::Forbidden)?;
    let failed = |error| NoConnection::Connect(address, error);
    let stream = TcpStream::connect(address).await.map_err(failed)?;
    stream.set_nodelay(true).map_err(failed)?;
    bound_unsent(&SockRef::from(&stream));
    Ok(stream)
}

#[cfg(test)]
mod tests;
