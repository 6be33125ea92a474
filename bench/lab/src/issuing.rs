//! Tokens that clients get while something else is measured: for each kind a generator asks the key
//! manager for them at a rate, from before the measured time until after it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use crate::credential::Credential;
use crate::kept::{Cell, Issued};
use crate::load::{Event, Load, Pace, TIMEOUT_US};
use crate::numbers::{counted, short};
use crate::process::Process;
use crate::side::TokensAsked;
use crate::statistics::median;
use crate::topology::Topology;

/// Connections that tokens of a kind are asked for over.
const CONNECTIONS: u32 = 32;
/// How long they are asked for at most: until the load that they stand beside is over.
const MEASURED_US: u64 = 3 * 3_600 * 1_000_000;
/// How long a generator may take to open its connections, or to await what it asked for last.
const WAIT: Duration = Duration::from_secs(90);
/// How long a line of a generator is waited for before the time is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// The generators that ask.
#[derive(Debug)]
pub(crate) struct Issuing(Vec<(Credential, u32, Process)>);

impl Issuing {
    /// Starts them; returns when all of them ask.
    ///
    /// # Errors
    /// One does not begin in time.
    pub(crate) fn start(asked: &[TokensAsked], topology: &Topology) -> anyhow::Result<Self> {
        let mut all = Vec::new();
        for it in asked {
            let mut asking = topology.start_generator(&load(it))?;
            until(&mut asking, |event| {
                (event == Event::Measuring).then_some(())
            })?;
            all.push((it.kind, it.per_second, asking));
        }
        Ok(Self(all))
    }

    /// The generators, as a round names them.
    pub(crate) fn processes(&self) -> impl Iterator<Item = (String, &Process)> {
        let all = self.0.iter();
        all.map(|(kind, _, process)| (format!("asking for {kind}"), process))
    }

    /// Ends them; what each got.
    ///
    /// # Errors
    /// One does not end in time, or ended by itself.
    pub(crate) fn end(self) -> anyhow::Result<BTreeMap<Credential, Issued>> {
        let mut issued = BTreeMap::new();
        for (kind, per_second, mut asking) in self.0 {
            asking.ask_to_end()?;
            let outcome = until(&mut asking, |event| match event {
                Event::Outcome(outcome) => Some(*outcome),
                _ => None,
            })?;
            issued.insert(
                kind,
                Issued {
                    per_second,
                    outcome,
                },
            );
        }
        Ok(issued)
    }
}

fn load(asked: &TokensAsked) -> Load {
    Load {
        address: asked.called.address,
        tls: None,
        renews: false,
        request: asked.called.request.clone(),
        values: Some(asked.called.values.clone()),
        expect: asked.called.expect,
        pace: Pace::Open {
            per_second: asked.per_second.into(),
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
fn until<T>(asking: &mut Process, found: impl Fn(Event) -> Option<T>) -> anyhow::Result<T> {
    let deadline = Instant::now() + WAIT;
    loop {
        ensure!(
            Instant::now() < deadline,
            "a generator that asks for tokens does not come to an end"
        );
        let Some(line) = asking.line(LOOK)? else {
            continue;
        };
        let event = serde_json::from_str(&line);
        let event = event.with_context(|| format!("a generator says {line:?}"))?;
        if let Some(found) = found(event) {
            return Ok(found);
        }
    }
}

/// What clients got beside a side of a cell: of each kind the median rate over rounds, in a
/// sentence. `None` where nothing was issued.
#[must_use]
pub fn told(cell: &Cell, side: &str) -> Option<String> {
    let rounds: Vec<_> = cell.rounds.iter().filter(|it| it.side == side).collect();
    let kinds = rounds.first()?.issued.keys();
    let of_kind = |kind: &Credential| {
        let all = rounds.iter().filter_map(|round| round.issued.get(kind));
        let all: Vec<&Issued> = all.collect();
        let rates: Vec<f64> = all.iter().map(|it| it.outcome.per_second()).collect();
        let (rate, asked) = (median(&rates)?, all.first()?.per_second);
        Some(format!("{} of {} {kind}", short(rate), short(asked.into())))
    };
    let kinds: Vec<String> = kinds.filter_map(of_kind).collect();
    let kinds = kinds.join(" and ");
    (!kinds.is_empty()).then(|| format!("Beside {side}, {kinds} tokens a second were issued."))
}

/// Warns of kinds of which fewer were issued than were asked for.
pub(crate) fn missed(cell: &Cell) -> Vec<String> {
    let mut missed = BTreeMap::<(&str, Credential), u64>::new();
    for round in &cell.rounds {
        for (&kind, issued) in &round.issued {
            if !issued.outcome.has_reached(issued.per_second.into()) {
                *missed.entry((&round.side, kind)).or_default() += 1;
            }
        }
    }
    let scenario = &cell.scenario;
    let sentence = |((side, kind), rounds)| {
        let rounds = counted(rounds, "round");
        format!("{side} issued fewer {kind} tokens than asked for in {rounds} of {scenario}.")
    };
    missed.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests;
