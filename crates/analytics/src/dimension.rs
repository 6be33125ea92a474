//! What calls are grouped and filtered by.

use tollgate_model::credential::CredentialKind;
use tollgate_model::id::Id;
use tollgate_model::record::{CacheUse, Flags, Record};
use tollgate_model::refusal::Refusal;
use tollgate_spool::Part;

/// A dimension of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dimension {
    /// The API.
    Api,
    /// The version.
    Version,
    /// The operation.
    Operation,
    /// The calling application.
    Application,
    /// The plan of its subscription.
    Plan,
    /// The environment of the credential.
    Environment,
    /// The status sent to the caller.
    Status,
    /// The reason for a refusal by the gateway.
    Refusal,
    /// What the cache of responses did.
    Cache,
    /// The program that called.
    Agent,
    /// The kind of the credential. Grouped by and filtered with [`Dimension::Credential`].
    CredentialKind,
    /// The credential.
    Credential,
}

/// Number of dimensions.
pub(crate) const COUNT: usize = Dimension::ALL.len();

/// A value for each dimension, in the order of [`Dimension::ALL`].
pub(crate) type Values<T> = [T; COUNT];

impl Dimension {
    /// Every dimension, in the sort order of results within a step.
    pub const ALL: [Self; 12] = [
        Self::Api,
        Self::Version,
        Self::Operation,
        Self::Application,
        Self::Plan,
        Self::Environment,
        Self::Status,
        Self::Refusal,
        Self::Cache,
        Self::Agent,
        Self::CredentialKind,
        Self::Credential,
    ];

    /// The name of this dimension, as in `usage.db` and in `GET /usage`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Version => "version",
            Self::Operation => "operation",
            Self::Application => "application",
            Self::Plan => "plan",
            Self::Environment => "environment",
            Self::Status => "status",
            Self::Refusal => "refusal",
            Self::Cache => "cache",
            Self::Agent => "agent",
            Self::CredentialKind => "credential_kind",
            Self::Credential => "credential",
        }
    }

    /// The part of a call that it is in.
    pub(crate) const fn part(self) -> Part {
        match self {
            Self::Api | Self::Version | Self::Operation => Part::Route,
            Self::Application | Self::Plan | Self::CredentialKind | Self::Credential => {
                Part::Caller
            }
            Self::Environment | Self::Status | Self::Refusal | Self::Cache | Self::Agent => {
                Part::Outcome
            }
        }
    }

    /// Returns the number of its value for a call; 0 if the call has none. Ids are raw, a refusal
    /// is its [`Refusal::number`], the use of the cache its place in [`CacheUse::ALL`], the sandbox
    /// 1.
    pub(crate) fn of(self, record: &Record) -> i64 {
        match self {
            Self::Api => raw(record.api),
            Self::Version => raw(record.version),
            Self::Operation => raw(record.operation),
            Self::Application => raw(record.application),
            Self::Plan => raw(record.plan),
            Self::Environment => record.flags.has(Flags::SANDBOX).into(),
            Self::Status => record.status.into(),
            Self::Refusal => record.refusal.map_or(0, Refusal::number).into(),
            Self::Cache => record.answered.cache() as i64,
            Self::Agent => record.agent.number().into(),
            Self::CredentialKind => record
                .credential_kind
                .map_or(0, CredentialKind::number)
                .into(),
            Self::Credential => match record.credential_kind {
                Some(_) => record.credential,
                None => 0,
            },
        }
    }
}

/// Returns the number of a use of the cache.
pub(crate) fn cache_of(number: i64) -> Option<CacheUse> {
    CacheUse::ALL.get(usize::try_from(number).ok()?).copied()
}

fn raw<K>(id: Option<Id<K>>) -> i64 {
    id.map_or(0, Id::raw)
}
