//! The steps of a call through the gateway, as far as it came, and what each decided.

use serde::Serialize;
use tollgate_model::record::{AnsweredBy, CacheUse, Flags, Owner, Record};
use tollgate_model::refusal::Refusal;

/// A step of the gateway, in the order in which a call passes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CallStepName)]
pub(crate) enum Step {
    /// Reading the request.
    Listener,
    /// Finding API, version and operation.
    Route,
    /// Answering a CORS preflight.
    Preflight,
    /// Identifying the caller.
    Authenticate,
    /// Checking subscription, scopes and environment.
    Authorize,
    /// Counting the call against its limits.
    Admit,
    /// Reading the request's body, its transforms and the policies of requests.
    Request,
    /// Looking for a stored response.
    Cache,
    /// Calling the upstream.
    Upstream,
    /// The transforms and the policies of responses.
    Response,
    /// Sending the response.
    Send,
}

impl Step {
    /// Its word, as in JSON.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Listener => "listener",
            Self::Route => "route",
            Self::Preflight => "preflight",
            Self::Authenticate => "authenticate",
            Self::Authorize => "authorize",
            Self::Admit => "admit",
            Self::Request => "request",
            Self::Cache => "cache",
            Self::Upstream => "upstream",
            Self::Response => "response",
            Self::Send => "send",
        }
    }

    /// What the gateway does in it, for the reference.
    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::Listener => "reads the request",
            Self::Route => "finds API, version and operation",
            Self::Preflight => "answers a CORS preflight",
            Self::Authenticate => "identifies the caller",
            Self::Authorize => "checks subscription, scopes and environment",
            Self::Admit => "counts the call against its limits",
            Self::Request => "reads the body, transforms it and runs the policies of requests",
            Self::Cache => "looks for a stored response",
            Self::Upstream => "calls the back end",
            Self::Response => "transforms the response and runs the policies of responses",
            Self::Send => "sends the response",
        }
    }
}

/// What a step decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CallDecision)]
pub(crate) enum Decision {
    /// The call went on.
    Passed,
    /// The gateway rejected the call here.
    Refused,
    /// The response came from here.
    Answered,
    /// The exchange ended here, before the last byte of the response.
    Cut,
}

/// A step of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct CallStep {
    pub(super) step: Step,
    pub(super) decision: Decision,
    /// How long it took, nanoseconds; absent if that was not taken. `authenticate` and `admit` are
    /// timed in one call of 64; `request` has the time of all policies. Absent for `upstream` and
    /// `send` unless one owns the API or is an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ns: Option<u64>,
}

/// Returns the steps of a call, in their order; without the times that show how long the upstream
/// took, unless the caller sees it.
pub(super) fn of(record: &Record, sees_upstream: bool) -> Vec<CallStep> {
    let mut steps = all_of(record);
    if !sees_upstream {
        let of_upstream = |it: &&mut CallStep| matches!(it.step, Step::Upstream | Step::Send);
        steps
            .iter_mut()
            .filter(of_upstream)
            .for_each(|it| it.ns = None);
    }
    steps
}

fn all_of(record: &Record) -> Vec<CallStep> {
    let (last, decision) = decided(record);
    let mut steps = Vec::new();
    let before = ALL.into_iter().take_while(|step| *step < last);
    for step in before.filter(|step| is_passed(*step, record)) {
        steps.push(CallStep::new(step, Decision::Passed, record));
    }
    steps.push(CallStep::new(last, decision, record));
    if decision == Decision::Answered {
        let is_shaped = matches!(last, Step::Cache | Step::Upstream);
        if is_shaped {
            steps.push(CallStep::new(Step::Response, Decision::Passed, record));
        }
        let decision = match record.flags.has(Flags::CUT) {
            true => Decision::Cut,
            false => Decision::Passed,
        };
        steps.push(CallStep::new(Step::Send, decision, record));
    }
    steps
}

