//! One connection: opened from an address in turn, then one request and response at a time. Its
//! neighbour `drive` decides what events mean for the load.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr};

use rustix::io::Errno;
use rustls::HandshakeKind;
use socket2::{Domain, Protocol, Socket, Type};

use crate::readiness::{Interest, Readiness};
use crate::security::Security;
use crate::stream::Stream;

use super::answer::{Answer, End, Progress};
use super::tally::Times;

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Closed,
    Opening,
    /// Open, with no request in flight.
    Idle,
    UnderWay,
}

/// The result of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Came {
    /// The response is incomplete.
    More,
    /// The response is complete.
    Whole,
    /// The response is not valid HTTP/1.1.
    Malformed,
    /// The peer closed the connection.
    Closed(End),
}

/// The destination of connections.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) to: SocketAddr,
    /// TLS configuration, if the server uses TLS.
    pub(crate) security: Option<Security>,
}

/// A connection and its current request.
#[derive(Debug)]
pub(crate) struct Connection {
    index: u32,
    /// How often it was opened: distinguishes late events of a closed socket from new ones.
    generation: u32,
    stream: Option<Stream>,
    interest: Interest,
    pub(crate) state: State,
    /// When the connection attempt or the request began.
    pub(crate) since_ns: u64,
    pub(crate) times: Times,
    pub(crate) answer: Answer,
    /// The number of the current request.
    pub(crate) number: u64,
    /// Number of its bytes sent.
    sent: usize,
    /// Failures since the last success.
    pub(crate) failures: u32,
    /// Whether a request was answered since it was opened.
    pub(crate) is_proven: bool,
}

impl Connection {
    pub(crate) fn new(index: u32) -> Self {
        Self {
            index,
            generation: 0,
            stream: None,
            interest: Interest::Write,
            state: State::Closed,
            since_ns: 0,
            times: Times::default(),
            answer: Answer::default(),
            number: 0,
            sent: 0,
            failures: 0,
            is_proven: false,
        }
    }

