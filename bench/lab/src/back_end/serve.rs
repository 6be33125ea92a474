//! The event loop of the back end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, ErrorKind, Read as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;

use crate::readiness::{Clock, Interest, Readiness, Ready, Stop, wake_in_time};
use crate::security;
use crate::wire::Malformed;

use self::accept::{client_by_token, listen, raise_open_files};
use super::answer::{Answers, whole};
use super::client::{Client, Output, Taken};
use super::count::Count;
use super::request::{Request, What};
use super::{BackEnd, Stall, soap};

mod accept;

const BUFFER_BYTES: usize = 256 * 1024;
/// Maximum size of pipelined input per client, in addition to one read.
const INPUT_BYTES_MAX: usize = 1024 * 1024;
/// Outside the range of client tokens, which consist of an index and a generation.
const LISTENER_TOKEN: u64 = u64::MAX;
const STOP_TOKEN: u64 = u64::MAX - 1;
const INPUT_TOKEN: u64 = u64::MAX - 2;
const SECURE_TOKEN: u64 = u64::MAX - 3;

/// A running back end.
pub(crate) struct Serving<'a> {
    set_up: &'a BackEnd,
    clock: Clock,
    readiness: Readiness,
    listener: TcpListener,
    secure: Option<Secured>,
    clients: Vec<Option<Client>>,
    free: Vec<u32>,
    accepted: u32,
    answers: Answers,
    /// Delayed responses: the due time and the client's token.
    delayed: BinaryHeap<Reverse<(u64, u64)>>,
    stall_ns: u64,
    count: Count,
    buffer: Vec<u8>,
}

/// The TLS listener and its configuration.
struct Secured {
    listener: TcpListener,
    config: Arc<ServerConfig>,
}

/// Why a client is disconnected.
#[derive(Debug)]
enum Disconnect {
    Malformed,
    Gone,
}

impl From<Malformed> for Disconnect {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

impl From<io::Error> for Disconnect {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

impl<'a> Serving<'a> {
    pub(crate) fn new(
        set_up: &'a BackEnd,
        stop: &Stop,
        ends_with_input: bool,
    ) -> anyhow::Result<Self> {
        raise_open_files();
        wake_in_time();
        let listener = listen(set_up.listen)?;
        let readiness = Readiness::new()?;
        readiness.watch(&listener, LISTENER_TOKEN, Interest::Read)?;
        let secure = match &set_up.secure {
            Some(secure) => Some(Secured {
                listener: listen(secure.listen)?,
                config: security::server(&secure.certificate, &secure.key)?,
            }),
            None => None,
        };
        if let Some(secure) = &secure {
            readiness.watch(&secure.listener, SECURE_TOKEN, Interest::Read)?;
        }
        readiness.watch(stop, STOP_TOKEN, Interest::Read)?;
        if ends_with_input {
            // A file or /dev/null cannot be watched, and never closes.
            let _ = readiness.watch(io::stdin(), INPUT_TOKEN, Interest::Read);
        }
        Ok(Self {
            set_up,
            clock: Clock::start(),
            readiness,
            listener,
            secure,
            clients: Vec::new(),
            free: Vec::new(),
            accepted: 0,
            answers: Answers::default(),
            delayed: BinaryHeap::new(),
            stall_ns: set_up
                .stall
                .map_or(u64::MAX, |stall| stall.every_ms * 1_000_000),
            count: Count::default(),
            buffer: vec![0; BUFFER_BYTES],
        })
    }

