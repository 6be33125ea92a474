//! Secrets of configurations: what back ends know the gateway by.
//!
//! They are stored sealed and go to gateways; nobody reads them again. Whoever asks for a
//! configuration gets it as [`Shown`], with a mask in the place of each, and a mask that is sent
//! back means what was there before, while it goes where it was given for. A mask
//! without anything before it stays, and the model refuses it.

use serde::Serialize;
use tollgate_model::api::Configuration;
use tollgate_model::fault::Fault;
use tollgate_model::secret::Secret;

/// A configuration as callers see it. Answers carry this, never a configuration itself.
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

/// Puts what was there before in the place of each mask. The faults are the secrets that must be
/// given again, because they would go to an address that they were not given for.
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
