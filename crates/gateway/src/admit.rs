//! `admit`: debits one call under every limit that applies, all or nothing. Limits of the upstream
//! follow in a second pass, once it is certain that the upstream is called.

use tollgate_counters::{
    BoundLimit, Call, Debited, Exceeded, Rule, Standings, Wait, debit, give_back, standings,
};
use tollgate_model::api::Method;
use tollgate_model::limit::Counting;
use tollgate_model::plan::{Dimension, Metric};
use tollgate_model::refusal::Refusal;

use crate::authorize::Allowed;
use crate::exchange::{Exchange, Failure};
use crate::limits::Bounds;
use crate::limits::policy_line::{self, Named};
use crate::operation::Called;
use crate::record::RecordBuilder;
use crate::refusal::{Exhausted, Refused};
use crate::snapshot::mediation::Mediation;
use crate::worker::Worker;

/// The ticket of this room: a call that was counted. Only an admitted call can be sent upstream.
#[derive(Debug)]
pub(crate) struct Admitted<'s> {
    called: &'s Called<'s>,
    /// The limits that were found at the call.
    found: Bounds,
    standings: Standings,
    call: Call,
    /// What to put back if the upstream's own limits refuse the call; `None` if it has none.
    debited: Option<Box<Debited>>,
}

// It is returned to the walk, so it should be cheap to move.
const _: () = assert!(size_of::<Admitted<'_>>() <= 128);

impl<'s> Admitted<'s> {
    pub(crate) fn allowed(&self) -> &'s Allowed<'s> {
        self.called.allowed()
    }

    pub(crate) fn mediation(&self) -> &'s Mediation {
        &self.called.operation().mediation
    }

    /// The method of the upstream's request.
    pub(crate) fn method(&self) -> Method {
        let own = self.mediation().head.method;
        own.unwrap_or(self.allowed().routed().method())
    }

    /// Appends the `RateLimit` fields: every policy, and what the strictest of each metric has left
    /// (draft-ietf-httpapi-ratelimit-headers-11).
    pub(crate) fn push_fields(&self, out: &mut Vec<u8>, worker: &Worker) {
        self.push_standings(out, &self.standings, worker);
    }

    fn push_standings(&self, out: &mut Vec<u8>, standings: &Standings, worker: &Worker) {
        if standings.is_empty() {
            return;
        }
        let prepared = self.called.policy_line().filter(|_| self.found.is_empty());
        match prepared {
            Some((bounds, line)) => {
                line.push_line(out);
                push_all_left(out, standings, |place| line.named(bounds, place));
            }
            None => {
                let shown = policy_line::shown(self.bounds().map(BoundLimit::rule));
                policy_line::push_line(out, &shown);
                push_all_left(out, standings, |place| shown.get(place as usize).copied());
            }
        }
        let mut standings = standings.iter();
        if worker.settings.x_ratelimit_headers
            && let Some(standing) = standings.find(|it| it.metric == Metric::Requests)
            && let Some(bound) = self.bounds().nth(standing.place as usize)
        {
            push_older(
                out,
                bound.rule(),
                standing.remaining,
                seconds(standing.reset_us),
            );
        }
    }

    /// Every limit that applies, the narrowest first.
    fn bounds(&self) -> impl Iterator<Item = &BoundLimit> + Clone {
        self.found.iter().chain(self.called.bounds())
    }

    /// Debits the limits of the upstream, which is about to be called.
    pub(crate) fn debit_upstream(&self, record: &mut RecordBuilder) -> Result<(), Refused> {
        let bounds = match self.allowed().upstream() {
            Some(upstream) if !upstream.bounds.is_empty() => upstream.bounds.iter(),
            _ => return Ok(()),
        };
        match debit(bounds.clone(), self.call) {
            Ok(debited) => {
                settle_later(&debited, bounds, self.call, record);
                Ok(())
            }
            Err(exceeded) => {
                note_place(&exceeded, bounds, record);
                let wait = wait_s(exceeded.wait).map(|wait_s| wait_s.to_string());
                let wait = wait.as_deref().map(str::as_bytes);
                Err(Refused::wait(Refusal::UpstreamLimit, wait))
            }
        }
    }

    /// Adds the `RateLimit` fields to a refusal. Returns what the call was charged if the
    /// upstream's own limits refuse it; to quotas also if its message is refused.
    pub(crate) fn end_failed(
        &self,
        failure: Failure,
        exchange: &Exchange<'_>,
        record: &mut RecordBuilder,
    ) -> Failure {
        let Failure::Refused(refused) = failure else {
            return failure;
        };
        if let Some(debited) = &self.debited
            && refused.refusal == Refusal::UpstreamLimit
        {
            debited.put_back(self.bounds(), self.call);
            record.owed().clear();
            record.over(false);
        }
        let is_given_back = match refused.refusal {
            Refusal::UpstreamLimit => self.debited.is_some(),
            refusal if is_of_message(refusal) => {
                give_back(self.bounds(), self.call, record.is_over())
            }
            _ => false,
        };
        let (mut fields, worker) = (Vec::new(), exchange.worker());
        match is_given_back {
            true => {
                let standings = standings(self.bounds(), self.call);
                self.push_standings(&mut fields, &standings, worker);
            }
            false => self.push_fields(&mut fields, worker),
        }
        Failure::Refused(refused.with_limits(fields))
    }
}

