//! The lifecycle of a version: allowed transitions, and what each state means for the gateway, the
//! catalogue and subscriptions. The table is that of the product's description.

mod deprecation;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;

pub use deprecation::{Deprecation, Successor, successor_fault, sunset_fault};

/// The state of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Under construction; not served by gateways.
    Created,
    /// Callable without a subscription, to try it.
    Prototyped,
    /// Deployed, listed, open for subscriptions.
    Published,
    /// Every call is refused with 503.
    Blocked,
    /// Still served, without new subscriptions.
    Deprecated,
    /// Permanently removed.
    Retired,
}

/// Every state, in the order of the table.
pub const STATES: [State; 6] = [
    State::Created,
    State::Prototyped,
    State::Published,
    State::Blocked,
    State::Deprecated,
    State::Retired,
];

/// How gateways handle calls of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtGateway {
    /// Not deployed: the path is unknown, 404.
    Absent,
    /// Served without a subscription.
    Open,
    /// Served to subscribers.
    Served,
    /// Refused with 503.
    Refused,
}

/// How the catalogue shows a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InCatalogue {
    /// Not shown to consumers.
    Hidden,
    /// Shown, marked as a prototype.
    Prototype,
    /// Shown.
    Shown,
    /// Shown only if deprecated versions are requested.
    WhenAsked,
    /// Gone.
    Gone,
}

/// What happens to existing subscriptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// There are none in this state.
    None,
    /// They continue.
    Work,
    /// They are kept, and their calls are refused.
    Refused,
    /// They have ended.
    Ended,
}

impl InCatalogue {
    /// Returns whether the catalogue lists such a version; `deprecated` is whether deprecated ones
    /// are requested.
    #[must_use]
    pub const fn is_listed(self, deprecated: bool) -> bool {
        match self {
            Self::Shown | Self::Prototype => true,
            Self::WhenAsked => deprecated,
            Self::Hidden | Self::Gone => false,
        }
    }
}

impl State {
    /// Returns the word of this state, as in URLs, JSON and the database.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Prototyped => "prototyped",
            Self::Published => "published",
            Self::Blocked => "blocked",
            Self::Deprecated => "deprecated",
            Self::Retired => "retired",
        }
    }

    /// Parses a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        STATES.into_iter().find(|state| state.word() == word)
    }

    /// Returns the states that may follow.
    #[must_use]
    pub const fn next(self) -> &'static [Self] {
        match self {
            Self::Created => &[Self::Prototyped, Self::Published],
            Self::Prototyped => &[Self::Created, Self::Published],
            Self::Published => &[
                Self::Prototyped,
                Self::Created,
                Self::Blocked,
                Self::Deprecated,
            ],
            Self::Blocked => &[Self::Published, Self::Deprecated],
            Self::Deprecated => &[Self::Published, Self::Retired],
            Self::Retired => &[],
        }
    }

    /// Returns how gateways handle calls in this state.
    #[must_use]
    pub const fn at_gateway(self) -> AtGateway {
        match self {
            Self::Created | Self::Retired => AtGateway::Absent,
            Self::Prototyped => AtGateway::Open,
            Self::Published | Self::Deprecated => AtGateway::Served,
            Self::Blocked => AtGateway::Refused,
        }
    }

    /// Returns whether gateways forward calls of a version in this state.
    #[must_use]
    pub const fn is_callable(self) -> bool {
        matches!(self.at_gateway(), AtGateway::Open | AtGateway::Served)
    }

    /// Returns how the catalogue shows a version in this state.
    #[must_use]
    pub const fn in_catalogue(self) -> InCatalogue {
        match self {
            Self::Created | Self::Blocked => InCatalogue::Hidden,
            Self::Prototyped => InCatalogue::Prototype,
            Self::Published => InCatalogue::Shown,
            Self::Deprecated => InCatalogue::WhenAsked,
            Self::Retired => InCatalogue::Gone,
        }
    }

    /// Returns whether a version may be deleted.
    #[must_use]
    pub const fn is_deletable(self) -> bool {
        matches!(self.at_gateway(), AtGateway::Absent)
    }

    /// Returns whether applications may subscribe.
    #[must_use]
    pub const fn takes_subscriptions(self) -> bool {
        matches!(self, Self::Published)
    }

    /// Returns what the state means for existing subscriptions.
    #[must_use]
    pub const fn existing_subscriptions(self) -> Existing {
        match self {
            Self::Created | Self::Prototyped => Existing::None,
            Self::Published | Self::Deprecated => Existing::Work,
            Self::Blocked => Existing::Refused,
            Self::Retired => Existing::Ended,
        }
    }
}

