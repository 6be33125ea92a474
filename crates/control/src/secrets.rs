//! Secrets of configurations: what a back end knows the gateway by.
//!
//! They are stored and go to gateways; nobody reads them again. Whoever asks for a configuration
//! gets it as [`Shown`], with a mask in the place of each, and a mask that is sent back means what
//! was there before, while both upstreams keep their addresses. A mask without anything before it
//! stays, and the model refuses it.

use serde::Serialize;
use tollgate_model::api::Configuration;
use tollgate_model::fault::Fault;
use tollgate_model::resource::{BackEnd, Secret};

/// A configuration as callers see it. Answers carry this, never a configuration itself.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Shown(Configuration);

impl From<Configuration> for Shown {
    fn from(mut configuration: Configuration) -> Self {
        let secrets = back_end(&mut configuration).map(BackEnd::passwords);
        for secret in secrets.into_iter().flatten().flatten() {
            Secret::MASK.clone_into(&mut secret.0);
        }
        Self(configuration)
    }
}

/// Puts what was there before in the place of each mask. The faults are the secrets that must be
/// given again, because they would go to an address that they were not given for.
#[must_use]
pub(crate) fn unmask(configuration: &mut Configuration, mut before: Configuration) -> Vec<Fault> {
    let may_keep = configuration.may_keep_secrets(&before);
    let (Some(now), Some(before)) = (back_end(configuration), back_end(&mut before)) else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    let both = now.passwords().into_iter().zip(before.passwords());
    for ((now, before), field) in both.zip(["username_token", "basic"]) {
        if let (Some(now), Some(before)) = (now, before)
            && now.0 == Secret::MASK
        {
            now.0.clone_from(&before.0);
            if let Err(detail) = &may_keep {
                let field = format!("/soap/rest/back_end/{field}/password");
                faults.push(Fault::new(field, "soap.password_address", detail));
            }
        }
    }
    faults
}

fn back_end(configuration: &mut Configuration) -> Option<&mut BackEnd> {
    let soap = configuration.soap.as_mut()?;
    soap.rest.as_mut().map(|rest| &mut rest.back_end)
}

#[cfg(test)]
mod tests;
