//! The checks of a running gateway. Each makes one or several calls and counts the responses by
//! status, so that the gateway's records can be compared with them.

use std::collections::BTreeMap;
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};

use super::{LIMIT, Made, Started, mirror};
use crate::rival::Sent;

/// A call may have to wait for a gateway that warms up on a busy core.
const WAIT: Duration = Duration::from_secs(60);
/// Some gateways count per minute of the clock: concurrent calls are not started within this time
/// of its end.
const BEFORE_MINUTE: Duration = Duration::from_secs(5);

/// A gateway under test.
pub(super) struct Probe<'a> {
    started: &'a Started,
    /// Number of responses by status.
    answered: Mutex<BTreeMap<u16, u64>>,
}

/// Size of the longest message that the profile `rivals` posts.
const POSTED_BYTES: usize = 10_240;

/// The parts of a response that are checked.
struct Answer {
    status: u16,
    /// The request as the back end received it, if the back end responded.
    body: String,
}

impl<'a> Probe<'a> {
    pub(super) const fn new(started: &'a Started) -> Self {
        Self {
            started,
            answered: Mutex::new(BTreeMap::new()),
        }
    }

    pub(super) fn right_key(&self) -> anyhow::Result<()> {
        let answer = self.call(Some(&self.started.keys[0]))?;
        ensure!(answer.status == 200, "the status is {}", answer.status);
        ensure!(
            mirror::is_its(&answer.body),
            "the response is not the back end's"
        );
        Ok(())
    }

    pub(super) fn wrong_key(&self) -> anyhow::Result<()> {
        self.refused(Some(&wrong(&self.started.keys[0])))
    }

    pub(super) fn no_key(&self) -> anyhow::Result<()> {
        self.refused(None)
    }

    fn refused(&self, key: Option<&str>) -> anyhow::Result<()> {
        let status = self.call(key)?.status;
        ensure!([401, 403].contains(&status), "the status is {status}");
        Ok(())
    }

    pub(super) fn key_is_kept(&self) -> anyhow::Result<()> {
        let key = &self.started.keys[0];
        ensure!(
            !self.call(Some(key))?.body.contains(key),
            "the back end receives the key"
        );
        Ok(())
    }

    /// A posted message reaches the back end complete, and its response is returned.
    pub(super) fn post(&self) -> anyhow::Result<()> {
        let message = "m".repeat(POSTED_BYTES);
        let answer = self.send(
            &self.started.post,
            Some(&self.started.keys[0]),
            Some(&message),
        )?;
        let status = answer.status;
        ensure!(status == 200, "the status is {status}");
        let is_whole = mirror::is_its(&answer.body) && answer.body.ends_with(&message);
        ensure!(
            is_whole,
            "the back end does not receive the message, or its response is not forwarded"
        );
        Ok(())
    }

    /// Sends twice as many calls as the limit allows, all at once.
    pub(super) fn limit(&self) -> anyhow::Result<()> {
        let calls = usize::try_from(2 * LIMIT)?;
        let together = Barrier::new(calls);
        let call = || {
            together.wait();
            Ok(self.call(Some(&self.started.keys[1]))?.status)
        };
        thread::sleep(until_calm(SystemTime::now().duration_since(UNIX_EPOCH)?));
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
            "of {calls} calls at a limit of {LIMIT}, {passed} were admitted and {refused} got 429"
        );
        Ok(())
    }

    pub(super) fn others_pass(&self) -> anyhow::Result<()> {
        let status = self.call(Some(&self.started.keys[2]))?.status;
        ensure!(status == 200, "a call of another application got {status}");
        Ok(())
    }

    pub(super) fn request_id(&self) -> anyhow::Result<Made> {
        let mark = format!("mark{}", std::process::id());
        let answer = self.marked(Some(&self.started.keys[2]), &mark)?;
        let id = mirror::field(&answer.body, "x-request-id")
            .context("no request id reaches the back end")?;
        let answered = self.answered.lock().expect("a call does not panic");
        Ok(Made {
            request_id: id.to_owned(),
            mark,
            answered: answered.clone(),
        })
    }

    fn call(&self, key: Option<&str>) -> anyhow::Result<Answer> {
        self.marked(key, "check")
    }

    fn marked(&self, key: Option<&str>, mark: &str) -> anyhow::Result<Answer> {
        let Sent { target, headers } = &self.started.request;
        let sent = Sent {
            target: target.replace("{mark}", mark),
            headers: headers.clone(),
        };
        self.send(&sent, key, None)
    }

    /// Sends a GET, or a POST if there is a message.
    fn send(
        &self,
        sent: &Sent,
        key: Option<&str>,
        message: Option<&str>,
    ) -> anyhow::Result<Answer> {
        let filled = |text: &str| text.replace("{value}", key.unwrap_or_default());
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(WAIT))
            .build();
        let url = format!("http://{}{}", self.started.address, filled(&sent.target));
        let mut call = ureq::http::Request::builder().uri(url);
        for (name, value) in &sent.headers {
            // A call without a key omits the header, too.
            if key.is_some() || !value.contains("{value}") {
                call = call.header(name, filled(value));
            }
        }
        let agent = ureq::Agent::from(config);
        let answer = match message {
            Some(message) => agent.run(call.method("POST").body(message)?),
            None => agent.run(call.body(())?),
        };
        let mut answer = answer.context("calling it")?;
        let status = answer.status().as_u16();
        let mut answered = self.answered.lock().expect("a call does not panic");
        *answered.entry(status).or_default() += 1;
        drop(answered);
        let body = answer
            .body_mut()
            .read_to_string()
            .context("reading its answer")?;
        Ok(Answer { status, body })
    }
}

/// Returns how long to wait so that the minute does not end soon; `now` is Unix time.
pub(super) fn until_calm(now: Duration) -> Duration {
    let into_minute = now - Duration::from_secs(now.as_secs() / 60 * 60);
    let left = Duration::from_secs(60) - into_minute;
    if left > BEFORE_MINUTE {
        Duration::ZERO
    } else {
        left
    }
}

/// Returns an unknown key of the same form.
fn wrong(key: &str) -> String {
    let (last, rest) = (key.chars().next_back(), &key[..key.len().saturating_sub(1)]);
    format!("{rest}{}", if last == Some('x') { 'y' } else { 'x' })
}
