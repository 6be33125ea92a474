//! The role of a process: which planes it runs.

use crate::settings::value::Role;

/// A role that this release does not support yet.
#[derive(Debug, thiserror::Error)]
#[error("role {0:?} is not supported yet: this release only supports role all (one process)")]
pub struct NotYet(&'static str);

/// Rejects the roles that need a feed over the network.
///
/// # Errors
/// Fails with [`NotYet`] for every role but [`Role::All`].
pub fn supported(role: Role) -> Result<(), NotYet> {
    match role {
        Role::All => Ok(()),
        Role::Gateway => Err(NotYet("gateway")),
        Role::Control => Err(NotYet("control")),
    }
}
