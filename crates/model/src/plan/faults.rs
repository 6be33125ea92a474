//! The faults of limits, all of them at once. `condition.rs` judges conditions, `counting.rs`
//! windows and algorithms.

mod condition;
mod counting;

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

use crate::fault::Fault;
use crate::plan::{
    AMOUNT_MAX, Algorithm, CONCURRENT_MAX, Dimension, LIMITS_MAX, Limit, Metric, NAME_BYTES_MAX,
    PLAN_LIMITS_MAX, Per, Window,
};

pub(crate) use condition::CREDENTIAL_FIELD;
pub use condition::is_credential_header;

/// Maximum number of plans that a limit names.
pub const PLANS_MAX: usize = 100;

/// What limits belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A plan: limits on any dimension.
    Plan,
    /// An application, by itself and others.
    Application,
    /// A version, by itself and others.
    Version,
    /// An operation, by itself and others.
    Operation,
    /// An upstream: limits on no dimension.
    Upstream,
}

impl Owner {
    /// The dimension that its limits must have.
    const fn dimension(self) -> Option<Dimension> {
        match self {
            Self::Application => Some(Dimension::Application),
            Self::Version => Some(Dimension::Api),
            Self::Operation => Some(Dimension::Operation),
            Self::Plan | Self::Upstream => None,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Plan => "a plan",
            Self::Application => "an application",
            Self::Version => "a version",
            Self::Operation => "an operation",
            Self::Upstream => "an upstream",
        }
    }
}

/// Returns all faults in the limits of an owner; fields begin with `/limits`. Limits beyond the
/// maximum number are not judged.
#[must_use]
pub fn limit_faults(limits: &[Limit], owner: Owner) -> Vec<Fault> {
    let mut faults = Vec::new();
    let limits_max = match owner {
        Owner::Plan => PLAN_LIMITS_MAX,
        _ => LIMITS_MAX,
    };
    if limits.len() > limits_max {
        let detail = format!("at most {limits_max} limits");
        faults.push(Fault::new("/limits", "limit.too_many", detail));
    }
    let has_conditions = limits.iter().any(|limit| limit.condition.is_some());
    let mut identities = HashSet::new();
    let mut names = HashSet::new();
    for (index, limit) in limits.iter().enumerate().take(limits_max) {
        let prefix = format!("/limits/{index}");
        let name = limit.name.as_deref();
        let is_taken = name.is_some_and(|name| !names.insert(name));
        let name = name.and_then(|name| name_fault(name, is_taken));
        let own = name.into_iter().chain(of_one(limit, owner));
        let own = own.chain(condition::faults(limit, owner, has_conditions));
        let own = own.chain(plans_faults(limit.plans.as_deref(), owner));
        faults.extend(own.map(|fault| fault.under(&prefix)));
        let is_valid = limit.window.is_none_or(Window::is_valid) && limit.per.is_valid();
        if is_valid && !identities.insert(Identity::new(limit)) {
            let detail = "another limit counts the same thing in the same window";
            faults.push(Fault::new(prefix, "limit.repeated", detail));
        }
    }
    faults
}

/// What decides which counters a limit has, within its list.
#[derive(PartialEq, Eq, Hash)]
struct Identity<'l> {
    metric: Metric,
    per: Per,
    algorithm: Discriminant<Algorithm>,
    window: Option<Window>,
    zone: &'l str,
    anchor: Option<&'l str>,
    condition: Option<String>,
    otherwise: bool,
    plans: Vec<&'l str>,
}

impl<'l> Identity<'l> {
    fn new(limit: &'l Limit) -> Self {
        let (zone, anchor) = match &limit.algorithm {
            Algorithm::Fixed { zone, anchor } => (zone.as_deref(), anchor.as_deref()),
            Algorithm::Gcra { .. } | Algorithm::Rolling {} => (None, None),
        };
        let plans = limit.plans.iter().flatten();
        let mut plans: Vec<_> = plans.map(String::as_str).collect();
        plans.sort_unstable();
        Self {
            metric: limit.metric,
            per: limit.per,
            algorithm: discriminant(&limit.algorithm),
            window: limit.window,
            zone: zone.unwrap_or("UTC"),
            anchor,
            condition: limit.condition.as_ref().map(|it| it.text()),
            otherwise: limit.otherwise,
            plans,
        }
    }
}

