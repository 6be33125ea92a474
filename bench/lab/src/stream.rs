//! The byte stream of a connection, plain or inside TLS: the generator's to a server, and the back
//! end's to a client. Nothing here blocks: operations that cannot complete return `WouldBlock`.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::{ClientConnection, Connection, HandshakeKind, ServerConfig, ServerConnection};

use crate::readiness::Interest;
use crate::security::Security;

/// A socket, with a TLS session if TLS is used.
#[derive(Debug)]
pub(crate) struct Stream {
    socket: TcpStream,
    session: Option<Box<Connection>>,
}

impl Stream {
    /// Creates a stream to a server, over a socket that is not connected yet.
    pub(crate) fn to_server(socket: TcpStream, security: Option<&Security>) -> io::Result<Self> {
        let session = security.map(|security| {
            let config = Arc::clone(&security.config);
            ClientConnection::new(config, security.name.clone()).map(Connection::Client)
        });
        Self::new(socket, session.transpose())
    }

    /// Creates a stream to an accepted client.
    pub(crate) fn to_client(
        socket: TcpStream,
        config: Option<&Arc<ServerConfig>>,
    ) -> io::Result<Self> {
        let session = config.map(|config| ServerConnection::new(Arc::clone(config)));
        Self::new(
            socket,
            session.transpose().map(|it| it.map(Connection::Server)),
        )
    }

    fn new(
        socket: TcpStream,
        session: Result<Option<Connection>, rustls::Error>,
    ) -> io::Result<Self> {
        let mut session = session.map_err(io::Error::other)?;
        if let Some(session) = &mut session {
            // It never buffers more than one message.
            session.set_buffer_limit(None);
        }
        Ok(Self {
            socket,
            session: session.map(Box::new),
        })
    }

    pub(crate) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Continues connecting and the TLS handshake; returns what to wait for, or `None` once it is
    /// open.
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
                // The alert may still be sent.
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

    /// Returns the kind of TLS handshake; `None` without TLS.
    pub(crate) fn handshake(&self) -> Option<HandshakeKind> {
        self.session.as_ref()?.handshake_kind()
    }

    /// Writes bytes; with TLS they are buffered until [`Self::flush`].
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

    /// Reads available bytes. With TLS only the first of several consecutive reads reads from the
    /// socket.
    pub(crate) fn read(&mut self, buffer: &mut [u8], is_first: bool) -> io::Result<usize> {
        let Some(session) = &mut self.session else {
            return self.socket.read(buffer);
        };
        if !is_first {
            return session.reader().read(buffer);
        }
        // The plaintext is never longer, except for a record that was partly received before.
        let (plain, wire) = buffer.split_at_mut(buffer.len() / 3 * 2);
        let received = self.socket.read(wire)?;
        let count = decrypt(session, &wire[..received], plain);
        if matches!(&count, Err(error) if error.kind() == ErrorKind::InvalidData) {
            // The alert may still be sent.
            let _ = session.write_tls(&mut self.socket);
        }
        match count? {
            0 => session.reader().read(plain),
            count => Ok(count),
        }
    }

    /// Whether there may be buffered bytes that the socket does not report.
    pub(crate) fn holds_back(&self) -> bool {
        self.session.is_some()
    }

    /// Sends `close_notify` (RFC 8446, section 6.1) if possible.
    pub(crate) fn end(&mut self) {
        if let Some(session) = &mut self.session {
            session.send_close_notify();
            // On failure the peer just sees the closed socket.
            let _ = session.write_tls(&mut self.socket);
        }
    }
}

/// Decrypts bytes from a socket, where an empty slice is its end; returns the length of the
/// plaintext.
fn decrypt(session: &mut Connection, mut wire: &[u8], plain: &mut [u8]) -> io::Result<usize> {
    let (mut count, is_end) = (0, wire.is_empty());
    while is_end || !wire.is_empty() {
        session.read_tls(&mut wire)?;
        let state = session.process_new_packets();
        let state = state.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        if state.plaintext_bytes_to_read() > 0 {
            count += session.reader().read(&mut plain[count..])?;
        }
        if is_end || state.peer_has_closed() {
            break;
        }
    }
    Ok(count)
}
