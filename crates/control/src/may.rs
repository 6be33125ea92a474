//! Who may do what: one table.
//!
//! The router names an [`Act`] beside each route, and the gate before the handler asks here, so
//! that no handler can forget it. Whether a thing is the caller's own is the handler's question:
//! for APIs and what is below them it is `ownership`'s.

use tollgate_model::user::Role;

use Role::{Administrator, Developer, Publisher};

/// What a route is about, as far as permission goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// Sign in, read the document of this API, ask for health, see what portals need before that.
    Visit,
    /// See and end one's session, change one's password.
    KeepSession,
    /// Personal access tokens: one's own; all for an administrator.
    KeepAccessTokens,
    /// See and change users.
    ManageUsers,
    /// See plans.
    SeePlans,
    /// Make, change and delete plans.
    ManagePlans,
    /// See and revoke the keys that access tokens are signed with.
    ManageSigningKeys,
    /// See how the process is.
    SeeStatus,
    /// See the APIs and versions that one may call.
    SeeCatalogue,
    /// See APIs, versions, drafts and revisions: one's own; of others what the catalogue tells.
    SeeApis,
    /// Make APIs; change one's own APIs and versions, deploy, move through the lifecycle.
    ManageApis,
    /// See applications: one's own; all for an administrator.
    SeeApplications,
    /// Make and change one's own applications and their credentials.
    ManageApplications,
    /// Suspend and resume the credentials of any application.
    SuspendCredentials,
    /// Give an application limits of its own.
    LimitApplications,
    /// See subscriptions: of one's own applications and to one's own APIs.
    SeeSubscriptions,
    /// Subscribe, change the plan, unsubscribe; publishers who are not developers, to own APIs.
    Subscribe,
    /// Change something about a subscription; what exactly is asked again with the body known.
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

/// Who may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Anyone, also without signing in.
    Anyone,
    /// Users with one of these roles; anyone, also without signing in, where the operator opens the
    /// catalogue (`control.open_catalogue`).
    Visitors(&'static [Role]),
    /// Whoever is signed in, even while a one-time password waits to be changed.
    SignedIn,
    /// Users with one of these roles.
    Roles(&'static [Role]),
}

impl Act {
    /// The table.
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

/// Whether a user with these roles may.
#[must_use]
pub fn may(roles: &[Role], act: Act) -> bool {
    match act.who() {
        Who::Anyone | Who::SignedIn => true,
        Who::Roles(allowed) | Who::Visitors(allowed) => {
            roles.iter().any(|role| allowed.contains(role))
        }
    }
}
