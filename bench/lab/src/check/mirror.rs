//! A back end that answers each call with the head that reached it. It is made for a few calls at
//! once; rates are measured with the lab's own back end.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// First line of each answer.
const MARK: &str = "this is what reached the back end";
/// A head that is larger ends its connection.
const HEAD_BYTES_MAX: u64 = 65_536;

/// Listens until it is dropped.
#[derive(Debug)]
pub(super) struct Mirror {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
}

impl Mirror {
    pub(super) fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
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
                // A connection that breaks is the caller's to notice.
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
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
    }
}

/// Answers each head on a connection until its peer closes it.
fn serve(connection: TcpStream) -> io::Result<()> {
    let mut answers = connection.try_clone()?;
    let mut requests = BufReader::new(connection);
    loop {
        let mut head = String::new();
        let mut bounded = (&mut requests).take(HEAD_BYTES_MAX);
        while !head.ends_with("\r\n\r\n") {
            if bounded.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let length = MARK.len() + 2 + head.len();
        answers.write_all(
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n\
                 {MARK}\r\n{head}"
            )
            .as_bytes(),
        )?;
    }
}

/// Whether a body is an answer of a mirror.
pub(super) fn is_its(body: &str) -> bool {
    body.starts_with(MARK)
}

/// A field of the head that a mirror's answer holds.
pub(super) fn field<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    let fields = body.lines().filter_map(|line| line.split_once(':'));
    let mut found = fields.filter(|(field, _)| field.eq_ignore_ascii_case(name));
    found.next().map(|(_, value)| value.trim())
}
