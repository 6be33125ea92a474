//! Counts: everything during the measured time; sent and answered requests over the whole load.

use std::collections::BTreeMap;

use crate::histogram::Histogram;
use crate::load::{Event, Outcome};

use rustls::HandshakeKind;

use super::processor::Processor;

const SECOND_NS: u64 = 1_000_000_000;

/// Why a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The connection could not be opened, or its TLS handshake failed.
    Connect,
    /// The connection was closed before the first byte of the response.
    Closed,
    /// The response was not complete in time.
    Timeout,
    /// The response is not valid HTTP/1.1.
    Malformed,
    /// The connection was closed before the response was complete.
    Short,
    /// The length of the response body is not the expected one.
    Size,
    /// The status of the response is not the expected one.
    Status(u16),
}

/// A request's times, in nanoseconds.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Times {
    /// When it was scheduled to start: for users, when it started.
    pub(crate) due_ns: u64,
    /// When its first byte was sent.
    pub(crate) sent_ns: u64,
}

/// All counts of a load.
#[derive(Debug)]
pub(crate) struct Tally {
    window: Option<Window>,
    successes: u64,
    /// Unexpected responses by status.
    statuses: Vec<u64>,
    faults: [u64; 6],
    latency: Histogram,
    service: Option<Histogram>,
    received_bytes: u64,
    sent_bytes: u64,
    answered_all: u64,
    sent_all: u64,
    handshakes_full: u64,
    handshakes_resumed: u64,
    under_way: u64,
    /// The integral of requests in flight over time, up to `changed_ns`.
    area_ns: u128,
    changed_ns: u64,
    processor: Processor,
}

/// The measured time.
#[derive(Debug, Clone, Copy)]
struct Window {
    from_ns: u64,
    until_ns: u64,
    /// When the current second began, and the counts at that time.
    second_ns: u64,
    successes: u64,
    errors: u64,
}

impl Tally {
    pub(crate) fn new(is_open: bool) -> Self {
        Self {
            window: None,
            successes: 0,
            statuses: vec![0; 1000],
            faults: [0; 6],
            latency: Histogram::default(),
            service: is_open.then(Histogram::default),
            received_bytes: 0,
            sent_bytes: 0,
            answered_all: 0,
            sent_all: 0,
            handshakes_full: 0,
            handshakes_resumed: 0,
            under_way: 0,
            area_ns: 0,
            changed_ns: 0,
            processor: Processor::default(),
        }
    }

    pub(crate) fn sent_all(&self) -> u64 {
        self.sent_all
    }

    pub(crate) fn under_way(&self) -> u64 {
        self.under_way
    }

    /// Starts the measured time.
    pub(crate) fn measure(&mut self, now_ns: u64, time_ns: u64) -> anyhow::Result<()> {
        self.processor = Processor::used()?;
        self.changed_ns = now_ns;
        self.window = Some(Window {
            from_ns: now_ns,
            until_ns: now_ns.saturating_add(time_ns),
            second_ns: now_ns,
            successes: 0,
            errors: 0,
        });
        Ok(())
    }

    /// Ends the measured time, at its scheduled end at the latest. `unsent` has the due time of the
    /// first request that could not be sent, and the interval of those after it.
    pub(crate) fn measured(
        &mut self,
        now_ns: u64,
        unsent: Option<(u64, u64)>,
    ) -> anyhow::Result<()> {
        let Some(mut window) = self.window else {
            return Ok(());
        };
        self.pass(now_ns);
        window.until_ns = window.until_ns.min(now_ns);
        self.window = Some(window);
        self.processor = Processor::used()?.since(self.processor);
        if let Some((first_ns, every_ns)) = unsent {
            let mut due_ns = first_ns;
            while due_ns < window.until_ns {
                self.area_ns += u128::from(window.until_ns - due_ns.max(window.from_ns));
                due_ns += every_ns.max(1);
            }
        }
        Ok(())
    }

    /// Returns the event of the last second, if it is over.
    pub(crate) fn second(&mut self, now_ns: u64) -> Option<Event> {
        let errors_now = self.errors();
        let window = self.window.as_mut()?;
        if now_ns < window.second_ns + SECOND_NS || window.second_ns + SECOND_NS > window.until_ns {
            return None;
        }
        let (successes, errors) = (
            self.successes - window.successes,
            errors_now - window.errors,
        );
        window.second_ns += SECOND_NS;
        (window.successes, window.errors) = (self.successes, errors_now);
        Some(Event::Second { successes, errors })
    }

    /// Returns when the current second ends.
    pub(crate) fn second_due_ns(&self) -> u64 {
        self.window
            .map_or(u64::MAX, |window| window.second_ns + SECOND_NS)
    }

