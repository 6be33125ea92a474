//! What is sent while something else is measured: for each kind a generator asks the key manager
//! for tokens at a rate, or calls with forged ones, from before the measured time until after it.

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

/// Connections of each.
const CONNECTIONS: u32 = 32;
/// How long they last at most: until the load that they stand beside is over.
const MEASURED_US: u64 = 3 * 3_600 * 1_000_000;
/// How long a generator may take to open its connections, or to await the last answers.
const WAIT: Duration = Duration::from_secs(90);
/// How long a line of a generator is waited for before the time is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// The generators of all background loads.
#[derive(Debug)]
pub(crate) struct Background(Vec<(Credential, u32, Process)>);

impl Background {
    /// Starts them; returns when all of them send.
    ///
    /// # Errors
    /// One does not begin in time.
    pub(crate) fn start(loads: &[BackgroundLoad], topology: &Topology) -> anyhow::Result<Self> {
        let mut all = Vec::new();
        for it in loads {
            let mut generator = topology.start_generator(&load(it))?;
            until(&mut generator, |event| {
                (event == Event::Measuring).then_some(())
            })?;
            all.push((it.kind, it.per_second, generator));
        }
        Ok(Self(all))
    }

    /// The generators, as a round names them.
    pub(crate) fn processes(&self) -> impl Iterator<Item = (String, &Process)> {
        let all = self.0.iter();
        all.map(|(kind, _, process)| (format!("background {kind}"), process))
    }

    /// Ends them; what came of each.
    ///
    /// # Errors
    /// One does not end in time, or ended by itself.
    pub(crate) fn end(self) -> anyhow::Result<BTreeMap<Credential, kept::Background>> {
        let mut ended = BTreeMap::new();
        for (kind, per_second, mut generator) in self.0 {
            generator.ask_to_end()?;
            let outcome = until(&mut generator, |event| match event {
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

/// The first event of a generator that something is found in.
fn until<T>(generator: &mut Process, found: impl Fn(Event) -> Option<T>) -> anyhow::Result<T> {
    let deadline = Instant::now() + WAIT;
    loop {
        ensure!(
            Instant::now() < deadline,
            "a generator in the background does not come to an end"
        );
        let Some(line) = generator.line(LOOK)? else {
            continue;
        };
        let event = serde_json::from_str(&line);
        let event = event.with_context(|| format!("a generator says {line:?}"))?;
        if let Some(found) = found(event) {
            return Ok(found);
        }
    }
}

/// What came beside a side of a cell: of each kind the median rate over rounds, in a sentence.
/// `None` where nothing else was sent.
#[must_use]
pub fn told(cell: &Cell, side: &str) -> Option<String> {
    let rounds: Vec<_> = cell.rounds.iter().filter(|it| it.side == side).collect();
    let kinds = rounds.first()?.background.keys();
    let of_kind = |kind: &Credential| {
        let all = rounds.iter().filter_map(|round| round.background.get(kind));
        let all: Vec<&kept::Background> = all.collect();
        let rates: Vec<f64> = all.iter().map(|it| it.outcome.per_second()).collect();
        let (rate, asked) = (median(&rates)?, all.first()?.per_second);
        let done = match kind {
            Credential::Forged => "refused",
            _ => "issued",
        };
        let (rate, asked) = (short(rate), short(asked.into()));
        Some(format!("{rate} of {asked} {kind} tokens {done}"))
    };
    let kinds: Vec<String> = kinds.filter_map(of_kind).collect();
    let kinds = kinds.join(" and ");
    (!kinds.is_empty()).then(|| format!("Beside {side}, a second: {kinds}."))
}

/// Warns of kinds of which fewer were issued, or refused, than were asked for.
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
        format!("Beside {side} fewer {kind} tokens came than were due in {rounds} of {scenario}.")
    };
    missed.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests;
