//! The socket of `watch.listen`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpSocket;
use tokio::task::JoinHandle;
use tollgate_control::{AnswerObserver, WatchListener};
use tollgate_watch::{Scrapes, Source, exposure_warning};

use crate::all::listeners::{BACKLOG, Places, reserve};
use crate::process::CannotListen;
use crate::settings::Settings;
use crate::settings::value::Listen;

const WATCH_LISTEN: &str = "watch.listen";

/// The listener of metrics, as the rest of the process knows it.
#[derive(Debug, Clone)]
pub(in crate::all) struct Watching {
    pub(in crate::all) address: SocketAddr,
    pub(in crate::all) scrapes: Scrapes,
}

impl Watching {
    /// Returns the listener as the control plane knows it.
    pub(in crate::all) fn listener(&self, observer: Arc<dyn AnswerObserver>) -> WatchListener {
        let scrapes = self.scrapes.clone();
        WatchListener {
            address: self.address,
            last_scrape_us: Box::new(move || scrapes.last_us()),
            observer,
        }
    }
}

/// The socket of `watch.listen`; connections are refused until it listens.
pub(in crate::all) struct WatchSocket {
    socket: TcpSocket,
    pub(in crate::all) watching: Watching,
}

impl WatchSocket {
    /// Reserves the address, if there is one.
    ///
    /// # Errors
    /// Fails if the address is in use, also by a listener of these `places`, or not local.
    pub(in crate::all) fn reserve(
        settings: &Settings,
        places: &Places,
    ) -> anyhow::Result<Option<Self>> {
        let Listen(Some(address)) = settings.watch.listen else {
            return Ok(None);
        };
        let mut others = places.control.iter().chain(places.gateway.iter());
        if others.any(|other| overlaps(other, address)) {
            return Err(CannotListen {
                setting: WATCH_LISTEN,
                address,
                source: io::ErrorKind::AddrInUse.into(),
            }
            .into());
        }
        let socket = reserve(WATCH_LISTEN, address)?;
        let address = socket.local_addr()?;
        if let Some(warning) = exposure_warning(address) {
            tracing::warn!("{warning}");
        }
        let scrapes = Scrapes::default();
        let watching = Watching { address, scrapes };
        Ok(Some(Self { socket, watching }))
    }

    /// Listens, and starts a task that serves.
    ///
    /// # Errors
    /// Fails if the socket cannot listen.
    pub(in crate::all) fn serve(self, source: impl Source) -> Result<JoinHandle<()>, CannotListen> {
        let Watching { address, scrapes } = self.watching;
        let listener = self.socket.listen(BACKLOG).map_err(|source| CannotListen {
            setting: WATCH_LISTEN,
            address,
            source,
        })?;
        let serving = tollgate_watch::serve(listener, source, scrapes);
        Ok(tokio::spawn(serving))
    }
}

/// Whether two listeners cannot have these addresses.
fn overlaps(one: SocketAddr, other: SocketAddr) -> bool {
    let is_everywhere = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() == other.port() && (is_everywhere || one.ip() == other.ip())
}
