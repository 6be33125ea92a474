//! Published attacks on caches, each a row of two calls. In poisoning, the attacker calls first and
//! the victim second; in deception, the victim first and the attacker second. The second caller
//! gets nothing that only the first one sent, and no response of the first one's own. The upstream
//! responds with everything that it got.
//!
//! - `rows.rs`, `rows/`: the rows by class
//! - `lab.rs`: a worker with its callers and the upstream

mod lab;
mod rows;

use serde_json::json;

use crate::stored::{Protection, without};
use lab::{Answer, Lab, Who};

/// What only the first caller sends.
const MARKS: [&str; 2] = ["evil", "secret"];
const ROWS_MIN: usize = 60;
/// The protections, each behind those that hide whether it works: fields that do not reach the
/// upstream do no harm in calls that do not go by the cache.
const LAYERS: [&[Protection]; 12] = [
    &[Protection::Fields],
    &[Protection::Parameters],
    &[Protection::Body],
    &[Protection::Application],
    &[Protection::Identity],
    &[Protection::SetCookie],
    &[Protection::Vary],
    &[Protection::Fields, Protection::Cookie],
    &[Protection::Fields, Protection::Authorization],
    &[Protection::Fields, Protection::Range],
    &[Protection::Fields, Protection::MethodOverride],
    &[Protection::Fields, Protection::Origin],
];

/// An attack.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The cache of the version, as JSON.
    rules: &'static str,
    /// What the version has besides, as JSON.
    version: &'static str,
    /// Who calls first and second.
    by: (Who, Who),
    /// Method and target below the version; then field lines, and after an empty line the body.
    first: &'static str,
    /// One more field line of the first call; none if empty.
    field: &'static str,
    second: &'static str,
    /// The status and the field lines of the upstream's responses.
    answers: (&'static str, &'static str),
    /// The status of its responses to calls with a mark instead.
    fault: Option<&'static str>,
    expected: Expected,
    /// The status that the second caller gets.
    status: u16,
    /// Whether a third call, equal to the second, gets the stored response of the second.
    is_kept: bool,
    /// The protection without which the attack succeeds.
    proves: Option<Protection>,
}

/// What happens to the two calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// The second gets the stored response to the first: the attack did not reach the upstream.
    Shared,
    /// Each gets a response of its own.
    Apart,
    /// The gateway refuses the first with this status.
    Refused(u16),
}

/// The responses to the two calls, and to the second made again.
struct Seen {
    first: Answer,
    second: Answer,
    third: Answer,
}

impl Row {
    fn run(&self, off: &'static [Protection]) -> Seen {
        without(off, || {
            Lab::run(self, async |lab| {
                let (first_by, second_by) = self.by;
                let first = match self.field {
                    "" => self.first.to_owned(),
                    field => format!("{}\n{field}", self.first),
                };
                Seen {
                    first: lab.call(first_by, &first).await,
                    second: lab.call(second_by, self.second).await,
                    third: lab.call(second_by, self.second).await,
                }
            })
        })
    }

    /// What the attacker has achieved, if anything.
    fn breach(&self, seen: &Seen) -> Option<&'static str> {
        let text = seen.second.text.to_ascii_lowercase();
        let is_same = seen.second.call == seen.first.call;
        if MARKS.iter().any(|mark| text.contains(mark)) {
            Some("the second caller gets what the first one sent")
        } else if seen.second.status != self.status {
            Some("the second caller gets another status")
        } else if self.second.starts_with("GET") && !text.contains("\r\n\r\nget ") {
            Some("the second caller gets no body")
        } else if self.expected == Expected::Apart && is_same {
            Some("the second caller gets the response to the first one")
        } else {
            None
        }
    }

    /// Returns why the row does not hold, if so.
    fn fault(&self, seen: &Seen) -> Option<&'static str> {
        let is_refused = |status| seen.first.call.is_none() && seen.first.status == status;
        let is_same = seen.second.call == seen.first.call;
        let is_expected = match self.expected {
            Expected::Shared => is_same,
            Expected::Apart => !is_same && seen.first.call.is_some(),
            Expected::Refused(status) => is_refused(status),
        };
        let is_kept = seen.third.call == seen.second.call;
        let wrong = match (is_expected, is_kept == self.is_kept) {
            (true, true) => None,
            (true, false) => Some("the third call shows another state of the cache"),
            (false, _) => Some("the calls fare differently"),
        };
        self.breach(seen).or(wrong)
    }
}

#[test]
fn no_attack_reaches_another_caller() {
    let rows = rows::all();
    assert!(rows.len() >= ROWS_MIN, "{}", rows.len());
    let faults = rows.iter().filter_map(|row| {
        let seen = row.run(&[]);
        let fault = row.fault(&seen)?;
        let Seen {
            first,
            second,
            third,
        } = seen;
        Some(format!(
            "{fault}: {row:?}\n{first:?}\n{second:?}\n{third:?}"
        ))
    });
    let faults: Vec<_> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn an_attack_succeeds_without_its_protection() {
    let rows = rows::all();
    for off in LAYERS {
        let (protection, in_front) = off.split_last().unwrap();
        let proofs = rows.iter().filter(|row| row.proves == Some(*protection));
        let proofs: Vec<_> = proofs.collect();
        assert!(!proofs.is_empty(), "{protection:?}");
        for row in proofs {
            assert_eq!(row.breach(&row.run(in_front)), None, "{row:?}");
            assert!(row.breach(&row.run(off)).is_some(), "{row:?}");
        }
    }
}

/// A condition that takes about 400,000 units with a field `x-long` of 18,000 bytes.
fn much_work(first: &str) -> String {
    let searches = vec!["response.headers['x-long'].matches('b$')"; 20];
    format!("{first} || {}", searches.join(" || "))
}

#[test]
fn the_steps_of_one_response_have_one_budget_also_if_it_is_stored() {
    let step =
        |condition| json!({ "policy": "set_header", "name": "x-a", "value": "a", "if": condition });
    let stored = vec![step(much_work("false")); 32];
    let of_each_call = vec![step(much_work("request.id == ''")); 32];
    let fields = format!("X-Long: {}", "a".repeat(18_000)).leak();
    for (steps, status) in [
        (stored.clone(), 200),
        (of_each_call.clone(), 200),
        ([stored, of_each_call].concat(), 500),
    ] {
        let cache = json!({ "share": "all", "ttl_s": 600 });
        let version = json!({ "policies": { "cache": cache, "response": steps } });
        let row = Row {
            version: version.to_string().leak(),
            answers: ("200 OK", fields),
            ..rows::POISONING
        };
        let answer = Lab::run(&row, async |lab| lab.call(Who::Attacker, row.first).await);
        assert_eq!(answer.status, status, "{answer:?}");
        let is_refused = answer.text.contains("mediate.policy");
        assert_eq!(is_refused, status == 500, "{answer:?}");
    }
}