/// Whether a call is refused for its message: calls of that kind do not count against quotas.
fn is_of_message(refusal: Refusal) -> bool {
    let facts = refusal.facts();
    facts.code.starts_with("mediate.") && matches!(facts.status, 400 | 413 | 415)
}

/// Debits every limit of a call, or none.
pub(crate) fn debit_all<'s>(
    called: &'s Called<'s>,
    exchange: &Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Admitted<'s>, Refused> {
    let call = Call {
        now_us: exchange.began_us(),
        weight: called.weight(),
    };
    let found = called.find(exchange);
    let bounds = || found.iter().chain(called.bounds());
    let mut debited = Debited::default();
    if let Err(exceeded) = debited.charge(bounds(), call) {
        let has_older = exchange.worker().settings.x_ratelimit_headers;
        note_place(&exceeded, bounds(), record);
        return Err(refuse(exceeded, bounds(), has_older));
    }
    settle_later(&debited, bounds(), call, record);
    let upstream = called.allowed().upstream();
    let is_bounded = upstream.is_some_and(|it| !it.bounds.is_empty());
    Ok(Admitted {
        standings: std::mem::take(&mut debited.standings),
        debited: is_bounded.then(|| Box::new(debited)),
        found,
        called,
        call,
    })
}

/// Notes in the record what the call owes at its end, and whether it exceeds a limit.
fn settle_later<'b>(
    debited: &Debited,
    bounds: impl Iterator<Item = &'b BoundLimit>,
    call: Call,
    record: &mut RecordBuilder,
) {
    debited.note(bounds, call, record.owed());
    if debited.is_over {
        record.over(true);
    }
}

/// Notes in the record which limit refuses the call.
fn note_place<'b>(
    exceeded: &Exceeded,
    mut bounds: impl Iterator<Item = &'b BoundLimit>,
    record: &mut RecordBuilder,
) {
    let bound = bounds.nth(exceeded.place as usize);
    if let Some(place) = bound.and_then(|bound| bound.rule().place()) {
        record.refused_by(place);
    }
}

