//! The bytes of a connection, as they are or inside TLS. Nothing here waits: what cannot be done
//! at once is `WouldBlock`.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use crate::load::Tls;
use crate::readiness::Interest;

/// Whom to trust and whom to expect, ready for use.
#[derive(Debug)]
pub(crate) struct Security {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

/// A socket, and a session of TLS where the server speaks it.
#[derive(Debug)]
pub(crate) struct Stream {
    socket: TcpStream,
    session: Option<Box<ClientConnection>>,
}

impl Security {
    pub(crate) fn of(tls: &Tls) -> anyhow::Result<Self> {
        let path = tls.trusted.display();
        let certificates = CertificateDer::pem_file_iter(&tls.trusted);
        let certificates = certificates.with_context(|| format!("cannot read {path}"))?;
        let mut trusted = RootCertStore::empty();
        for certificate in certificates {
            let certificate = certificate.with_context(|| format!("{path} is not PEM"))?;
            trusted
                .add(certificate)
                .with_context(|| format!("{path} cannot be trusted"))?;
        }
        ensure!(!trusted.is_empty(), "{path} holds no certificate");
        let mut config = ClientConfig::builder_with_provider(aws_lc_rs::default_provider().into())
            .with_safe_default_protocol_versions()?
            .with_root_certificates(trusted)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let name = ServerName::try_from(tls.server_name.clone());
        let name = name.with_context(|| format!("{:?} is no server's name", tls.server_name))?;
        Ok(Self {
            config: config.into(),
            name,
        })
    }
}

impl Stream {
    /// A stream over a socket that is not connected yet.
    pub(crate) fn new(socket: TcpStream, security: Option<&Security>) -> io::Result<Self> {
        let session = match security {
            Some(security) => {
                let config = Arc::clone(&security.config);
                let session = ClientConnection::new(config, security.name.clone());
                let mut session = session.map_err(io::Error::other)?;
                // There is never more in it than one request.
                session.set_buffer_limit(None);
                Some(session.into())
            }
            None => None,
        };
        Ok(Self { socket, session })
    }

    pub(crate) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Connects and shakes hands as far as it goes; says what to wait for, if it is not open.
    pub(crate) fn opens(&mut self) -> io::Result<Option<Interest>> {
        if let Some(error) = self.socket.take_error()? {
            return Err(error);
        }
        let Some(session) = &mut self.session else {
            return Ok(None);
        };
        loop {
            let went = if session.wants_write() {
                session.write_tls(&mut self.socket)
            } else if session.is_handshaking() {
                session.read_tls(&mut self.socket)
            } else {
                return Ok(None);
            };
            match went {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
            if let Err(error) = session.process_new_packets() {
                // The alert may still go out.
                let _ = session.write_tls(&mut self.socket);
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        }
        Ok(Some(if session.wants_write() {
            Interest::Write
        } else {
            Interest::Read
        }))
    }

    /// Takes bytes to be sent; with TLS they wait for [`Self::flush`].
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.session {
            Some(session) => session.writer().write(bytes),
            None => self.socket.write(bytes),
        }
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if let Some(session) = &mut self.session {
            session.write_tls(&mut self.socket)?;
        }
        Ok(())
    }

    pub(crate) fn is_flushed(&self) -> bool {
        self.session
            .as_ref()
            .is_none_or(|session| !session.wants_write())
    }

    /// Reads what there is. With TLS only the first of several reads in a row asks the socket.
    pub(crate) fn read(&mut self, buffer: &mut [u8], is_first: bool) -> io::Result<usize> {
        let Some(session) = &mut self.session else {
            return self.socket.read(buffer);
        };
        if is_first {
            session.read_tls(&mut self.socket)?;
            if let Err(error) = session.process_new_packets() {
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        }
        session.reader().read(buffer)
    }

    /// Whether there may be bytes to read that the socket does not tell of.
    pub(crate) fn holds_back(&self) -> bool {
        self.session.is_some()
    }
}
