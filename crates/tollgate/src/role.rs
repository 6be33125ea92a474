//! Which planes one process runs.

use crate::settings::value::Role;

/// A role that this release does not have yet.
#[derive(Debug, thiserror::Error)]
#[error("role {0:?} is not supported yet: this release runs everything in one process, role all")]
pub struct NotYet(&'static str);

/// Refuses the roles that need a feed over the network.
///
/// # Errors
/// [`NotYet`].
pub fn supported(role: Role) -> Result<(), NotYet> {
    match role {
        Role::All => Ok(()),
        Role::Gateway => Err(NotYet("gateway")),
        Role::Control => Err(NotYet("control")),
    }
}
