//! The phases of a load: open connections, warm up, measure, drain.

use crate::load::Event;

use super::super::agenda::Schedule;
use super::super::connection::State;
use super::{Drive, Report};

/// The phase of a load, and when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Connections are opened for the first time; nothing is sent.
    Opening(u64),
    WarmUp(u64),
    Measuring(u64),
    /// Outstanding responses are awaited; nothing is sent.
    Draining(u64),
    Over,
}

impl Drive<'_> {
    /// Advances to the next phase if the current one is over.
    pub(super) fn proceed(&mut self, report: Report<'_>) -> anyhow::Result<()> {
        let now_ns = self.clock.now_ns();
        let is_all_sent = self.tally.sent_all() >= self.load.requests_max;
        let is_spent = is_all_sent && self.tally.under_way() == 0;
        match self.phase {
            Phase::Opening(until_ns) => {
                let is_tried = self.opening == 0 && self.unopened.is_empty();
                if is_tried || now_ns >= until_ns {
                    self.phase = Phase::WarmUp(now_ns + self.load.warm_up_us * 1000);
                    self.start_all(now_ns);
                    return self.proceed(report);
                }
            }
            Phase::WarmUp(until_ns) if now_ns >= until_ns || is_spent => {
                let time_ns = self.load.measured_us * 1000;
                self.tally.measure(now_ns, time_ns)?;
                self.phase = Phase::Measuring(now_ns + time_ns);
                report(Event::Measuring)?;
            }
            Phase::Measuring(until_ns) => {
                while let Some(second) = self.tally.second(now_ns) {
                    report(second)?;
                }
                if now_ns >= until_ns || is_spent {
                    let unsent = self.schedule.filter(|_| !is_all_sent);
                    let unsent = unsent.map(|plan| (plan.due_ns(), plan.every_ns()));
                    self.tally.measured(now_ns, unsent)?;
                    self.phase = Phase::Draining(now_ns + self.timeout_ns);
                    report(Event::Measured)?;
                    return self.proceed(report);
                }
            }
            Phase::Draining(until_ns) if now_ns >= until_ns || self.tally.under_way() == 0 => {
                self.phase = Phase::Over;
            }
            _ => {}
        }
        Ok(())
    }

    /// Handles a signal: sends no more requests; after a second signal, stops without draining.
    pub(super) fn hurry(&mut self) {
        if let Some(stop) = self.stop {
            stop.clear();
        }
        self.phase = match self.phase {
            Phase::Opening(_) | Phase::Draining(_) | Phase::Over => Phase::Over,
            // The outcome then covers no measured time.
            Phase::WarmUp(_) => Phase::Draining(self.clock.now_ns() + self.timeout_ns),
            Phase::Measuring(_) => Phase::Measuring(0),
        };
    }

    /// Returns when there is work to do even if no socket is ready.
    pub(super) fn next_ns(&self) -> u64 {
        let phase_ns = match self.phase {
            Phase::Opening(until_ns) | Phase::WarmUp(until_ns) | Phase::Draining(until_ns) => {
                until_ns
            }
            Phase::Measuring(until_ns) => until_ns.min(self.tally.second_due_ns()),
            Phase::Over => 0,
        };
        let schedule_ns = match &self.schedule {
            Some(schedule) if self.may_send() && !self.idle.is_empty() => schedule.due_ns(),
            _ => u64::MAX,
        };
        phase_ns
            .min(self.agenda.due_ns())
            .min(schedule_ns)
            .min(self.sweep_ns)
    }

    pub(super) fn may_send(&self) -> bool {
        let is_time = matches!(self.phase, Phase::WarmUp(_) | Phase::Measuring(_));
        is_time && self.tally.sent_all() < self.load.requests_max
    }

    /// Starts the users, spread over their think time, or the schedule.
    fn start_all(&mut self, now_ns: u64) {
        self.schedule = Schedule::from_pace(self.load.pace, now_ns);
        if self.schedule.is_some() {
            return;
        }
        let count = self.connections.len() as u64;
        for index in 0..self.connections.len() {
            if self.connections[index].state == State::Idle {
                let think_ns = u128::from(self.think_ns) * index as u128 / u128::from(count.max(1));
                self.agenda.note(now_ns + think_ns as u64, index as u32);
            }
        }
    }
}