fn refuse<'b>(
    exceeded: Exceeded,
    bounds: impl Iterator<Item = &'b BoundLimit> + Clone,
    has_older: bool,
) -> Refused {
    let shown = policy_line::shown(bounds.map(BoundLimit::rule));
    let Some(named) = shown.get(exceeded.place as usize).copied() else {
        return Refusal::Internal.into();
    };
    let wait_s = wait_s(exceeded.wait);
    let reset_s = wait_s.filter(|_| matches!(exceeded.wait, Wait::After(_)));
    let mut fields = Vec::with_capacity(256);
    policy_line::push_line(&mut fields, &shown);
    fields.extend_from_slice(b"ratelimit: ");
    push_left(&mut fields, named, 0, reset_s);
    fields.extend_from_slice(b"\r\n");
    if has_older && named.rule.limit().metric == Metric::Requests {
        push_older(&mut fields, named.rule, 0, reset_s.unwrap_or_default());
    }
    let exhausted = Exhausted {
        policy: named.name().into_owned(),
        wait_s,
    };
    let refused = Refused::exhausted(refusal(named.rule), exhausted).with_limits(fields);
    match exceeded.wait {
        Wait::Never => refused.explained(
            "The operation costs more units than this limit ever admits; waiting does not help.",
        ),
        Wait::Release => refused.explained("As many calls as the limit admits are in progress."),
        Wait::After(_) => refused,
    }
}

/// The refusal of the narrowest dimension that the limit counts.
fn refusal(rule: &Rule) -> Refusal {
    let limit = rule.limit();
    let has = |dimension| limit.per.has(dimension);
    let is_bucket = matches!(limit.counting, Counting::Gcra { .. });
    if has(Dimension::User) || has(Dimension::Address) {
        Refusal::RuleLimit
    } else if has(Dimension::Subscription) {
        match is_bucket {
            true => Refusal::SubscriptionBurst,
            false => Refusal::SubscriptionLimit,
        }
    } else if has(Dimension::Application) {
        match is_bucket {
            true => Refusal::ApplicationBurst,
            false => Refusal::ApplicationLimit,
        }
    } else if has(Dimension::Operation) {
        Refusal::OperationLimit
    } else {
        Refusal::ApiLimit
    }
}

/// Appends the `RateLimit` line: what is left under the limits that are named by their places.
fn push_all_left<'r>(
    out: &mut Vec<u8>,
    standings: &Standings,
    named: impl Fn(u32) -> Option<Named<'r>>,
) {
    let mut before: &[u8] = b"ratelimit: ";
    for standing in standings {
        let Some(named) = named(standing.place) else {
            continue;
        };
        let reset_s = (standing.metric != Metric::Concurrent).then(|| seconds(standing.reset_us));
        out.extend_from_slice(before);
        push_left(out, named, standing.remaining, reset_s);
        before = b", ";
    }
    out.extend_from_slice(b"\r\n");
}

fn push_left(out: &mut Vec<u8>, named: Named<'_>, remaining: u64, reset_s: Option<i64>) {
    named.push_quoted(out);
    out.extend_from_slice(b";r=");
    out.extend_from_slice(itoa::Buffer::new().format(remaining).as_bytes());
    if let Some(reset_s) = reset_s {
        out.extend_from_slice(b";t=");
        out.extend_from_slice(itoa::Buffer::new().format(reset_s).as_bytes());
    }
}

/// Appends the fields that were common before the draft.
fn push_older(out: &mut Vec<u8>, rule: &Rule, remaining: u64, reset_s: i64) {
    let amount = rule.limit().amount;
    out.extend_from_slice(b"x-ratelimit-limit: ");
    out.extend_from_slice(itoa::Buffer::new().format(amount).as_bytes());
    out.extend_from_slice(b"\r\nx-ratelimit-remaining: ");
    out.extend_from_slice(itoa::Buffer::new().format(remaining).as_bytes());
    out.extend_from_slice(b"\r\nx-ratelimit-reset: ");
    out.extend_from_slice(itoa::Buffer::new().format(reset_s).as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// The value of `Retry-After`; `None` if waiting does not help.
fn wait_s(wait: Wait) -> Option<i64> {
    match wait {
        Wait::After(us) => Some(seconds(us).max(1)),
        Wait::Release => Some(1),
        Wait::Never => None,
    }
}

/// Whole seconds, rounded up, so that a client never retries too early.
fn seconds(us: i64) -> i64 {
    us.max(0).saturating_add(999_999) / 1_000_000
}
