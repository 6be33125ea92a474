//! Holds gateways to the work that they are said to do, before anything is measured: the right key
//! is let through and a wrong one is not, exactly as many calls pass a limit as it allows, and each
//! call has an id that the back end and the log know. The same questions go to every [`Side`]: to
//! the rivals (`check::rival`) and to ours (`check::ours`). Calls go to a [`Mirror`], which tells
//! what reached it.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use anyhow::{Context as _, ensure};

use crate::figures::OURS;
use crate::host::Host;
use crate::measure;
use crate::rival::Sent;

use ask::Asking;
use mirror::Mirror;

mod ask;
mod mirror;
pub mod ours;
pub mod rival;
#[cfg(test)]
mod tests;

/// How many calls of an application pass in a minute while gateways are checked.
pub const LIMIT: u64 = 10;
/// With how many keys gateways are checked by themselves: as many as most profiles measure with.
const KEYS: u64 = 10_000;
/// What is asked, in the order of the table's columns.
const QUESTIONS: [&str; 9] = [
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
    /// Its name in the table.
    fn name(&self) -> String;

    /// Starts it in front of `upstream`, so that `limit` calls of each application pass in a
    /// minute; returns when it serves.
    ///
    /// # Errors
    /// It does not start.
    fn start(&mut self, upstream: SocketAddr, limit: u64) -> anyhow::Result<Started>;

    /// Whether its log or its records hold this call. Asked last: it may end the gateway, so that
    /// what is buffered is written.
    ///
    /// # Errors
    /// The log or the records cannot be read.
    fn has_logged(&mut self, call: &Made) -> anyhow::Result<bool>;
}

/// A call that passed.
#[derive(Debug, Clone)]
pub struct Made {
    /// The id that the back end saw.
    pub request_id: String,
    /// What its target held for `{mark}`, and no other call's did.
    pub mark: String,
    /// How often the gateway has answered with which status, this call among them.
    pub answered: BTreeMap<u16, u64>,
}

/// A gateway that serves.
#[derive(Debug, Clone)]
pub struct Started {
    /// Where it listens.
    pub address: SocketAddr,
    /// A GET that it passes on. `{mark}` in its target, if it is there, stands for letters and
    /// digits that tell one call from all others.
    pub request: Sent,
    /// A POST that it passes on.
    pub post: Sent,
    /// Keys of three applications, at least.
    pub keys: Vec<String>,
}

/// What came of the questions to one gateway.
#[derive(Debug)]
pub struct Checked {
    /// The gateway.
    pub name: String,
    /// For each of the questions: nothing, or what is wrong.
    pub faults: Vec<(&'static str, Option<String>)>,
}

/// Asks each side all questions, one side after the other; each ends before the next starts. They
/// run at `address`. `before` is told of each side before it starts, and may end the check.
///
/// # Errors
/// There can be no back end, or `before` has ended the check.
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

/// A table of what was found, and each fault in a sentence.
#[must_use]
pub fn table(checked: &[Checked]) -> String {
    let wide = checked
        .iter()
        .map(|it| it.name.len())
        .max()
        .unwrap_or_default()
        + 2;
    let mut text = format!("{:wide$}", "");
    for question in QUESTIONS {
        text += &format!("{question:12}");
    }
    text = text.trim_end().to_owned() + "\n";
    for side in checked {
        let mut line = format!("{:wide$}", side.name);
        for question in QUESTIONS {
            let found = side.faults.iter().find(|(asked, _)| *asked == question);
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
        for (question, fault) in &side.faults {
            if let Some(fault) = fault {
                text += &format!("{}, {question}: {fault}\n", side.name);
            }
        }
    }
    text
}

impl Checked {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.faults.iter().all(|(_, fault)| fault.is_none())
    }

    /// What is wrong, in a sentence; empty where nothing is.
    #[must_use]
    pub fn wrong(&self) -> String {
        let faults = self.faults.iter();
        let wrong =
            faults.filter_map(|(asked, fault)| Some(format!("{asked}: {}", fault.as_ref()?)));
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
    let asking = Asking::new(&started);
    let mut made = None;
    let answers: [anyhow::Result<()>; QUESTIONS.len()] = [
        asking.right_key(),
        asking.wrong_key(),
        asking.no_key(),
        asking.key_is_kept(),
        asking.post(),
        asking.limit(),
        asking.others_pass(),
        asking.request_id().map(|call| made = Some(call)),
        made.context("there is no request id to look for")
            .and_then(|call| {
                ensure!(
                    side.has_logged(&call)?,
                    "there is no line or record of {call:?}"
                );
                Ok(())
            }),
    ];
    let faults = answers.map(|answer| answer.err().map(|error| format!("{error:#}")));
    Checked {
        name,
        faults: QUESTIONS.into_iter().zip(faults).collect(),
    }
}

/// The sides that can be checked here.
pub struct Found {
    /// Ours, and the rivals that do a gateway's work, if they can be started.
    pub sides: Vec<Box<dyn Side>>,
    /// The others, each with why it cannot be started.
    pub left_out: Vec<String>,
}

/// Looks for ours, which is `tollgate`, and at all folders of `bench/rivals`; or at those named.
///
/// # Errors
/// A folder is wrong, or there is no side of a name.
pub fn find(bench: &Path, names: &[String], tollgate: &Path) -> anyhow::Result<Found> {
    let mut rivals = crate::rival::all(bench)?;
    rivals.retain(|rival| rival.is_secured);
    for name in names {
        let known = name == OURS || rivals.iter().any(|rival| rival.name == *name);
        ensure!(known, "there is no secured rival {name:?}");
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
