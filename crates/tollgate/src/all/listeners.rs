//! The listeners: the control plane's sockets, and the certificates of both planes.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use tokio::net::TcpSocket;
use tokio::task::JoinHandle;
use tollgate_control::{Clock, Listener};
use tollgate_gateway::{Addresses, HttpsListener};

use crate::certificates::{Certificates, make};
use crate::process::CannotListen;
use crate::settings::Settings;
use crate::settings::value::{Listen, OptionalPath};

/// Maximum number of connections to a listener that wait to be accepted.
pub(super) const BACKLOG: u32 = 1_024;

/// The certificates of both planes, shared if both use the same folder.
pub(super) struct Secured {
    control: Option<Arc<Certificates>>,
    gateway: Option<Arc<Certificates>>,
}

impl Secured {
    /// Reads the folders of the planes that listen on HTTPS.
    ///
    /// # Errors
    /// Fails if a folder has no certificate or an invalid one: one sentence.
    pub(super) fn open(settings: &Settings) -> anyhow::Result<Self> {
        let folder_of = |written: &OptionalPath| {
            let written = written.0.clone();
            written.unwrap_or_else(|| make::folder(&settings.process.data))
        };
        let control = folder_of(&settings.control.certificates);
        let gateway = folder_of(&settings.gateway.certificates);
        let open = |listen: Listen, folder: &Path| {
            let opened = listen.0.map(|_| Certificates::open(folder));
            opened.transpose()
        };
        let of_control = open(settings.control.https_listen, &control)?;
        let of_gateway = match &of_control {
            Some(shared) if control == gateway && settings.gateway.https_listen.0.is_some() => {
                Some(Arc::clone(shared))
            }
            _ => open(settings.gateway.https_listen, &gateway)?,
        };
        Ok(Self {
            control: of_control,
            gateway: of_gateway,
        })
    }

    /// Returns each folder once.
    pub(super) fn folders(&self) -> Vec<Arc<Certificates>> {
        let mut folders: Vec<_> = self.control.iter().chain(&self.gateway).cloned().collect();
        folders.dedup_by(|one, other| Arc::ptr_eq(one, other));
        folders
    }

    /// Returns the folder of each plane that listens on HTTPS.
    pub(super) fn by_plane(&self) -> impl Iterator<Item = (&'static str, &Certificates)> {
        let planes = [("control", &self.control), ("gateway", &self.gateway)];
        let folders = planes.into_iter();
        folders.filter_map(|(plane, folder)| Some((plane, &**folder.as_ref()?)))
    }

    /// Starts a task for each folder that reloads changed certificates.
    pub(super) fn watch(&self) -> Vec<JoinHandle<()>> {
        let watch =
            |folder: Arc<Certificates>| tokio::spawn(folder.watch(|| Clock::System.now_us()));
        self.folders().into_iter().map(watch).collect()
    }

    /// Returns the gateway's HTTPS listener, if configured.
    pub(super) fn gateway(&self, listen: Listen) -> anyhow::Result<Option<HttpsListener>> {
        let (Some(certificates), Listen(Some(address))) = (&self.gateway, listen) else {
            return Ok(None);
        };
        let tls = certificates.config()?;
        Ok(Some(HttpsListener { address, tls }))
    }
}

/// The control plane's sockets; connections are refused until they listen.
pub(super) struct ControlSockets {
    http: Option<TcpSocket>,
    https: Option<(TcpSocket, Arc<ServerConfig>)>,
    pub(super) addresses: Addresses,
}

impl ControlSockets {
    pub(super) fn reserve(settings: &Settings, secured: &Secured) -> anyhow::Result<Self> {
        let control = &settings.control;
        let http = control.listen.0.map(|it| reserve("control.listen", it));
        let http = http.transpose()?;
        let https = control.https_listen.0;
        let https = https.map(|it| reserve("control.https_listen", it));
        let tls = secured.control.as_ref().map(Certificates::config);
        let https = https.transpose()?.zip(tls.transpose()?);
        let local = |socket: &TcpSocket| socket.local_addr();
        Ok(Self {
            addresses: Addresses {
                http: http.as_ref().map(local).transpose()?,
                https: https.as_ref().map(|(it, _)| local(it)).transpose()?,
            },
            http,
            https,
        })
    }

    pub(super) fn listen(self) -> Result<Vec<Listener>, CannotListen> {
        let Addresses { http, https } = self.addresses;
        let sockets = self.http.map(|socket| (socket, None));
        let sockets = sockets
            .into_iter()
            .zip(http.map(|at| ("control.listen", at)));
        let secured = self.https.map(|(socket, tls)| (socket, Some(tls)));
        let secured = secured
            .into_iter()
            .zip(https.map(|at| ("control.https_listen", at)));
        let listen = |((socket, tls), (setting, address)): ((TcpSocket, _), _)| {
            let tcp = socket.listen(BACKLOG);
            let tcp = tcp.map_err(|source| CannotListen {
                setting,
                address,
                source,
            })?;
            Ok(Listener::new(tcp, tls))
        };
        sockets.chain(secured).map(listen).collect()
    }
}

/// Returns the certificate of this machine's own authority, if the gateway uses the default folder.
pub(super) fn own_authority(settings: &Settings) -> Option<PathBuf> {
    let is_default = settings.gateway.certificates.0.is_none();
    let authority = make::authority(&settings.process.data);
    authority.canonicalize().ok().filter(|_| is_default)
}

/// The addresses of both planes.
pub(super) struct Places {
    pub(super) control: Addresses,
    pub(super) gateway: Addresses,
}

/// Creates a socket that is bound to an address.
pub(super) fn reserve(
    setting: &'static str,
    address: SocketAddr,
) -> Result<TcpSocket, CannotListen> {
    let reserve = || -> io::Result<TcpSocket> {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(socket)
    };
    reserve().map_err(|source| CannotListen {
        setting,
        address,
        source,
    })
}
