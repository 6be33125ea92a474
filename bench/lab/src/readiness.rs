//! The basis of the event loops of generator and back end: socket readiness (level-triggered
//! epoll), a clock, and a stop signal.

use std::io::{self, Read as _};
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::thread::set_current_timer_slack;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

/// Maximum number of sockets reported at once.
const READY_MAX: usize = 512;

/// Nanoseconds since its creation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now_ns(self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Makes timers of this thread precise: by default Linux delays them by up to 50 microseconds to
/// save wake-ups.
pub(crate) fn wake_in_time() {
    // If the system refuses, times are that much less precise.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

/// The readiness that a socket is watched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interest {
    Read,
    Write,
    Both,
}

/// A ready socket; both may be set, and an error sets both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ready {
    pub(crate) token: u64,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

/// A set of sockets and its last report. A closed socket leaves the set by itself, but may still be
/// in the last report, so tokens must distinguish it from its successor.
pub(crate) struct Readiness {
    epoll: OwnedFd,
    report: Vec<Event>,
}

impl Readiness {
    pub(crate) fn new() -> io::Result<Self> {
        let report = Vec::with_capacity(READY_MAX);
        Ok(Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            report,
        })
    }

    pub(crate) fn watch(&self, socket: impl AsFd, token: u64, what: Interest) -> io::Result<()> {
        Ok(epoll::add(
            &self.epoll,
            socket,
            EventData::new_u64(token),
            what.flags(),
        )?)
    }

    pub(crate) fn change(&self, socket: impl AsFd, token: u64, what: Interest) -> io::Result<()> {
        Ok(epoll::modify(
            &self.epoll,
            socket,
            EventData::new_u64(token),
            what.flags(),
        )?)
    }

    /// Waits until a socket is ready or the time is over; returns the number of ready sockets.
    pub(crate) fn wait(&mut self, time_ns: u64) -> io::Result<usize> {
        let time = Timespec::try_from(Duration::from_nanos(time_ns)).map_err(io::Error::other)?;
        self.report.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.report), Some(&time)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(self.report.len()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Returns a socket from the last wait.
    pub(crate) fn ready(&self, number: usize) -> Ready {
        let event = self.report[number];
        let (flags, ended) = (event.flags, EventFlags::HUP | EventFlags::ERR);
        Ready {
            token: event.data.u64(),
            reads: flags.intersects(EventFlags::IN | ended),
            writes: flags.intersects(EventFlags::OUT | ended),
        }
    }
}

impl Interest {
    fn flags(self) -> EventFlags {
        match self {
            Self::Read => EventFlags::IN,
            Self::Write => EventFlags::OUT,
            Self::Both => EventFlags::IN | EventFlags::OUT,
        }
    }
}

/// Becomes readable when the process receives SIGTERM or SIGINT.
#[derive(Debug)]
pub struct Stop(UnixStream);

impl Stop {
    /// Handles the two signals from now on, so they no longer end the process.
    ///
    /// # Errors
    /// Fails if the system refuses the handler or the socket pair.
    pub fn on_signals() -> io::Result<Self> {
        let (stop, signalled) = UnixStream::pair()?;
        stop.set_nonblocking(true)?;
        pipe::register(SIGTERM, signalled.try_clone()?)?;
        pipe::register(SIGINT, signalled)?;
        Ok(Self(stop))
    }

    /// Drains the socket, so that a second signal can be distinguished from the first.
    pub(crate) fn clear(&self) {
        let mut bytes = [0; 16];
        // An empty socket is fine.
        let _ = (&self.0).read(&mut bytes);
    }
}

impl AsFd for Stop {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}
