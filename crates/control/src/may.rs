//! Permissions: one table of who may do what.
//!
//! The router names an [`Act`] beside each route, and the gate before the handler checks it here,
//! so no handler can forget the check. Whether an object is the caller's own is checked by the
//! handler; for APIs and everything below them, in `ownership`.

use tollgate_model::user::Role;

use Role::{Administrator, Developer, Publisher};

/// What a route does, as far as permissions distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// Sign in, get this API's OpenAPI document, check health, get what portals need before
    /// sign-in.
    Visit,
    /// See and end one's own session, change one's own password.
    KeepSession,
    /// Manage personal access tokens: one's own; all for an administrator.
    KeepAccessTokens,
    /// See and change users.
    ManageUsers,
    /// See plans.
    SeePlans,
    /// Create, change and delete plans.
    ManagePlans,
    /// See, rotate and revoke the keys that sign access tokens.
    ManageSigningKeys,
    /// See the status of the process.
    SeeStatus,
    /// See the APIs and versions that one may call.
    SeeCatalogue,
    /// See APIs, versions, drafts and revisions: one's own; those of others as far as the catalogue
    /// shows them.
    SeeApis,
    /// Create APIs; change one's own APIs and versions, deploy, move through the lifecycle.
    ManageApis,
    /// See applications: one's own; all for an administrator.
    SeeApplications,
    /// Create and change one's own applications and their credentials.
    ManageApplications,
    /// Suspend and resume the credentials of any application.
    SuspendCredentials,
    /// Set limits of a single application.
    LimitApplications,
    /// See subscriptions: of one's own applications and to one's own APIs.
    SeeSubscriptions,
    /// Subscribe, change the plan, unsubscribe; publishers who are not developers only to their own
    /// APIs.
    Subscribe,
    /// Change a subscription; the handler checks the particular change once the body is known.
    ChangeSubscriptions,
    /// Approve, reject, block and unblock subscriptions to one's own APIs; grant them scopes.
    DecideSubscriptions,
    /// See usage: of one's own applications and APIs; all for an administrator.
    SeeUsage,
}

/// Every act.
pub const ACTS: [Act; 20] = [
    Act::Visit,
    Act::KeepSession,
    Act::KeepAccessTokens,
    Act::ManageUsers,
    Act::SeePlans,
    Act::ManagePlans,
    Act::ManageSigningKeys,
    Act::SeeStatus,
    Act::SeeCatalogue,
    Act::SeeApis,
    Act::ManageApis,
    Act::SeeApplications,
    Act::ManageApplications,
    Act::SuspendCredentials,
    Act::LimitApplications,
    Act::SeeSubscriptions,
    Act::Subscribe,
    Act::ChangeSubscriptions,
    Act::DecideSubscriptions,
    Act::SeeUsage,
];

/// Callers that may perform an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Anyone, signed in or not.
    Anyone,
    /// Users with one of these roles; anyone, signed in or not, if the operator opens the catalogue
    /// (`control.open_catalogue`).
    Visitors(&'static [Role]),
    /// Every signed-in user, even before a one-time password is changed.
    SignedIn,
    /// Users with one of these roles.
    Roles(&'static [Role]),
}

impl Act {
    /// Returns who may perform this act: the table.
    #[must_use]
    pub const fn who(self) -> Who {
        match self {
            Self::Visit => Who::Anyone,
            Self::KeepSession => Who::SignedIn,
            Self::SeeCatalogue => Who::Visitors(&[Administrator, Publisher, Developer]),
            Self::KeepAccessTokens
            | Self::SeePlans
            | Self::SeeApplications
            | Self::ManageApplications
            | Self::SeeSubscriptions
            | Self::Subscribe
            | Self::ChangeSubscriptions
            | Self::SeeUsage => Who::Roles(&[Administrator, Publisher, Developer]),
            Self::ManageUsers
            | Self::ManagePlans
            | Self::ManageSigningKeys
            | Self::SeeStatus
            | Self::SuspendCredentials
            | Self::LimitApplications => Who::Roles(&[Administrator]),
            Self::SeeApis | Self::ManageApis | Self::DecideSubscriptions => {
                Who::Roles(&[Administrator, Publisher])
            }
        }
    }
}

/// Returns whether a user with these roles may perform an act.
#[must_use]
pub fn may(roles: &[Role], act: Act) -> bool {
    match act.who() {
        Who::Anyone | Who::SignedIn => true,
        Who::Roles(allowed) | Who::Visitors(allowed) => {
            roles.iter().any(|role| allowed.contains(role))
        }
    }
}
