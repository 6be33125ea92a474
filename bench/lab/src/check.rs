//! Checks before a measurement that gateways do the work they are supposed to do: a valid key is
//! accepted and an invalid one rejected, a limit admits exactly as many calls as it allows, and
//! each call has an id that the back end and the log both have. The same checks run against every
//! [`Side`]: the rivals (`check::rival`) and Tollgate (`check::ours`). Calls go to a [`Mirror`],
//! which returns the request that it received.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use anyhow::{Context as _, ensure};

use crate::figures::OURS;
use crate::host::Host;
use crate::measure;
use crate::rival::Sent;

use ask::Probe;
use mirror::Mirror;

mod ask;
mod mirror;
pub mod ours;
pub mod rival;
#[cfg(test)]
mod tests;

/// Calls per minute and application that gateways admit during a check.
pub const LIMIT: u64 = 10;
/// Number of keys in a standalone check: as many as most profiles use.
const KEYS: u64 = 10_000;
/// The checks, in the order of the table's columns.
const CHECKS: [&str; 9] = [
    "right key",
    "wrong key",
    "no key",
    "key kept",
    "post",
    "limit",
    "others",
    "request id",
    "log",
];

/// A gateway that can be checked.
pub trait Side {
    /// Returns its name in the table.
    fn name(&self) -> String;

    /// Starts it in front of `upstream`, with a limit of `limit` calls per minute and application;
    /// returns once it serves.
    ///
    /// # Errors
    /// Fails if it does not start.
    fn start(&mut self, upstream: SocketAddr, limit: u64) -> anyhow::Result<Started>;

    /// Whether its log or its records contain this call. Must be the last check: it may stop the
    /// gateway so that buffered lines are written.
    ///
    /// # Errors
    /// Fails if the log or the records cannot be read.
    fn has_logged(&mut self, call: &Made) -> anyhow::Result<bool>;
}

/// A call that was admitted.
#[derive(Debug, Clone)]
pub struct Made {
    /// The id that the back end received.
    pub request_id: String,
    /// The value of `{mark}` in its target, which no other call has.
    pub mark: String,
    /// Number of responses of the gateway by status, including this call.
    pub answered: BTreeMap<u16, u64>,
}

/// A running gateway.
#[derive(Debug, Clone)]
pub struct Started {
    /// Its listen address.
    pub address: SocketAddr,
    /// A GET that it forwards. `{mark}` in its target, if present, is a placeholder for letters and
    /// digits that identify one call.
    pub request: Sent,
    /// A POST that it forwards.
    pub post: Sent,
    /// Keys of at least three applications.
    pub keys: Vec<String>,
}

/// The results of one gateway.
#[derive(Debug)]
pub struct Checked {
    /// Name of the gateway.
    pub name: String,
    /// For each check: `None` if it passed, or what is wrong.
    pub faults: Vec<(&'static str, Option<String>)>,
}

/// Runs all checks on each side, one side after the other; each is stopped before the next starts.
/// They run at `address`. `before` is called with the name of each side before it starts, and may
/// abort the check.
///
/// # Errors
/// Fails if the back end cannot be started, or if `before` fails.
pub fn all(
    sides: Vec<Box<dyn Side>>,
    address: IpAddr,
    mut before: impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<Checked>> {
    let mirror = Mirror::start(address).context("starting a back end")?;
    let mut checked = Vec::new();
    for mut side in sides {
        before(&side.name())?;
        checked.push(one(side.as_mut(), mirror.address()));
    }
    Ok(checked)
}

/// Returns a table of the results, and each fault in a sentence.
#[must_use]
pub fn table(checked: &[Checked]) -> String {
    let wide = checked
        .iter()
        .map(|it| it.name.len())
        .max()
        .unwrap_or_default()
        + 2;
    let mut text = format!("{:wide$}", "");
    for check in CHECKS {
        text += &format!("{check:12}");
    }
    text = text.trim_end().to_owned() + "\n";
    for side in checked {
        let mut line = format!("{:wide$}", side.name);
        for check in CHECKS {
            let found = side.faults.iter().find(|(name, _)| *name == check);
            let word = match found {
                Some((_, None)) => "ok",
                Some((_, Some(_))) => "FAILS",
                None => "-",
            };
            line += &format!("{word:12}");
        }
        text += line.trim_end();
        text += "\n";
    }
    for side in checked {
        for (check, fault) in &side.faults {
            if let Some(fault) = fault {
                text += &format!("{}, {check}: {fault}\n", side.name);
            }
        }
    }
    text
}

impl Checked {
    /// Whether all checks passed.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.faults.iter().all(|(_, fault)| fault.is_none())
    }

    /// Returns what is wrong in a sentence; empty if nothing is.
    #[must_use]
    pub fn wrong(&self) -> String {
        let faults = self.faults.iter();
        let wrong =
            faults.filter_map(|(check, fault)| Some(format!("{check}: {}", fault.as_ref()?)));
        wrong.collect::<Vec<_>>().join("; ")
    }
}

fn one(side: &mut dyn Side, upstream: SocketAddr) -> Checked {
    let name = side.name();
    let started = match side.start(upstream, LIMIT) {
        Ok(started) => started,
        Err(error) => {
            let faults = vec![("start", Some(format!("{error:#}")))];
            return Checked { name, faults };
        }
    };
    let probe = Probe::new(&started);
    let mut made = None;
    let answers: [anyhow::Result<()>; CHECKS.len()] = [
        probe.right_key(),
        probe.wrong_key(),
        probe.no_key(),
        probe.key_is_kept(),
        probe.post(),
        probe.limit(),
        probe.others_pass(),
        probe.request_id().map(|call| made = Some(call)),
        made.context("there is no request id to search for")
            .and_then(|call| {
                ensure!(side.has_logged(&call)?, "no log line or record of {call:?}");
                Ok(())
            }),
    ];
    let faults = answers.map(|answer| answer.err().map(|error| format!("{error:#}")));
    Checked {
        name,
        faults: CHECKS.into_iter().zip(faults).collect(),
    }
}

/// The sides available for a check.
pub struct Found {
    /// Tollgate and the rivals with a gateway's features, if they can be started.
    pub sides: Vec<Box<dyn Side>>,
    /// The others, each with the reason why it cannot be started.
    pub left_out: Vec<String>,
}

/// Finds Tollgate, with the binary `tollgate`, and all folders of `bench/rivals`, or only the named
/// ones.
///
/// # Errors
/// Fails if a folder is invalid or a name is unknown.
pub fn find(bench: &Path, names: &[String], tollgate: &Path) -> anyhow::Result<Found> {
    let mut rivals = crate::rival::all(bench)?;
    rivals.retain(|rival| rival.is_secured);
    for name in names {
        let known = name == OURS || rivals.iter().any(|rival| rival.name == *name);
        ensure!(known, "no secured rival is named {name:?}");
    }
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|it| it == name);
    let host = Host::here()?;
    let (mut sides, mut left_out) = (Vec::<Box<dyn Side>>::new(), Vec::new());
    if is_wanted(OURS) {
        match measure::ensure_built(tollgate) {
            Err(why) => left_out.push(format!("{OURS}: {why:#}")),
            Ok(()) => sides.push(Box::new(ours::Checkable::new(
                bench, tollgate, &host, KEYS,
            )?)),
        }
    }
    for rival in rivals.into_iter().filter(|rival| is_wanted(&rival.name)) {
        match &rival.missing {
            Some(why) => left_out.push(format!("{}: {why}", rival.name)),
            None => sides.push(Box::new(rival::Checkable::new(rival, &host, KEYS)?)),
        }
    }
    Ok(Found { sides, left_out })
}