    /// Returns the token of its socket's events.
    fn token(&self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// Whether an event belongs to its current socket.
    pub(crate) fn is_marked(&self, token: u64) -> bool {
        self.token() == token && self.stream.is_some()
    }

    /// Starts to open it.
    pub(crate) fn open(
        &mut self,
        way: &Way,
        from: Option<Ipv4Addr>,
        readiness: &Readiness,
        now_ns: u64,
    ) -> io::Result<()> {
        let to = way.to;
        let socket = Socket::new(Domain::for_address(to), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_nonblocking(true)?;
        socket.set_tcp_nodelay(true)?;
        if let Some(from) = from {
            // Without it, ports of closed connections are blocked for a minute.
            socket.set_reuse_address(true)?;
            socket.bind(&SocketAddr::from((from, 0)).into())?;
        }
        match socket.connect(&to.into()) {
            Err(error) if error.raw_os_error() != Some(Errno::INPROGRESS.raw_os_error()) => {
                return Err(error);
            }
            _ => {}
        }
        self.generation = self.generation.wrapping_add(1);
        self.interest = Interest::Write;
        readiness.watch(&socket, self.token(), self.interest)?;
        self.stream = Some(Stream::to_server(socket.into(), way.security.as_ref())?);
        self.state = State::Opening;
        self.since_ns = now_ns;
        self.is_proven = false;
        Ok(())
    }

    /// Continues to open it; returns whether it is open.
    pub(crate) fn opens(&mut self, readiness: &Readiness) -> io::Result<bool> {
        let stream = self.stream.as_mut().ok_or(ErrorKind::NotConnected)?;
        let awaited = stream.opens()?;
        if awaited.is_none() {
            self.state = State::Idle;
        }
        self.watch(awaited.unwrap_or(Interest::Read), readiness)?;
        Ok(awaited.is_none())
    }

    /// Returns the kind of TLS handshake, if TLS is used.
    pub(crate) fn handshake(&self) -> Option<HandshakeKind> {
        self.stream.as_ref()?.handshake()
    }

    pub(crate) fn close(&mut self) {
        if let Some(mut stream) = self.stream.take() {
            stream.end();
        }
        self.state = State::Closed;
        self.answer.reset();
    }

    /// Begins a request; [`Self::send`] sends its bytes.
    pub(crate) fn begin(&mut self, number: u64, times: Times) {
        self.state = State::UnderWay;
        (self.number, self.times, self.since_ns, self.sent) = (number, times, times.sent_ns, 0);
        self.answer.reset();
    }

    /// Sends as much of the request as possible; returns the number of bytes.
    pub(crate) fn send(&mut self, request: &[u8], readiness: &Readiness) -> io::Result<usize> {
        let stream = self.stream.as_mut().ok_or(ErrorKind::NotConnected)?;
        let before = self.sent;
        let wanted = loop {
            let went = match &request[self.sent..] {
                [] if stream.is_flushed() => break Interest::Read,
                [] => stream.flush(),
                rest => stream.write(rest).map(|count| self.sent += count),
            };
            match went.map_err(|error| (error.kind(), error)) {
                Ok(()) | Err((ErrorKind::Interrupted, _)) => {}
                Err((ErrorKind::WouldBlock, _)) => break Interest::Both,
                Err((_, error)) => return Err(error),
            }
        };
        let count = self.sent - before;
        self.watch(wanted, readiness)?;
        Ok(count)
    }

    /// Whether part of the request is unsent.
    pub(crate) fn is_sending(&self) -> bool {
        self.interest == Interest::Both
    }

    /// Reads once from the socket; returns the result and the number of bytes.
    pub(crate) fn receive(&mut self, buffer: &mut [u8], is_bodiless: bool) -> (Came, usize) {
        let (mut came, mut count) = (Came::More, 0);
        loop {
            let Some(stream) = &mut self.stream else {
                return (Came::Closed(End::Nothing), count);
            };
            match stream.read(buffer, count == 0) {
                // Bytes after the end of a response belong to no request.
                Ok(1..) if came == Came::Whole => return (Came::Malformed, count),
                Ok(0) if came == Came::Whole => self.answer.closes = true,
                Ok(0) => return (Came::Closed(self.answer.end()), count),
                Ok(more) => {
                    came = self.takes(&buffer[..more], is_bodiless);
                    count += more;
                    if self.stream.as_ref().is_some_and(Stream::holds_back)
                        && came != Came::Malformed
                    {
                        continue;
                    }
                }
                Err(error) => return (self.broken(came, error.kind()), count),
            }
            return (came, count);
        }
    }

    /// Returns the result of a failed read, given that of the reads before it.
    fn broken(&mut self, came: Came, kind: ErrorKind) -> Came {
        match (kind, came) {
            (ErrorKind::WouldBlock | ErrorKind::Interrupted, _) => came,
            (_, Came::Whole) => {
                self.answer.closes = true;
                Came::Whole
            }
            (ErrorKind::InvalidData, _) => Came::Malformed,
            // A reset never ends a response properly.
            _ if self.answer.end() == End::Nothing => Came::Closed(End::Nothing),
            _ => Came::Closed(End::Short),
        }
    }

    fn takes(&mut self, piece: &[u8], is_bodiless: bool) -> Came {
        if self.state != State::UnderWay {
            return Came::Malformed;
        }
        match self.answer.take(piece, is_bodiless) {
            Ok(Progress::More) => Came::More,
            Ok(Progress::Whole) => Came::Whole,
            Err(_) => Came::Malformed,
        }
    }

    fn watch(&mut self, wanted: Interest, readiness: &Readiness) -> io::Result<()> {
        if self.interest != wanted
            && let Some(stream) = &self.stream
        {
            readiness.change(stream.socket(), self.token(), wanted)?;
            self.interest = wanted;
        }
        Ok(())
    }
}