    /// Counts an opened connection, with the kind of its TLS handshake, if any.
    pub(crate) fn opened(&mut self, handshake: Option<HandshakeKind>, now_ns: u64) {
        match handshake.filter(|_| self.is_measured(now_ns)) {
            None => {}
            Some(HandshakeKind::Resumed) => self.handshakes_resumed += 1,
            Some(_) => self.handshakes_full += 1,
        }
    }

    /// Counts a request just before its first byte is sent.
    pub(crate) fn sends(&mut self, times: Times) {
        self.pass(times.sent_ns);
        self.sent_all += 1;
        self.under_way += 1;
        if let Some(window) = self.window {
            let until_ns = times.sent_ns.min(window.until_ns);
            let waited_ns = until_ns.saturating_sub(times.due_ns.max(window.from_ns));
            self.area_ns += u128::from(waited_ns);
        }
    }

    /// Counts sent bytes of requests.
    pub(crate) fn sent(&mut self, bytes: usize, now_ns: u64) {
        if self.is_measured(now_ns) {
            self.sent_bytes += bytes as u64;
        }
    }

    /// Counts received bytes of responses.
    pub(crate) fn received(&mut self, bytes: usize, now_ns: u64) {
        if self.is_measured(now_ns) {
            self.received_bytes += bytes as u64;
        }
    }

    /// Counts a finished request: answered completely if `is_answered`, as expected if there is no
    /// fault.
    pub(crate) fn ends(
        &mut self,
        times: Times,
        now_ns: u64,
        is_answered: bool,
        fault: Option<Fault>,
    ) {
        self.pass(now_ns);
        self.under_way -= 1;
        self.answered_all += u64::from(is_answered);
        if let Some(fault) = fault {
            return self.fails(fault, now_ns);
        }
        if self.is_measured(now_ns) {
            self.successes += 1;
            self.latency.note(microseconds(now_ns - times.due_ns));
            if let Some(service) = &mut self.service {
                service.note(microseconds(now_ns - times.sent_ns));
            }
        }
    }

    /// Counts a fault, which may not belong to a request.
    pub(crate) fn fails(&mut self, fault: Fault, now_ns: u64) {
        if !self.is_measured(now_ns) {
            return;
        }
        match fault {
            Fault::Status(status) => self.statuses[usize::from(status)] += 1,
            Fault::Connect => self.faults[0] += 1,
            Fault::Closed => self.faults[1] += 1,
            Fault::Timeout => self.faults[2] += 1,
            Fault::Malformed => self.faults[3] += 1,
            Fault::Short => self.faults[4] += 1,
            Fault::Size => self.faults[5] += 1,
        }
    }

    pub(crate) fn outcome(self) -> Outcome {
        let names = ["connect", "closed", "timeout", "malformed", "short", "size"];
        let faults = names.iter().map(|name| (*name).to_owned()).zip(self.faults);
        let statuses = (0..)
            .zip(&self.statuses)
            .map(|(s, n): (u32, _)| (format!("status {s}"), *n));
        let errors: BTreeMap<String, u64> = faults
            .chain(statuses)
            .filter(|(_, count)| *count > 0)
            .collect();
        let measured_ns = self
            .window
            .map_or(0, |window| window.until_ns - window.from_ns);
        Outcome {
            measured_us: measured_ns / 1000,
            successes: self.successes,
            errors,
            latency: self.latency,
            service: self.service,
            users_mean: self.area_ns as f64 / measured_ns.max(1) as f64,
            received_bytes: self.received_bytes,
            sent_bytes: self.sent_bytes,
            cpu_user_us: self.processor.user_us,
            cpu_system_us: self.processor.system_us,
            answered_all: self.answered_all,
            sent_all: self.sent_all,
            handshakes_full: self.handshakes_full,
            handshakes_resumed: self.handshakes_resumed,
        }
    }

    fn errors(&self) -> u64 {
        self.faults.iter().chain(&self.statuses).sum()
    }

    fn is_measured(&self, now_ns: u64) -> bool {
        self.window.is_some_and(|window| now_ns < window.until_ns)
    }

    /// Adds the time since the last change to the integral.
    fn pass(&mut self, now_ns: u64) {
        let Some(window) = self.window else {
            return;
        };
        let now_ns = now_ns.min(window.until_ns);
        let passed_ns = now_ns.saturating_sub(self.changed_ns);
        self.area_ns += u128::from(passed_ns) * u128::from(self.under_way);
        self.changed_ns = self.changed_ns.max(now_ns);
    }
}

fn microseconds(ns: u64) -> u64 {
    (ns + 500) / 1000
}
