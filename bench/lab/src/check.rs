//! Holds gateways to the work that they are said to do, before anything is measured: the right key
//! is let through and a wrong one is not, exactly as many calls pass a limit as it allows, and each
//! call has an id that the back end and the log know. The same questions go to every [`Side`]: to
//! the rivals (`check::rival`) and to ours. Calls go to a [`Mirror`], which tells what reached it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, ensure};

use crate::rival::Sent;

use mirror::Mirror;

mod mirror;
pub mod rival;
#[cfg(test)]
mod tests;

/// How many calls of an application pass in a minute while gateways are checked.
pub const LIMIT: u64 = 10;
/// A call may wait for a gateway that warms up on a busy core.
const WAIT: Duration = Duration::from_secs(60);
/// What is asked, in the order of the table's columns.
const QUESTIONS: [&str; 8] = [
    "right key",
    "wrong key",
    "no key",
    "key kept",
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
}

/// A gateway that serves.
#[derive(Debug, Clone)]
pub struct Started {
    /// Where it listens.
    pub address: SocketAddr,
    /// A GET that it passes on. `{mark}` in its target, if it is there, stands for letters and
    /// digits that tell one call from all others.
    pub request: Sent,
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

/// Asks each side all questions, one side after the other.
///
/// # Errors
/// There can be no back end.
pub fn all(sides: &mut [Box<dyn Side>]) -> anyhow::Result<Vec<Checked>> {
    let mirror = Mirror::start().context("starting a back end")?;
    Ok(sides
        .iter_mut()
        .map(|side| one(side.as_mut(), mirror.address()))
        .collect())
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
    let mut made = None;
    let answers: [anyhow::Result<()>; QUESTIONS.len()] = [
        started.right_key(),
        started.refused(Some(&wrong(&started.keys[0]))),
        started.refused(None),
        started.key_is_kept(),
        started.limit(),
        started.others_pass(),
        started.request_id().map(|call| made = Some(call)),
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

/// An answer, as far as it is looked at.
struct Answer {
    status: u16,
    /// The head that reached the back end, if it is the back end's.
    body: String,
}

impl Started {
    fn right_key(&self) -> anyhow::Result<()> {
        let answer = self.call(Some(&self.keys[0]))?;
        ensure!(
            answer.status == 200,
            "it is answered with {}",
            answer.status
        );
        ensure!(
            mirror::is_its(&answer.body),
            "the answer is not the back end's"
        );
        Ok(())
    }

    fn refused(&self, key: Option<&str>) -> anyhow::Result<()> {
        let status = self.call(key)?.status;
        ensure!([401, 403].contains(&status), "it is answered with {status}");
        Ok(())
    }

    fn key_is_kept(&self) -> anyhow::Result<()> {
        let key = &self.keys[0];
        ensure!(
            !self.call(Some(key))?.body.contains(key),
            "the back end sees the key"
        );
        Ok(())
    }

    /// Twice as many calls as the limit allows, all at once.
    fn limit(&self) -> anyhow::Result<()> {
        let calls = usize::try_from(2 * LIMIT)?;
        let together = Barrier::new(calls);
        let call = || {
            together.wait();
            Ok(self.call(Some(&self.keys[1]))?.status)
        };
        let statuses = thread::scope(|scope| {
            let threads: Vec<_> = (0..calls).map(|_| scope.spawn(call)).collect();
            let ended = threads
                .into_iter()
                .map(|it| it.join().expect("a call does not panic"));
            ended.collect::<anyhow::Result<Vec<u16>>>()
        })?;
        let [passed, refused] =
            [200, 429].map(|status| statuses.iter().filter(|it| **it == status).count());
        ensure!(
            passed * 2 == calls && refused * 2 == calls,
            "of {calls} calls at a limit of {LIMIT}, {passed} passed and {refused} got 429"
        );
        Ok(())
    }

    fn others_pass(&self) -> anyhow::Result<()> {
        let status = self.call(Some(&self.keys[2]))?.status;
        ensure!(
            status == 200,
            "a call of another application is answered with {status}"
        );
        Ok(())
    }

    fn request_id(&self) -> anyhow::Result<Made> {
        let mark = format!("mark{}", std::process::id());
        let answer = self.marked(Some(&self.keys[2]), &mark)?;
        let id =
            mirror::field(&answer.body, "x-request-id").context("none reaches the back end")?;
        Ok(Made {
            request_id: id.to_owned(),
            mark,
        })
    }

    fn call(&self, key: Option<&str>) -> anyhow::Result<Answer> {
        self.marked(key, "check")
    }

    fn marked(&self, key: Option<&str>, mark: &str) -> anyhow::Result<Answer> {
        let filled = |text: &str| text.replace("{value}", key.unwrap_or_default());
        let target = filled(&self.request.target).replace("{mark}", mark);
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(WAIT))
            .build();
        let agent = ureq::Agent::from(config);
        let mut request = agent.get(format!("http://{}{target}", self.address));
        for (name, value) in &self.request.headers {
            // A call without a key goes without its field, too.
            if key.is_some() || !value.contains("{value}") {
                request = request.header(name, filled(value));
            }
        }
        let mut answer = request.call().context("calling it")?;
        let body = answer
            .body_mut()
            .read_to_string()
            .context("reading its answer")?;
        Ok(Answer {
            status: answer.status().as_u16(),
            body,
        })
    }
}

/// A key of the same form that nobody has.
fn wrong(key: &str) -> String {
    let (last, rest) = (key.chars().next_back(), &key[..key.len().saturating_sub(1)]);
    format!("{rest}{}", if last == Some('x') { 'y' } else { 'x' })
}

/// The rivals that can be checked here.
pub struct Rivals {
    /// Those that do a gateway's work and can be started.
    pub sides: Vec<Box<dyn Side>>,
    /// The others that do, each with why it cannot be started.
    pub left_out: Vec<String>,
}

/// Looks at all folders of `bench/rivals`, or at those named.
///
/// # Errors
/// A folder is wrong, or there is no rival of a name.
pub fn rivals(bench: &Path, names: &[String]) -> anyhow::Result<Rivals> {
    let mut all = crate::rival::all(bench)?;
    for name in names {
        let known = all.iter().any(|it| it.name == *name && it.is_secured);
        ensure!(known, "there is no secured rival {name:?}");
    }
    all.retain(|it| it.is_secured && (names.is_empty() || names.contains(&it.name)));
    let (mut sides, mut left_out) = (Vec::<Box<dyn Side>>::new(), Vec::new());
    for found in all {
        match &found.missing {
            Some(why) => left_out.push(format!("{}: {why}", found.name)),
            None => sides.push(Box::new(rival::Checkable::new(found)?)),
        }
    }
    Ok(Rivals { sides, left_out })
}
