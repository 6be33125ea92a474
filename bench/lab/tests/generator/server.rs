//! A small server with responses defined by a test, valid or not.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// The server's address and the requests that it received.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<Received>>>,
}

/// A complete request.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) from: SocketAddr,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// The server's reaction to a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Sends these bytes.
    Send(String),
    /// Sends these bytes and closes the connection.
    SendAndClose(String),
    /// Sends nothing.
    Silence,
}

impl Server {
    /// Answers each request with the result of `reply`, called with the request's number from 0.
    pub(crate) fn start(reply: impl Fn(usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let server = Self {
            address,
            requests: Arc::default(),
        };
        let (kept, reply) = (server.clone(), Arc::new(reply));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (kept, reply) = (kept.clone(), Arc::clone(&reply));
                thread::spawn(move || kept.serve(stream.expect("a client"), &*reply));
            }
        });
        server
    }

    /// Returns the received requests in order.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.requests.lock().expect("nobody panicked").clone()
    }

    /// Serves a client until it disconnects.
    fn serve(&self, mut stream: TcpStream, reply: &dyn Fn(usize) -> Reply) -> Option<()> {
        let from = stream.peer_addr().ok()?;
        let mut input = Vec::new();
        loop {
            let (head, body) = request(&mut stream, &mut input)?;
            let number = {
                let mut requests = self.requests.lock().ok()?;
                requests.push(Received { from, head, body });
                requests.len() - 1
            };
            match reply(number) {
                Reply::Send(text) => stream.write_all(text.as_bytes()).ok()?,
                Reply::SendAndClose(text) => return stream.write_all(text.as_bytes()).ok(),
                Reply::Silence => {}
            }
        }
    }
}

/// Returns a response with this body.
pub(crate) fn answer(body: &str) -> Reply {
    Reply::Send(format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ))
}

/// Reads the next request, head and body; `None` once the client has disconnected.
fn request(stream: &mut TcpStream, input: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    let mut piece = vec![0; 64 * 1024];
    loop {
        let end = input
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .map(|at| at + 4);
        if let Some(end) = end {
            let head = String::from_utf8(input[..end].to_vec()).expect("text");
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("Content-Length: "));
            let length: usize = length.map_or(0, |length| length.parse().expect("a number"));
            if input.len() >= end + length {
                let body = input[end..end + length].to_vec();
                input.drain(..end + length);
                return Some((head, body));
            }
        }
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => input.extend_from_slice(&piece[..count]),
            _ => return None,
        }
    }
}
