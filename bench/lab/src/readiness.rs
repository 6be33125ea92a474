//! What the event loops of the generator and the back end stand on: which sockets are ready
//! (level-triggered epoll), what time it is, and whether the process was asked to stop.

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

/// At most so many sockets are reported at once.
const READY_MAX: usize = 512;

/// Nanoseconds since it was made.
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

/// From now on this thread is woken when it asked for, and not up to 50 microseconds later, which
/// Linux allows itself to save wake-ups.
pub(crate) fn wake_in_time() {
    // Where it is refused, times are that much less exact.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

/// What a socket is watched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interest {
    Read,
    Write,
    Both,
}

/// A socket that is ready; both may be set, and an error counts as both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ready {
    pub(crate) token: u64,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

/// A set of sockets and what was last reported of them. A closed socket leaves the set by itself,
/// but may still be in the last report: tokens must tell it from its successor.
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

    /// Waits until a socket is ready or the time is over; says how many are.
    pub(crate) fn wait(&mut self, time_ns: u64) -> io::Result<usize> {
        let time = Timespec::try_from(Duration::from_nanos(time_ns)).map_err(io::Error::other)?;
        self.report.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.report), Some(&time)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(self.report.len()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// One of those that the last wait found.
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

/// Becomes readable when the process gets SIGTERM or SIGINT.
#[derive(Debug)]
pub struct Stop(UnixStream);

impl Stop {
    /// From now on the two signals no longer end the process by themselves.
    ///
    /// # Errors
    /// The system refuses the handler or a pair of sockets.
    pub fn on_signals() -> io::Result<Self> {
        let (stop, signalled) = UnixStream::pair()?;
        stop.set_nonblocking(true)?;
        pipe::register(SIGTERM, signalled.try_clone()?)?;
        pipe::register(SIGINT, signalled)?;
        Ok(Self(stop))
    }

    /// Takes what is there, so that a second signal can be told from the first.
    pub(crate) fn clear(&self) {
        let mut bytes = [0; 16];
        // Nothing there is as good.
        let _ = (&self.0).read(&mut bytes);
    }
}

impl AsFd for Stop {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}
