//! The credentials of a stage's callers: files that generators read, written when the stage is
//! built and after each renewal of tokens.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{BackgroundLoad, Called, KEYS, Stage};
use crate::control::credentials::{FORM, TOKEN, TOKEN_REQUEST};
use crate::credential::Credential;
use crate::https;
use crate::load::{Expect, Request};
use crate::scenario::Scenario;

/// The file with the body of token requests.
const REQUEST: &str = "token-request";
/// Expected statuses.
const OK: u16 = 200;
const UNAUTHORIZED: u16 = 401;
/// The file of forged tokens.
const FORGED: &str = "forged";

impl Stage {
    /// Writes the credentials of a side's callers, and those of its OAuth2 clients.
    pub(super) fn write_credentials(
        &self,
        side: &str,
        scenarios: &BTreeMap<String, Scenario>,
    ) -> anyhow::Result<()> {
        let request = self.sent.path().join(REQUEST);
        self.load.write(request, TOKEN_REQUEST.to_owned())?;
        let credentials = &self.tollgates[side].credentials;
        let write = |name: String, all: &[String]| {
            let path = self.sent.path().join(side).join(name);
            self.load.write(path, listed(all))
        };
        for (name, scenario) in scenarios {
            let all = credentials.of(scenario.carries);
            let count = usize::try_from(scenario.credentials(self.world))?;
            write(values_of(name), &all[..count.min(all.len())])?;
            for &kind in scenario.background.keys() {
                match kind {
                    Credential::Forged => write(FORGED.to_owned(), &credentials.of(kind))?,
                    _ => write(clients_of(kind), &credentials.clients(kind))?,
                }
            }
        }
        Ok(())
    }

    /// Renews the tokens if they may expire within this time.
    ///
    /// # Errors
    /// Fails if the key manager rejects a request, or if `stop` is set.
    pub fn renew_tokens(
        &mut self,
        time: Duration,
        scenarios: &BTreeMap<String, Scenario>,
        stop: &AtomicBool,
    ) -> anyhow::Result<()> {
        let mut renewed = Vec::new();
        for (side, tollgate) in &mut self.tollgates {
            if tollgate.credentials.end_within(time) {
                tollgate.credentials.renew(&tollgate.control, stop)?;
                renewed.push(side.clone());
            }
        }
        let mut renewed = renewed.iter();
        renewed.try_for_each(|side| self.write_credentials(side, scenarios))
    }

    /// Returns the background load of a scenario on a side, given its `called`; empty if the side
    /// is not Tollgate.
    #[must_use]
    pub fn background(
        &self,
        side: &str,
        scenario: &Scenario,
        called: &Called,
    ) -> Vec<BackgroundLoad> {
        let Some(tollgate) = self.tollgates.get(side) else {
            return Vec::new();
        };
        let values = self.sent.path().join(side);
        let expect = |status| Expect {
            status,
            body_bytes: None,
        };
        let form = ("content-type".to_owned(), FORM.to_owned());
        let of_kind = |kind| match kind {
            Credential::Forged => Called {
                address: called.address,
                tls: called.tls.clone(),
                request: called.request.clone(),
                values: values.join(FORGED),
                expect: expect(UNAUTHORIZED),
            },
            _ => Called {
                address: tollgate.control.address,
                tls: None,
                request: Request {
                    method: "POST".to_owned(),
                    target: TOKEN.to_owned(),
                    headers: vec![Credential::Basic.field(), form.clone()],
                    body: Some(self.sent.path().join(REQUEST)),
                },
                values: values.join(clients_of(kind)),
                expect: expect(OK),
            },
        };
        let loads = scenario.background.iter();
        let load = |(&kind, &per_second)| BackgroundLoad {
            kind,
            per_second,
            called: of_kind(kind),
        };
        loads.map(load).collect()
    }

    /// Returns the file with the callers' credentials: Tollgate's, also for calls of the back end
    /// itself. Rivals only accept keys.
    pub(super) fn values(&self, side: &str, scenario: &str) -> PathBuf {
        let side = match https::is_direct(side) {
            true => https::ours(|side| self.tollgates.contains_key(side)),
            false => side,
        };
        match self.tollgates.contains_key(side) {
            true => self.sent.path().join(side).join(values_of(scenario)),
            false => self.sent.path().join(KEYS),
        }
    }
}

/// Returns the name of the file with the credentials of a scenario's callers.
fn values_of(scenario: &str) -> String {
    format!("{scenario}-credentials")
}

/// Returns the name of the file with the clients for tokens of a kind.
fn clients_of(kind: Credential) -> String {
    format!("clients-{kind}")
}

/// Joins values in random order, one per line.
pub(super) fn listed(values: &[String]) -> String {
    shuffled(values.to_vec()).join("\n") + "\n"
}

/// Shuffles values, in the same order each time (Fisher and Yates, with xorshift).
fn shuffled(mut values: Vec<String>) -> Vec<String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for at in (1..values.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let other = state % (at as u64 + 1);
        values.swap(at, usize::try_from(other).expect("less than a length"));
    }
    values
}
