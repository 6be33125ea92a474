//! The event loop: starts what is due and counts what is received, until the load is over. `phase`
//! tracks the progress of the load.

use std::collections::VecDeque;
use std::io::{self, Write as _};

use crate::load::{Event, Load, Outcome, Pace};
use crate::readiness::{Clock, Readiness, Ready, Stop, wake_in_time};
use crate::security::Security;

use self::phase::Phase;
use super::agenda::{Agenda, Schedule, pause_ns};
use super::answer::End;
use super::connection::{Came, Connection, State, Way};
use super::message::Message;
use super::tally::{Fault, Tally, Times};

mod phase;

/// Maximum number of connections being opened at once: more would overflow the server's accept
/// queue, and the kernel then waits a second before it retries.
const OPENING_MAX: usize = 64;
const BUFFER_BYTES: usize = 256 * 1024;
const STOP_TOKEN: u64 = u64::MAX;

type Report<'a> = &'a mut dyn FnMut(Event) -> anyhow::Result<()>;

/// A running load.
pub(crate) struct Drive<'a> {
    load: &'a Load,
    stop: Option<&'a Stop>,
    way: Way,
    message: Message,
    is_bodiless: bool,
    think_ns: u64,
    timeout_ns: u64,
    clock: Clock,
    readiness: Readiness,
    connections: Vec<Connection>,
    phase: Phase,
    tally: Tally,
    agenda: Agenda,
    schedule: Option<Schedule>,
    /// Idle connections of an open loop, the longest idle first.
    idle: VecDeque<u32>,
    /// Connections still to open.
    unopened: VecDeque<u32>,
    opening: usize,
    opened_all: u64,
    has_complained: bool,
    sweep_ns: u64,
    buffer: Vec<u8>,
    scratch: Vec<u8>,
}

impl<'a> Drive<'a> {
    pub(crate) fn new(load: &'a Load, stop: Option<&'a Stop>) -> anyhow::Result<Self> {
        let count = load.pace.connections();
        let (think_us, is_open) = match load.pace {
            Pace::Closed { think_us, .. } => (think_us, false),
            Pace::Open { .. } => (0, true),
        };
        let readiness = Readiness::new()?;
        if let Some(stop) = stop {
            readiness.watch(stop, STOP_TOKEN, crate::readiness::Interest::Read)?;
        }
        let security = load.tls.as_ref().map(Security::from_tls).transpose()?;
        let timeout_ns = load.timeout_us.saturating_mul(1000);
        Ok(Self {
            load,
            stop,
            way: Way {
                to: load.address,
                security,
            },
            message: Message::prepare(load)?,
            is_bodiless: load.request.method == "HEAD",
            think_ns: think_us.saturating_mul(1000),
            timeout_ns,
            clock: Clock::start(),
            readiness,
            connections: (0..count).map(Connection::new).collect(),
            phase: Phase::Opening(timeout_ns),
            tally: Tally::new(is_open),
            agenda: Agenda::new(count),
            schedule: None,
            idle: VecDeque::with_capacity(count as usize),
            unopened: (0..count).collect(),
            opening: 0,
            opened_all: 0,
            has_complained: false,
            sweep_ns: 0,
            buffer: vec![0; BUFFER_BYTES],
            scratch: Vec::new(),
        })
    }

    pub(crate) fn run(mut self, report: Report<'_>) -> anyhow::Result<Outcome> {
        wake_in_time();
        loop {
            self.proceed(report)?;
            if self.phase == Phase::Over {
                return Ok(self.tally.outcome());
            }
            self.start_due();
            self.sweep();
            let now_ns = self.clock.now_ns();
            let count = self.readiness.wait(self.next_ns().saturating_sub(now_ns))?;
            for number in 0..count {
                let ready = self.readiness.ready(number);
                if ready.token == STOP_TOKEN {
                    self.hurry();
                } else {
                    self.ready(ready);
                }
            }
        }
    }

