//! The limits of one owner, indexed for calls. Those that apply to every call of it and have one
//! counter are bound when the snapshot is indexed. All others are found at the call: the limits of
//! users, addresses and several dimensions at once, and those under conditions.

pub(crate) mod condition;
pub(crate) mod policy_line;

use std::net::IpAddr;
use std::sync::Arc;

use smallvec::SmallVec;
use tollgate_counters::{BoundLimit, Counters, LimitPlace, Rule};
use tollgate_model::credential::CredentialId;
use tollgate_model::limit::{Applies, ServedLimit};
use tollgate_model::plan::{Dimension, Per};
use tollgate_model::record::{self, RefusedBy};

use crate::limits::condition::{Compiled, Facts};
use crate::limits::policy_line::PolicyLine;

/// The limits of a list: those that are bound at load, as rules, and those that are found.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) bound: Vec<Arc<Rule>>,
    /// What callers see of the bound ones, if no other limits apply.
    pub(crate) policy_line: Arc<PolicyLine>,
    pub(crate) found: Found,
}

/// Limits that are found at the call; `None` for most lists.
pub(crate) type Found = Option<Arc<[FoundLimit]>>;

/// Bound limits of a call, most often none.
pub(crate) type Bounds = SmallVec<[BoundLimit; 2]>;

/// A limit that is found at the call.
#[derive(Debug)]
pub(crate) struct FoundLimit {
    rule: Arc<Rule>,
    applies: When,
    /// The plans that it applies to, if not to all.
    plans: Option<Box<[String]>>,
    /// The dimension of its owner, if it is not a plan's.
    own: Option<Dimension>,
}

#[derive(Debug)]
enum When {
    Always,
    /// `None` for a condition that cannot be judged, which validation rejects: it matches nothing.
    If(Option<Compiled>),
    Otherwise,
}

impl FoundLimit {
    pub(crate) fn rule(&self) -> &Rule {
        &self.rule
    }
}

/// What limits belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A plan. Calls that fail may not count.
    Plan {
        counts_failures: bool,
    },
    Application,
    Version,
    Operation,
}

impl Owner {
    const fn recorded(self) -> record::Owner {
        match self {
            Self::Plan { .. } => record::Owner::Plan,
            Self::Application => record::Owner::Application,
            Self::Version => record::Owner::Version,
            Self::Operation => record::Owner::Operation,
        }
    }

    const fn dimension(self) -> Option<Dimension> {
        match self {
            Self::Plan { .. } => None,
            Self::Application => Some(Dimension::Application),
            Self::Version => Some(Dimension::Api),
            Self::Operation => Some(Dimension::Operation),
        }
    }
}

impl Rules {
    /// Indexes the limits of the owner with this raw id.
    pub(crate) fn new(limits: &[ServedLimit], owner: Owner, id: i64) -> Self {
        let mut bound = Vec::new();
        let mut found = Vec::new();
        for (index, limit) in limits.iter().enumerate() {
            let place = RefusedBy::new(owner.recorded(), index);
            let rule = Rule::new(limit.clone()).at(LimitPlace { place, owner: id });
            let rule = match owner {
                Owner::Plan {
                    counts_failures: false,
                } => rule.giving_back(),
                _ => rule,
            };
            if is_bound(limit, owner) {
                bound.push(Arc::new(rule));
                continue;
            }
            found.push(FoundLimit {
                rule: Arc::new(rule.found_at_call()),
                applies: match &limit.applies {
                    Applies::Always => When::Always,
                    Applies::If(condition) => When::If(Compiled::new(condition)),
                    Applies::Otherwise => When::Otherwise,
                },
                plans: limit.plans.clone().map(Vec::into_boxed_slice),
                own: owner.dimension(),
            });
        }
        Self {
            policy_line: Arc::new(PolicyLine::new(bound.iter().map(Arc::as_ref))),
            bound,
            found: (!found.is_empty()).then(|| found.into()),
        }
    }
}

/// Whether a limit applies to every call of its owner, with one counter.
fn is_bound(limit: &ServedLimit, owner: Owner) -> bool {
    let is_one = match owner.dimension() {
        Some(_) => limit.per.dimensions().count() == 1,
        None => matches!(limit.per, Per::SUBSCRIPTION | Per::APPLICATION | Per::API),
    };
    is_one && limit.applies == Applies::Always && limit.plans.is_none()
}

