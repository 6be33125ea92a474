//! Secrets of configurations: the gateway's credentials for back ends.
//!
//! They are stored sealed and sent to gateways; no caller can read them. Responses contain a
//! configuration as [`Shown`], with a mask in place of each secret. A mask that is sent back keeps
//! the previous secret, as long as the secret goes to the address that it was given for. A mask
//! without a previous secret stays, and the model rejects it.

use serde::Serialize;
use tollgate_model::api::Configuration;
use tollgate_model::fault::Fault;
use tollgate_model::secret::Secret;

/// A configuration as callers see it. Responses contain this, never a configuration itself.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Shown(Configuration);

impl From<Configuration> for Shown {
    fn from(mut configuration: Configuration) -> Self {
        for held in configuration.secrets_mut() {
            Secret::MASK.clone_into(&mut held.secret.0);
        }
        Self(configuration)
    }
}

/// Replaces each mask with the previous secret. Returns a fault for each secret that must be sent
/// again, because it would go to an address that it was not given for.
#[must_use]
pub(crate) fn unmask(configuration: &mut Configuration, mut before: Configuration) -> Vec<Fault> {
    let before = before.secrets_mut();
    let mut faults = Vec::new();
    for now in configuration.secrets_mut() {
        let there = before.iter().find(|it| it.field == now.field);
        if now.secret.0 == Secret::MASK
            && let Some(before) = there
        {
            now.secret.0.clone_from(&before.secret.0);
            faults.extend(now.place_fault(before));
        }
    }
    faults
}

#[cfg(test)]
mod tests;