/// Returns the faults of a limit's own numbers and words; fields are JSON Pointers from the limit.
fn of_one(limit: &Limit, owner: Owner) -> Vec<Fault> {
    let mut faults = Vec::new();
    faults.extend(metric_fault(limit, owner));
    faults.extend(per_fault(limit, owner));
    let amount_max = match limit.metric {
        Metric::Concurrent => CONCURRENT_MAX,
        _ => AMOUNT_MAX,
    };
    if !(1..=amount_max).contains(&limit.amount) {
        let detail = format!("an amount must be 1 to {amount_max}");
        faults.push(Fault::new("/amount", "limit.amount", detail));
    }
    faults.extend(counting::window_fault(limit));
    faults.extend(counting::algorithm_faults(limit));
    faults.extend(counting::soft_fault(limit));
    faults
}

/// Returns the fault of a name; `is_taken` is whether another limit of the list has it.
fn name_fault(name: &str, is_taken: bool) -> Option<Fault> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_name = (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_plain);
    let detail = if !is_name {
        format!("a name must be 1 to {NAME_BYTES_MAX} letters, digits, \"-\", \"_\" and \".\"")
    } else if is_taken {
        "another limit of this list has the same name".to_owned()
    } else {
        return None;
    };
    Some(Fault::new("/name", "limit.name", detail))
}

fn metric_fault(limit: &Limit, owner: Owner) -> Option<Fault> {
    let is_upstreams = matches!(limit.metric, Metric::Requests | Metric::Concurrent);
    let detail = "an upstream's limit counts \"requests\" or \"concurrent\"";
    let is_wrong = owner == Owner::Upstream && !is_upstreams;
    is_wrong.then(|| Fault::new("/metric", "limit.metric", detail))
}

fn per_fault(limit: &Limit, owner: Owner) -> Option<Fault> {
    let words = || Dimension::ALL.map(Dimension::word).join(", ");
    let detail = match owner.dimension() {
        _ if owner == Owner::Upstream && limit.per.is_none() => return None,
        _ if owner == Owner::Upstream => {
            "an upstream's limit counts all its calls together: leave \"per\" out".to_owned()
        }
        _ if limit.per.is_none() => format!("missing: per what is counted, of {}", words()),
        _ if !limit.per.is_valid() => {
            format!(
                "\"per\" is one of {}, or a list of one or two different ones",
                words()
            )
        }
        Some(own) if !limit.per.has(own) => {
            let (owner, word) = (owner.words(), own.word());
            format!(
                "{owner}'s own limit must be per {word:?}, alone or with another; others belong \
                 to plans"
            )
        }
        _ => return None,
    };
    Some(Fault::new("/per", "limit.per", detail))
}

fn plans_faults(plans: Option<&[String]>, owner: Owner) -> Vec<Fault> {
    let Some(plans) = plans else {
        return Vec::new();
    };
    let detail = match plans.len() {
        _ if owner != Owner::Operation => "only limits of operations name plans".to_owned(),
        0 => "it names no plan: leave it out for all plans".to_owned(),
        1..=PLANS_MAX => return repeated_plans(plans),
        _ => format!("at most {PLANS_MAX} plans"),
    };
    vec![Fault::new("/plans", "limit.plans", detail)]
}

fn repeated_plans(plans: &[String]) -> Vec<Fault> {
    let mut seen = HashSet::new();
    let repeated = plans
        .iter()
        .enumerate()
        .filter(|(_, plan)| !seen.insert(*plan));
    let faults = repeated.map(|(index, _)| {
        let field = format!("/plans/{index}");
        Fault::new(field, "limit.plans", "it is listed twice")
    });
    faults.collect()
}

#[cfg(test)]
mod tests;
