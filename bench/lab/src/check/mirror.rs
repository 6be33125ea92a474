//! A back end that answers each call with the head and the body it received. Meant for a few
//! concurrent calls; rates are measured with the lab's own back end.

use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::machine;

/// First line of each response.
const MARK: &str = "this is what reached the back end";
/// A larger head or body closes the connection.
const BYTES_MAX: u64 = 65_536;

/// A server that listens until it is dropped.
#[derive(Debug)]
pub(super) struct Mirror {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
}

impl Mirror {
    /// Listens on the address at which `caller` reaches this machine.
    pub(super) fn start(caller: IpAddr) -> io::Result<Self> {
        let listener = TcpListener::bind((machine::address_towards(caller)?, 0))?;
        let mirror = Self {
            address: listener.local_addr()?,
            is_over: Arc::default(),
        };
        let is_over = Arc::clone(&mirror.is_over);
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                // The caller notices a broken connection itself.
                thread::spawn(|| drop(serve(connection)));
            }
        });
        Ok(mirror)
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wakes the accepting thread.
        drop(TcpStream::connect(self.address));
    }
}

/// Answers each request on a connection until the peer closes it.
fn serve(connection: TcpStream) -> io::Result<()> {
    let mut answers = connection.try_clone()?;
    let mut requests = BufReader::new(connection);
    loop {
        let mut head = String::new();
        let mut bounded = (&mut requests).take(BYTES_MAX);
        while !head.ends_with("\r\n\r\n") {
            if bounded.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let body = body(&head, &mut requests)?;
        let length = MARK.len() + 2 + head.len() + body.len();
        let own = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n\
             {MARK}\r\n{head}"
        );
        answers.write_all(&[own.as_bytes(), &body].concat())?;
    }
}

/// Reads the body of a request, by length or in chunks without trailers.
fn body(head: &str, from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let is_chunked = field(head, "transfer-encoding").is_some();
    let mut left = match field(head, "content-length") {
        Some(length) if !is_chunked => number(length, 10)?,
        _ => 0,
    };
    loop {
        if is_chunked {
            let mut line = String::new();
            from.take(BYTES_MAX).read_line(&mut line)?;
            left = number(&line, 16)?;
        }
        let is_last = !is_chunked || left == 0;
        let total = left + body.len() as u64;
        if total > BYTES_MAX || from.take(left).read_to_end(&mut body)? as u64 != left {
            return Err(io::Error::other("the body is too long or too short"));
        }
        if is_chunked {
            // The line end after a chunk, or the empty line after the last chunk.
            from.read_line(&mut String::new())?;
        }
        if is_last {
            return Ok(body);
        }
    }
}

fn number(text: &str, radix: u32) -> io::Result<u64> {
    u64::from_str_radix(text.trim(), radix).map_err(io::Error::other)
}

/// Whether a body comes from a mirror.
pub(super) fn is_its(body: &str) -> bool {
    body.starts_with(MARK)
}

/// Returns a field of a head, or of the head in a mirror's response.
pub(super) fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let fields = head.lines().filter_map(|line| line.split_once(':'));
    let mut found = fields.filter(|(field, _)| field.eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.trim())
}
