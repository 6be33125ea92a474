//! `admit`: debits one call under every limit that applies, all or nothing.

use tollgate_counters::{BoundLimit, Standing, debit};
use tollgate_model::api::Method;
use tollgate_model::limit::Counting;
use tollgate_model::plan::Per;
use tollgate_model::refusal::Refusal;

use crate::authorize::Allowed;
use crate::operation::Called;
use crate::refusal::{Exhausted, Refused};
use crate::snapshot::mediation::Mediation;

/// The ticket of this room: a call that was counted. Only an admitted call can be sent upstream.
#[derive(Debug)]
pub(crate) struct Admitted<'s> {
    called: Called<'s>,
    standing: Option<Standing<'s>>,
}

impl<'s> Admitted<'s> {
    pub(crate) fn allowed(&self) -> &Allowed<'s> {
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

    /// Appends the `RateLimit` fields: every policy, and what the strictest has left
    /// (draft-ietf-httpapi-ratelimit-headers).
    pub(crate) fn push_fields(&self, out: &mut Vec<u8>) {
        if let Some(standing) = &self.standing {
            push_policies(out, self.called.bounds());
            push_left(
                out,
                standing.bound.name(),
                standing.remaining,
                seconds(standing.reset_us),
            );
        }
    }
}

/// Debits every limit of a call, or none.
pub(crate) fn debit_all(called: Called<'_>, now_us: i64) -> Result<Admitted<'_>, Refused> {
    match debit(called.bounds(), now_us) {
        Ok(standing) => Ok(Admitted { called, standing }),
        Err(exceeded) => {
            let wait_s = seconds(exceeded.retry_after_us).max(1);
            let mut fields = Vec::with_capacity(256);
            push_policies(&mut fields, called.bounds());
            push_left(&mut fields, exceeded.bound.name(), 0, wait_s);
            let policy = exceeded.bound.name().to_owned();
            let refusal = refusal(exceeded.bound);
            Err(Refused::exhausted(
                refusal,
                Exhausted {
                    policy,
                    wait_s,
                    fields,
                },
            ))
        }
    }
}

fn refusal(bound: &BoundLimit) -> Refusal {
    let is_bucket = matches!(bound.limit().counting, Counting::Gcra { .. });
    match (bound.limit().per, is_bucket) {
        (Per::SUBSCRIPTION, false) => Refusal::SubscriptionLimit,
        (Per::SUBSCRIPTION, true) => Refusal::SubscriptionBurst,
        (Per::APPLICATION, false) => Refusal::ApplicationLimit,
        (Per::APPLICATION, true) => Refusal::ApplicationBurst,
        (Per::API, _) => Refusal::ApiLimit,
        _ => Refusal::OperationLimit,
    }
}

fn push_policies<'s>(out: &mut Vec<u8>, bounds: impl Iterator<Item = &'s BoundLimit>) {
    let mut before: &[u8] = b"ratelimit-policy: ";
    for bound in bounds {
        out.extend_from_slice(before);
        out.extend_from_slice(bound.policy().as_bytes());
        before = b", ";
    }
    out.extend_from_slice(b"\r\n");
}

fn push_left(out: &mut Vec<u8>, name: &str, remaining: u64, reset_s: i64) {
    out.extend_from_slice(b"ratelimit: \"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\";r=");
    out.extend_from_slice(itoa::Buffer::new().format(remaining).as_bytes());
    out.extend_from_slice(b";t=");
    out.extend_from_slice(itoa::Buffer::new().format(reset_s).as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Whole seconds, rounded up, so that a client never retries too early.
fn seconds(us: i64) -> i64 {
    us.max(0).saturating_add(999_999) / 1_000_000
}