/// The dimension of a noun's own limit, distinct from that of a plan's limit on the same noun,
/// since both count a call that they apply to.
pub(crate) fn own_dimension(id: i64) -> i64 {
    -id
}

/// One number for an application and a version, so that a new subscription continues the usage of
/// the old one.
pub(crate) fn subscription(application: i64, version: i64) -> i64 {
    application.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.cast_signed()) ^ version
}

/// A call as its limits see it. What it lacks is 0.
pub(crate) struct Seen<'c> {
    pub(crate) subscription: i64,
    pub(crate) application: i64,
    pub(crate) version: i64,
    pub(crate) operation: i64,
    /// Whether the message only points to the operation, beside the called one: of limits that the
    /// two share, only those per operation count the call again.
    pub(crate) is_other: bool,
    pub(crate) user: i64,
    /// The name of its plan.
    pub(crate) plan: &'c str,
    /// What conditions are judged by.
    pub(crate) facts: Facts<'c>,
}

impl Seen<'_> {
    /// Finds the counters of the limits of a list that apply to this call.
    pub(crate) fn find(
        &self,
        limits: &[FoundLimit],
        counters: &Counters,
        now_us: i64,
        out: &mut Bounds,
    ) {
        let mut is_matched = false;
        for limit in limits {
            let applies = match &limit.applies {
                When::Always => true,
                When::If(condition) => condition.as_ref().is_some_and(|it| it.matches(self.facts)),
                When::Otherwise => false,
            };
            is_matched |= applies && matches!(limit.applies, When::If(_));
            if applies {
                out.extend(self.bind(limit, counters, now_us));
            }
        }
        if is_matched {
            return;
        }
        for limit in limits {
            if matches!(limit.applies, When::Otherwise) {
                out.extend(self.bind(limit, counters, now_us));
            }
        }
    }

    /// The counter of this call under a limit; `None` if the limit does not apply to its plan, or
    /// has counted the call already.
    fn bind(&self, limit: &FoundLimit, counters: &Counters, now_us: i64) -> Option<BoundLimit> {
        let per = limit.rule.limit().per;
        let is_of = |plans: &[String]| plans.iter().any(|plan| plan == self.plan);
        let is_counted = self.is_other && !per.has(Dimension::Operation);
        if is_counted || !limit.plans.as_deref().is_none_or(is_of) {
            return None;
        }
        let values = per
            .dimensions()
            .map(|dimension| match limit.own == Some(dimension) {
                true => own_dimension(self.value(dimension)),
                false => self.value(dimension),
            });
        let values: SmallVec<[i64; 2]> = values.collect();
        Some(counters.find(&limit.rule, &values, now_us))
    }

    fn value(&self, dimension: Dimension) -> i64 {
        match dimension {
            Dimension::Subscription => self.subscription,
            Dimension::Application => self.application,
            Dimension::Api => self.version,
            Dimension::Operation => self.operation,
            Dimension::User => self.user,
            Dimension::Address => caller(self.facts.address),
        }
    }
}

/// One number for a credential: of two kinds with the same raw id, each has its own.
pub(crate) fn user(credential: CredentialId) -> i64 {
    let (kind, id) = match credential {
        CredentialId::ApiKey(id) => (1, id.raw()),
        CredentialId::BasicUser(id) => (2, id.raw()),
        CredentialId::Client(id) => (3, id.raw()),
        CredentialId::Token(id) => (0, id.raw()),
    };
    id.wrapping_mul(4).wrapping_add(kind)
}

/// One number for a caller: its IPv4 address, or the network of 64 bits of its IPv6 address, since
/// one caller has all addresses of that.
fn caller(address: IpAddr) -> i64 {
    /// No network begins so: `::/8` is reserved (RFC 4291, section 2.4).
    const IPV4: u64 = 0xffff << 32;
    let bits = match address.to_canonical() {
        IpAddr::V4(address) => IPV4 | u64::from(address.to_bits()),
        IpAddr::V6(address) => u64::try_from(address.to_bits() >> 64).expect("64 bits are left"),
    };
    bits.cast_signed()
}

#[cfg(test)]
mod tests;