    /// Starts what is due: connections to open, users who have thought, the schedule's requests.
    fn start_due(&mut self) {
        let now_ns = self.clock.now_ns();
        while let Some(index) = self.agenda.next_due(now_ns) {
            match self.connections[index as usize].state {
                State::Closed => self.unopened.push_back(index),
                State::Idle => {
                    let now_ns = self.clock.now_ns();
                    self.request(index, now_ns, now_ns);
                }
                State::Opening | State::UnderWay => {}
            }
        }
        while self.opening < OPENING_MAX
            && !matches!(self.phase, Phase::Draining(_) | Phase::Over)
            && let Some(index) = self.unopened.pop_front()
        {
            self.open(index, now_ns);
        }
        self.start_scheduled(now_ns);
    }

    fn start_scheduled(&mut self, now_ns: u64) {
        while self
            .schedule
            .is_some_and(|schedule| schedule.due_ns() <= now_ns)
            && self.may_send()
            && let Some(index) = self.idle.pop_front()
        {
            if self.connections[index as usize].state == State::Idle {
                let now_ns = self.clock.now_ns();
                self.request(index, now_ns, now_ns);
            }
        }
    }

    fn open(&mut self, index: u32, now_ns: u64) {
        let sources = &self.load.source_addresses;
        let from = match sources.len() {
            0 => None,
            count => Some(sources[(self.opened_all % count as u64) as usize]),
        };
        self.opened_all += 1;
        let connection = &mut self.connections[index as usize];
        match connection.open(&self.way, from, &self.readiness, now_ns) {
            Ok(()) => self.opening += 1,
            Err(error) => self.is_refused(index, &error),
        }
    }

    /// Handles a failed connection attempt. Logs the reason once; the outcome only counts.
    fn is_refused(&mut self, index: u32, error: &io::Error) {
        if !std::mem::replace(&mut self.has_complained, true) {
            // Standard error may be closed.
            let _ = writeln!(io::stderr(), "cannot connect to {}: {error}", self.way.to);
        }
        self.fail(index, Some(Fault::Connect));
    }

    /// Sends the next request on an idle connection, if the load permits one; it was due at
    /// `due_ns`, or at the schedule's time.
    fn request(&mut self, index: u32, due_ns: u64, now_ns: u64) {
        if !self.may_send() {
            return;
        }
        let due_ns = match &mut self.schedule {
            Some(schedule) => {
                let due_ns = schedule.due_ns();
                schedule.advance();
                due_ns
            }
            None => due_ns,
        };
        let times = Times {
            due_ns,
            sent_ns: now_ns,
        };
        let number = self.tally.sent_all();
        self.tally.sends(times);
        self.connections[index as usize].begin(number, times);
        self.send(index, now_ns);
    }

    fn send(&mut self, index: u32, now_ns: u64) {
        let connection = &mut self.connections[index as usize];
        let request = self.message.render(connection.number, &mut self.scratch);
        match connection.send(request, &self.readiness) {
            Ok(count) => self.tally.sent(count, now_ns),
            Err(_) => self.fail(index, Some(Fault::Closed)),
        }
    }

    fn ready(&mut self, ready: Ready) {
        let index = ready.token as u32;
        let connection = &mut self.connections[index as usize];
        if !connection.is_marked(ready.token) {
            return;
        }
        if connection.state == State::Opening {
            match connection.opens(&self.readiness) {
                Ok(true) => self.opened(index),
                Ok(false) => {}
                Err(error) => self.is_refused(index, &error),
            }
            return;
        }
        if ready.writes && connection.is_sending() {
            self.send(index, self.clock.now_ns());
        }
        if ready.reads && self.connections[index as usize].is_marked(ready.token) {
            self.receive(index);
        }
    }

    fn opened(&mut self, index: u32) {
        self.opening -= 1;
        let connection = &self.connections[index as usize];
        let (since_ns, now_ns) = (connection.since_ns, self.clock.now_ns());
        self.tally.opened(connection.handshake(), now_ns);
        if self.is_open() {
            self.idle.push_back(index);
        } else {
            // Nothing is sent in the first phase: all start together.
            let due_ns = if self.load.renews { since_ns } else { now_ns };
            self.request(index, due_ns, now_ns);
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.load.pace, Pace::Open { .. })
    }

