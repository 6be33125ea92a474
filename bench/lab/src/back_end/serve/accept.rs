//! Accepting clients and assigning their tokens.

use std::io;
use std::net::{SocketAddr, TcpListener};

use anyhow::Context as _;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use socket2::{Domain, Socket, Type};

use crate::readiness::Interest;
use crate::stream::Stream;

use super::super::client::Client;
use super::{SECURE_TOKEN, Serving};

const BACKLOG: i32 = 4096;
/// Maximum number of concurrent clients.
const CLIENTS_MAX: usize = 100_000;

impl Serving<'_> {
    pub(super) fn accept(&mut self, listener: u64) {
        loop {
            let secure = self.secure.as_ref().filter(|_| listener == SECURE_TOKEN);
            let listener = secure.map_or(&self.listener, |it| &it.listener);
            let Ok((stream, _)) = listener.accept() else {
                return;
            };
            let _ = stream.set_nodelay(true);
            let is_ready = stream.set_nonblocking(true).is_ok();
            let Ok(stream) = Stream::to_client(stream, secure.map(|it| &it.config)) else {
                continue;
            };
            if !is_ready || self.clients.len() - self.free.len() >= CLIENTS_MAX {
                continue;
            }
            let index = self.free.pop().unwrap_or_else(|| {
                self.clients.push(None);
                (self.clients.len() - 1) as u32
            });
            // 31 bits are enough for the generation; the fixed tokens use the other half of the
            // range.
            self.accepted = (self.accepted + 1) & (u32::MAX >> 1);
            let token = u64::from(self.accepted) << 32 | u64::from(index);
            let watched = self.readiness.watch(stream.socket(), token, Interest::Read);
            if watched.is_ok() {
                self.clients[index as usize] = Some(Client::new(stream, token));
            } else {
                self.free.push(index);
            }
        }
    }
}

/// Returns the client with a token, unless it has disconnected.
pub(super) fn client_by_token(clients: &mut [Option<Client>], token: u64) -> Option<&mut Client> {
    let client = clients.get_mut(token as u32 as usize)?.as_mut()?;
    (client.token == token).then_some(client)
}

/// Listens on an address.
///
/// # Errors
/// Fails if the address cannot be bound; the error names it.
pub(super) fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    bound(address).with_context(|| format!("cannot listen on {address}"))
}

fn bound(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// Raises the limit of open files to its maximum: each client needs one.
pub(super) fn raise_open_files() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    // If the system refuses, the present limit may still be enough.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    );
}