    pub(crate) fn run(
        mut self,
        announce: impl FnOnce(SocketAddr, Option<SocketAddr>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let secure = self.secure.as_ref().map(|it| it.listener.local_addr());
        announce(self.listener.local_addr()?, secure.transpose()?)?;
        loop {
            self.stall();
            self.send_due();
            let due_ns = self
                .delayed
                .peek()
                .map_or(u64::MAX, |Reverse((due_ns, _))| *due_ns);
            let now_ns = self.clock.now_ns();
            // Wait an hour if nothing is due.
            let time_ns = due_ns
                .min(self.stall_ns)
                .saturating_sub(now_ns)
                .min(3_600_000_000_000);
            for number in 0..self.readiness.wait(time_ns)? {
                let ready = self.readiness.ready(number);
                match ready.token {
                    LISTENER_TOKEN | SECURE_TOKEN => self.accept(ready.token),
                    STOP_TOKEN => return Ok(()),
                    INPUT_TOKEN if is_input_over() => return Ok(()),
                    INPUT_TOKEN => {}
                    _ => self.ready(ready),
                }
            }
        }
    }

    fn stall(&mut self) {
        if let Some(Stall { every_ms, lasts_ms }) = self.set_up.stall
            && self.clock.now_ns() >= self.stall_ns
        {
            std::thread::sleep(Duration::from_millis(lasts_ms));
            self.stall_ns += every_ms * 1_000_000;
        }
    }

    /// Sends the responses that are due.
    fn send_due(&mut self) {
        while let Some(&Reverse((due_ns, token))) = self.delayed.peek() {
            let now_ns = self.clock.now_ns();
            if due_ns > now_ns {
                return;
            }
            self.delayed.pop();
            let Some(client) = client_by_token(&mut self.clients, token) else {
                continue;
            };
            if let Some(output) = client.later.take() {
                let sent = self.send(token, output).and_then(|()| self.resume(token));
                self.disconnect_on_error(token, sent);
            }
        }
    }

    fn ready(&mut self, ready: Ready) {
        let Some(client) = client_by_token(&mut self.clients, ready.token) else {
            return;
        };
        let result = match client.is_sending() {
            true if ready.writes => self.flush(ready.token),
            false if ready.reads => self.receive(ready.token),
            _ => Ok(()),
        };
        self.disconnect_on_error(ready.token, result);
    }

    /// Continues to send once a client's socket is writable.
    fn flush(&mut self, token: u64) -> Result<(), Disconnect> {
        let Some(client) = client_by_token(&mut self.clients, token) else {
            return Ok(());
        };
        if !client.flush()? {
            return Ok(());
        }
        if client.is_last() {
            return Err(Disconnect::Gone);
        }
        self.readiness
            .change(client.stream.socket(), token, Interest::Read)?;
        self.resume(token)
    }

    fn receive(&mut self, token: u64) -> Result<(), Disconnect> {
        let Some(client) = client_by_token(&mut self.clients, token) else {
            return Ok(());
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = client.stream.read(&mut buffer, true);
        // A handshake may have bytes to send, whatever the read returned.
        let result = self.send_pending(token).and_then(|()| match read {
            Ok(0) => Err(Disconnect::Gone),
            Ok(count) => self.process(token, &buffer[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error.into()),
        });
        self.buffer = buffer;
        result
    }

    /// Processes received bytes, or buffers them while a response is pending.
    fn process(&mut self, token: u64, piece: &[u8]) -> Result<(), Disconnect> {
        let Some(client) = client_by_token(&mut self.clients, token) else {
            return Ok(());
        };
        if client.input.is_empty() && !client.is_busy() {
            return self.process_requests(token, piece);
        }
        if client.input.len() > INPUT_BYTES_MAX {
            return Err(Disconnect::Malformed);
        }
        client.input.extend_from_slice(piece);
        self.resume(token)
    }

    /// Processes the bytes buffered while a response was pending.
    fn resume(&mut self, token: u64) -> Result<(), Disconnect> {
        match client_by_token(&mut self.clients, token) {
            Some(client) if !client.is_busy() && !client.input.is_empty() => {
                let input = std::mem::take(&mut client.input);
                self.process_requests(token, &input)
            }
            _ => Ok(()),
        }
    }

    /// Parses requests from `piece` and answers them; buffers the rest.
    fn process_requests(&mut self, token: u64, piece: &[u8]) -> Result<(), Disconnect> {
        let mut at = 0;
        while at < piece.len() {
            let Some(client) = client_by_token(&mut self.clients, token) else {
                return Ok(());
            };
            if client.is_busy() {
                break;
            }
            let (taken, count) = client.take(&piece[at..])?;
            at += count;
            match taken {
                Taken::Whole => self.answer(token)?,
                Taken::Continue => {
                    self.send(
                        token,
                        Output::Own(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec()),
                    )?;
                }
                Taken::More if count == 0 => break,
                Taken::More => {}
            }
        }
        if let Some(client) = client_by_token(&mut self.clients, token) {
            client.input.extend_from_slice(&piece[at..]);
        }
        Ok(())
    }

    /// Answers the complete request, or schedules its response.
    fn answer(&mut self, token: u64) -> Result<(), Disconnect> {
        let Some(client) = client_by_token(&mut self.clients, token) else {
            return Ok(());
        };
        let Some(request) = client.request.take() else {
            return Ok(());
        };
        let output = match request.what {
            What::Bytes(count) => Output::Shared(self.answers.of_bytes(count)),
            What::Echo => Output::Own(whole("200 OK", &client.body)),
            What::Soap => Output::Own(soap::answer(&client.body)),
            What::Count => Output::Own(whole("200 OK", self.count.json().as_bytes())),
            What::Nothing => Output::Own(whole("404 Not Found", b"{}")),
        };
        let output = if request.is_head {
            output.without_body()
        } else {
            output
        };
        if !request.is_counted() {
            return self.send(token, output);
        }
        self.count.note(client.body_bytes, output.body_bytes());
        let delay_us = self.delay_us(request);
        if delay_us == 0 {
            return self.send(token, output);
        }
        let now_ns = self.clock.now_ns();
        if let Some(client) = client_by_token(&mut self.clients, token) {
            client.later = Some(output);
            self.delayed
                .push(Reverse((now_ns + delay_us * 1000, token)));
        }
        Ok(())
    }

    fn delay_us(&self, request: Request) -> u64 {
        let listed_us = match self.set_up.delays_us.len() as u64 {
            0 => 0,
            count => self.set_up.delays_us[((self.count.requests - 1) % count) as usize],
        };
        listed_us + request.delay_ms * 1000
    }

    fn send(&mut self, token: u64, output: Output) -> Result<(), Disconnect> {
        let Some(client) = client_by_token(&mut self.clients, token) else {
            return Ok(());
        };
        client.begin_to_send(output);
        self.send_pending(token)
    }

    /// Sends pending bytes; waits for the socket to become writable if some remain.
    fn send_pending(&mut self, token: u64) -> Result<(), Disconnect> {
        let Some(client) = client_by_token(&mut self.clients, token) else {
            return Ok(());
        };
        let is_answer = client.is_answering();
        if !client.flush()? {
            self.readiness
                .change(client.stream.socket(), token, Interest::Write)?;
        } else if is_answer && client.is_last() {
            return Err(Disconnect::Gone);
        }
        Ok(())
    }

    /// Disconnects a client after an error.
    fn disconnect_on_error(&mut self, token: u64, result: Result<(), Disconnect>) {
        let Err(reason) = result else {
            return;
        };
        let index = token as u32;
        if let Some(mut client) = self.clients[index as usize].take() {
            if let Disconnect::Malformed = reason {
                // The client may no longer read; errors do not matter.
                client.begin_to_send(Output::Own(whole("400 Bad Request", b"{}")));
                let _ = client.flush();
            }
            client.stream.end();
            self.free.push(index);
        }
    }
}

fn is_input_over() -> bool {
    let mut bytes = [0; 512];
    !matches!(io::stdin().read(&mut bytes), Ok(count) if count > 0)
}