/// Properties of a version that a transition checks.
#[derive(Debug, Clone, Copy)]
pub struct Readiness {
    /// The configuration has at least one operation that callers can call.
    pub operations: bool,
    /// The configuration has an upstream.
    pub upstream: bool,
    /// Number of attached plans.
    pub plans: usize,
}

/// What the store must do besides writing the new state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// The previous state.
    pub from: State,
    /// The new state.
    pub to: State,
    /// Existing subscriptions end, and with them the access of their credentials.
    pub ends_subscriptions: bool,
    /// A revision must be deployed for the new state.
    pub deploys: bool,
}

/// Why a transition is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransitionError {
    /// The table has no such transition.
    #[error("a version that is {} cannot become {}; it can become {}",
        .from.word(), .to.word(), words(.from.next()))]
    NotNext {
        /// The present state.
        from: State,
        /// The requested state.
        to: State,
    },
    /// The version lacks something for the new state; all of it is named.
    #[error("a version needs {} to become {}", listed(.missing), .to.word())]
    Missing {
        /// The requested state.
        to: State,
        /// Everything that is missing.
        missing: Vec<Missing>,
    },
}

/// Something that a version lacks for a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// An operation.
    Operation,
    /// An upstream.
    Upstream,
    /// A plan to subscribe under.
    Plan,
}

impl Missing {
    /// Returns what is missing, in words.
    const fn words(self) -> &'static str {
        match self {
            Self::Operation => "at least one callable operation",
            Self::Upstream => "an upstream",
            Self::Plan => "at least one plan",
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Operation => "lifecycle.no_operation",
            Self::Upstream => "lifecycle.no_upstream",
            Self::Plan => "lifecycle.no_plan",
        }
    }
}

impl TransitionError {
    /// Returns a fault of the requested state for everything that is missing.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        match self {
            Self::NotNext { .. } => vec![Fault::new("/to", "lifecycle.not_next", self.to_string())],
            Self::Missing { to, missing } => {
                let missing = missing.iter();
                let faults = missing.map(|&it| {
                    let detail = TransitionError::Missing {
                        to: *to,
                        missing: vec![it],
                    };
                    Fault::new("/to", it.code(), detail.to_string())
                });
                faults.collect()
            }
        }
    }
}

fn words(states: &[State]) -> String {
    match states {
        [] => "nothing else".to_owned(),
        states => states
            .iter()
            .map(|state| state.word())
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// Formats a list: `a, b and c`.
fn listed(missing: &[Missing]) -> String {
    let words: Vec<_> = missing.iter().map(|it| it.words()).collect();
    match &words[..] {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Decides whether a version may change from `from` to `to`, and what that entails.
///
/// # Errors
/// [`TransitionError`] with the states that may follow, or what is missing.
pub fn transition(from: State, to: State, has: Readiness) -> Result<Transition, TransitionError> {
    if !from.next().contains(&to) {
        return Err(TransitionError::NotNext { from, to });
    }
    let mut missing = Vec::new();
    if matches!(to, State::Published | State::Prototyped) {
        if !has.operations {
            missing.push(Missing::Operation);
        }
        if !has.upstream {
            missing.push(Missing::Upstream);
        }
    }
    if to == State::Published && has.plans == 0 {
        missing.push(Missing::Plan);
    }
    if !missing.is_empty() {
        return Err(TransitionError::Missing { to, missing });
    }
    let deploys = from.at_gateway() == AtGateway::Absent;
    let ends_subscriptions = matches!(
        to.existing_subscriptions(),
        Existing::None | Existing::Ended
    ) && !matches!(from.existing_subscriptions(), Existing::None);
    Ok(Transition {
        from,
        to,
        ends_subscriptions,
        deploys,
    })
}

#[cfg(test)]
mod tests;
