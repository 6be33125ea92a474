//! The lifecycle of a version: which state follows which, and what each state means at the gateway,
//! in the catalogue and for subscriptions. The table is the one of the product's description.

use serde::{Deserialize, Serialize};

/// Where a version stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Being built; no gateway serves it.
    Created,
    /// Callable without a subscription, to try it.
    Prototyped,
    /// Deployed, shown, open for subscriptions.
    Published,
    /// Every call is refused with 503.
    Blocked,
    /// Still served, no new subscriptions.
    Deprecated,
    /// Gone for ever.
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

/// What a gateway does with calls of a version.
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
    /// Shown only to those who ask for deprecated versions.
    WhenAsked,
    /// Gone.
    Gone,
}

/// What becomes of the subscriptions that exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// There are none in this state.
    None,
    /// They go on.
    Work,
    /// They stay, and their calls are refused.
    Refused,
    /// They have ended.
    Ended,
}

impl InCatalogue {
    /// Whether the catalogue lists such a version; `deprecated` is whether deprecated ones are
    /// asked for.
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
    /// The word of this state, as in URLs, JSON and the database.
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

    /// The state of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        STATES.into_iter().find(|state| state.word() == word)
    }

    /// The states that may follow.
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
            Self::Deprecated => &[Self::Retired],
            Self::Retired => &[],
        }
    }

    /// What gateways do with calls in this state.
    #[must_use]
    pub const fn at_gateway(self) -> AtGateway {
        match self {
            Self::Created | Self::Retired => AtGateway::Absent,
            Self::Prototyped => AtGateway::Open,
            Self::Published | Self::Deprecated => AtGateway::Served,
            Self::Blocked => AtGateway::Refused,
        }
    }

    /// How the catalogue shows a version in this state.
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

    /// Whether an application may subscribe now.
    #[must_use]
    pub const fn takes_subscriptions(self) -> bool {
        matches!(self, Self::Published)
    }

    /// What the state means for subscriptions that exist.
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

/// What a version has, as far as a transition asks for it.
#[derive(Debug, Clone, Copy)]
pub struct Readiness {
    /// The configuration has something that can be called.
    pub operations: bool,
    /// The configuration names an upstream.
    pub upstream: bool,
    /// Plans attached.
    pub plans: usize,
}

/// What the store must do besides writing the new state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// The state left.
    pub from: State,
    /// The state entered.
    pub to: State,
    /// Existing subscriptions end with it, and with them what their credentials may call.
    pub ends_subscriptions: bool,
    /// A revision must be deployed for the new state.
    pub deploys: bool,
}

/// Why a transition is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransitionError {
    /// The table has no such arrow.
    #[error("a version that is {} cannot become {}; it can become {}",
        .from.word(), .to.word(), words(.from.next()))]
    NotNext {
        /// The present state.
        from: State,
        /// The wanted state.
        to: State,
    },
    /// Something is missing for the new state; each is named.
    #[error("a version needs {} to become {}", listed(.missing), .to.word())]
    Missing {
        /// The wanted state.
        to: State,
        /// What is missing, in words.
        missing: Vec<&'static str>,
    },
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

/// `a, b and c`.
fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Decides whether a version may go from `from` to `to`, and what that entails.
///
/// # Errors
/// [`TransitionError`] tells the states that may follow, or what is missing.
pub fn transition(from: State, to: State, has: Readiness) -> Result<Transition, TransitionError> {
    if !from.next().contains(&to) {
        return Err(TransitionError::NotNext { from, to });
    }
    let mut missing = Vec::new();
    if matches!(to, State::Published | State::Prototyped) {
        if !has.operations {
            missing.push("at least one operation");
        }
        if !has.upstream {
            missing.push("an upstream");
        }
    }
    if to == State::Published && has.plans == 0 {
        missing.push("at least one plan");
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