    fn receive(&mut self, index: u32) {
        let connection = &mut self.connections[index as usize];
        let (came, count) = connection.receive(&mut self.buffer, self.is_bodiless);
        let now_ns = self.clock.now_ns();
        self.tally.received(count, now_ns);
        let is_idle = connection.state == State::Idle;
        match came {
            Came::More => {}
            Came::Whole | Came::Closed(End::Whole) => {
                let is_closed = came != Came::Whole || connection.answer.closes;
                self.answered(index, now_ns, is_closed);
            }
            // A server may close an idle connection.
            Came::Closed(_) if is_idle => self.fail(index, None),
            Came::Closed(End::Nothing) => self.fail(index, Some(Fault::Closed)),
            Came::Closed(End::Short) => self.fail(index, Some(Fault::Short)),
            Came::Malformed => self.fail(index, Some(Fault::Malformed)),
        }
    }

    /// Counts a complete response and continues with its connection.
    fn answered(&mut self, index: u32, now_ns: u64, is_closed: bool) {
        let connection = &mut self.connections[index as usize];
        let (answer, expect) = (&connection.answer, self.load.expect);
        let times = connection.times;
        let fault = if now_ns - times.sent_ns > self.timeout_ns {
            Some(Fault::Timeout)
        } else if answer.status != expect.status {
            Some(Fault::Status(answer.status))
        } else if expect
            .body_bytes
            .is_some_and(|bytes| bytes != answer.body_bytes)
        {
            Some(Fault::Size)
        } else {
            None
        };
        // A response that is late, or arrives before the request is sent, may leave the connection
        // out of step.
        let is_out_of_step = connection.is_sending() || fault == Some(Fault::Timeout);
        let is_closed = is_closed || is_out_of_step || self.load.renews;
        self.tally.ends(times, now_ns, true, fault);
        (connection.failures, connection.is_proven) = (0, true);
        connection.state = State::Idle;
        if is_closed {
            connection.close();
        }
        if self.think_ns > 0 {
            self.agenda.note(now_ns + self.think_ns, index);
        } else if is_closed {
            self.unopened.push_back(index);
        } else if self.is_open() {
            self.idle.push_back(index);
            self.start_scheduled(now_ns);
        } else {
            self.request(index, now_ns, now_ns);
        }
    }

    /// Closes a connection after an error, to be reopened after a pause. Without a fault the server
    /// closed it while it was idle.
    fn fail(&mut self, index: u32, fault: Option<Fault>) {
        let (now_ns, is_open) = (self.clock.now_ns(), self.is_open());
        let connection = &mut self.connections[index as usize];
        match connection.state {
            State::UnderWay => self.tally.ends(connection.times, now_ns, false, fault),
            _ => {
                if let Some(fault) = fault {
                    self.tally.fails(fault, now_ns);
                }
            }
        }
        if connection.state == State::Opening {
            self.opening -= 1;
        }
        let is_waiting = connection.state == State::Idle;
        let is_rested = fault.is_none() && connection.is_proven;
        connection.close();
        if is_waiting && is_open {
            self.idle.retain(|&idle| idle != index);
        } else if is_waiting && self.think_ns > 0 && !matches!(self.phase, Phase::Opening(_)) {
            // It is already on the agenda, to be reopened when its user continues.
            return;
        }
        if is_rested {
            self.unopened.push_back(index);
        } else {
            connection.failures = connection.failures.saturating_add(1);
            self.agenda
                .note(now_ns + pause_ns(connection.failures), index);
        }
    }

    /// Fails requests and connection attempts that take too long. Checking at intervals is enough:
    /// a late response in between is counted as a timeout, too.
    fn sweep(&mut self) {
        let now_ns = self.clock.now_ns();
        if now_ns < self.sweep_ns {
            return;
        }
        self.sweep_ns = now_ns + (self.timeout_ns / 16).clamp(1_000_000, 100_000_000);
        for index in 0..self.connections.len() {
            let connection = &self.connections[index];
            let is_late = now_ns.saturating_sub(connection.since_ns) > self.timeout_ns;
            match connection.state {
                State::UnderWay if is_late => self.fail(index as u32, Some(Fault::Timeout)),
                State::Opening if is_late => self.fail(index as u32, Some(Fault::Connect)),
                _ => {}
            }
        }
    }
}