pub(super) const ALL: [Step; 11] = [
    Step::Listener,
    Step::Route,
    Step::Preflight,
    Step::Authenticate,
    Step::Authorize,
    Step::Admit,
    Step::Request,
    Step::Cache,
    Step::Upstream,
    Step::Response,
    Step::Send,
];

/// Whether a call that came further passed a step, or the step had nothing to do.
fn is_passed(step: Step, record: &Record) -> bool {
    match step {
        Step::Preflight => false,
        Step::Cache => record.answered.cache() != CacheUse::None,
        Step::Upstream => is_sent(record),
        _ => true,
    }
}

fn is_sent(record: &Record) -> bool {
    record.upstream_us > 0 || record.upstream_status > 0
}

/// The step that decided on the call.
fn decided(record: &Record) -> (Step, Decision) {
    if let Some(refusal) = record.refusal {
        let step = refused_at(refusal, record);
        // The status was sent: the response is cut.
        let is_cut = step == Step::Send || record.flags.has(Flags::CUT);
        let decision = match is_cut {
            true => Decision::Cut,
            false => Decision::Refused,
        };
        return (step, decision);
    }
    let is_stored = matches!(
        record.answered.cache(),
        CacheUse::Hit | CacheUse::Stale | CacheUse::Revalidated
    );
    let step = match record.answered.by() {
        AnsweredBy::Upstream if is_stored => Step::Cache,
        AnsweredBy::Upstream => Step::Upstream,
        AnsweredBy::Policy | AnsweredBy::Mock => Step::Request,
        AnsweredBy::Preflight => Step::Preflight,
        // The client left before a response began, as far as is known of the call.
        AnsweredBy::Gateway if record.status == 0 => return (furthest(record), Decision::Cut),
        // A document of the version.
        AnsweredBy::Gateway => Step::Route,
    };
    (step, Decision::Answered)
}

/// The step that refuses a call for this reason.
fn refused_at(refusal: Refusal, record: &Record) -> Step {
    match record.refused_by.map(|by| by.owner()) {
        Some(Owner::Request) => return Step::Request,
        Some(Owner::Response) => return Step::Response,
        _ => {}
    }
    match refusal {
        Refusal::BodyTime => Step::Request,
        Refusal::AnswerTime | Refusal::AnswerRoom => Step::Send,
        Refusal::Cors => Step::Preflight,
        Refusal::UpstreamLimit => Step::Upstream,
        Refusal::UpstreamNotUnderstood | Refusal::UpstreamTooLarge => Step::Response,
        Refusal::Internal => furthest(record),
        _ => match refusal.facts().code.split('.').next() {
            Some("listener") => Step::Listener,
            Some("route") => Step::Route,
            Some("authenticate") => Step::Authenticate,
            Some("authorize") => Step::Authorize,
            Some("admit") => Step::Admit,
            Some("mediate") => Step::Request,
            Some("cache") => Step::Cache,
            Some("upstream") => Step::Upstream,
            _ => furthest(record),
        },
    }
}

/// The furthest step that a record without a decision shows.
fn furthest(record: &Record) -> Step {
    match record {
        _ if is_sent(record) => Step::Upstream,
        record if record.operation.is_some() && record.plan.is_some() => Step::Request,
        record if record.plan.is_some() => Step::Admit,
        record if record.application.is_some() => Step::Authorize,
        record if record.version.is_some() => Step::Authenticate,
        _ => Step::Route,
    }
}

impl CallStep {
    fn new(step: Step, decision: Decision, record: &Record) -> Self {
        let us = |us: u32| Some(u64::from(us) * 1_000);
        let ns = match step {
            Step::Authenticate => record.authenticate.ns().map(u64::from),
            Step::Admit => record.admit.ns().map(u64::from),
            Step::Request if record.mediate_us > 0 => us(record.mediate_us.into()),
            Step::Upstream if is_sent(record) => us(record.upstream_us),
            Step::Send if is_sent(record) => {
                let before_us = record.before_us.saturating_add(record.upstream_us);
                us(record.total_us.saturating_sub(before_us))
            }
            _ => None,
        };
        Self { step, decision, ns }
    }
}

#[cfg(test)]
mod tests;
