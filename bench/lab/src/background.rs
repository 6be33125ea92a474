//! Background load: for each kind of credential, a generator requests tokens from the key manager
//! at a fixed rate, or sends forged ones, from before the measured time wait_for_event after it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use crate::credential::Credential;
use crate::kept::{self, Cell};
use crate::load::{Event, Load, Pace, TIMEOUT_US};
use crate::numbers::{counted, short};
use crate::process::Process;
use crate::side::BackgroundLoad;
use crate::statistics::median;
use crate::topology::Topology;

/// Connections per generator.
const CONNECTIONS: u32 = 32;
/// Maximum duration; background load normally stops with the load that it accompanies.
const MEASURED_US: u64 = 3 * 3_600 * 1_000_000;
/// Maximum time for a generator to open its connections or to receive its last responses.
const WAIT: Duration = Duration::from_secs(90);
/// Maximum time to wait for a line of a generator before checking the deadline.
const LOOK: Duration = Duration::from_millis(100);

/// The generators of all background loads.
#[derive(Debug)]
pub(crate) struct Background(Vec<(Credential, u32, Process)>);

impl Background {
    /// Starts the generators; returns once all of them are sending.
    ///
    /// # Errors
    /// Fails if a generator does not start in time.
    pub(crate) fn start(loads: &[BackgroundLoad], topology: &Topology) -> anyhow::Result<Self> {
        let mut all = Vec::new();
        for it in loads {
            let mut generator = topology.start_generator(&load(it))?;
            wait_for_event(&mut generator, |event| {
                (event == Event::Measuring).then_some(())
            })?;
            all.push((it.kind, it.per_second, generator));
        }
        Ok(Self(all))
    }

    /// Returns the generators with the names that a round uses for them.
    pub(crate) fn processes(&self) -> impl Iterator<Item = (String, &Process)> {
        let all = self.0.iter();
        all.map(|(kind, _, process)| (format!("background {kind}"), process))
    }

    /// Stops the generators and returns their outcomes.
    ///
    /// # Errors
    /// Fails if a generator does not stop in time, or exited by itself.
    pub(crate) fn end(self) -> anyhow::Result<BTreeMap<Credential, kept::Background>> {
        let mut ended = BTreeMap::new();
        for (kind, per_second, mut generator) in self.0 {
            generator.terminate()?;
            let outcome = wait_for_event(&mut generator, |event| match event {
                Event::Outcome(outcome) => Some(*outcome),
                _ => None,
            })?;
            let background = kept::Background {
                per_second,
                outcome,
            };
            ended.insert(kind, background);
        }
        Ok(ended)
    }
}

fn load(background: &BackgroundLoad) -> Load {
    let called = &background.called;
    Load {
        address: called.address,
        tls: None,
        renews: false,
        request: called.request.clone(),
        values: Some(called.values.clone()),
        expect: called.expect,
        pace: Pace::Open {
            per_second: background.per_second.into(),
            connections: CONNECTIONS,
        },
        source_addresses: Vec::new(),
        warm_up_us: 0,
        measured_us: MEASURED_US,
        timeout_us: TIMEOUT_US,
        requests_max: u64::MAX,
    }
}

/// Waits for the first event for which `found` returns a value.
fn wait_for_event<T>(
    generator: &mut Process,
    found: impl Fn(Event) -> Option<T>,
) -> anyhow::Result<T> {
    let deadline = Instant::now() + WAIT;
    loop {
        ensure!(
            Instant::now() < deadline,
            "a generator of background load did not respond in time"
        );
        let Some(line) = generator.line(LOOK)? else {
            continue;
        };
        let event = serde_json::from_str(&line);
        let event = event.with_context(|| format!("unexpected output of a generator: {line:?}"))?;
        if let Some(found) = found(event) {
            return Ok(found);
        }
    }
}

/// Describes the background load of a side of a cell in a sentence: for each kind, the median rate
/// over all rounds. `None` if there was none.
#[must_use]
pub fn describe(cell: &Cell, side: &str) -> Option<String> {
    let rounds: Vec<_> = cell.rounds.iter().filter(|it| it.side == side).collect();
    let kinds = rounds.first()?.background.keys();
    let of_kind = |kind: &Credential| {
        let all = rounds.iter().filter_map(|round| round.background.get(kind));
        let all: Vec<&kept::Background> = all.collect();
        let rates: Vec<f64> = all.iter().map(|it| it.outcome.per_second()).collect();
        let (rate, planned) = (median(&rates)?, all.first()?.per_second);
        let done = match kind {
            Credential::Forged => "refused",
            _ => "issued",
        };
        let (rate, planned) = (short(rate), short(planned.into()));
        Some(format!("{rate} of {planned} {kind} tokens {done}"))
    };
    let kinds: Vec<String> = kinds.filter_map(of_kind).collect();
    let kinds = kinds.join(" and ");
    (!kinds.is_empty()).then(|| format!("Background load of {side}, per second: {kinds}."))
}

/// Returns a warning for each kind with fewer issued or refused tokens than planned.
pub(crate) fn missed(cell: &Cell) -> Vec<String> {
    let mut missed = BTreeMap::<(&str, Credential), u64>::new();
    for round in &cell.rounds {
        for (&kind, background) in &round.background {
            let rate = background.per_second.into();
            if !background.outcome.has_reached(rate) {
                *missed.entry((&round.side, kind)).or_default() += 1;
            }
        }
    }
    let scenario = &cell.scenario;
    let sentence = |((side, kind), rounds)| {
        let rounds = counted(rounds, "round");
        format!("{side}: {rounds} of {scenario} had fewer {kind} tokens than planned.")
    };
    missed.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests;
