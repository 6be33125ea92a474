//! Secrets of configurations: what a back end knows the gateway by.
//!
//! They are stored and go to gateways; nobody reads them again. Whoever asks for a configuration
//! gets it as [`Shown`], with a mask in the place of each, and a mask that is sent back means what
//! was there before. A mask without anything before it stays, and the model refuses it.

use serde::Serialize;
use tollgate_model::api::Configuration;
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

/// Puts what was there before in the place of each mask.
pub(crate) fn unmask(configuration: &mut Configuration, mut before: Configuration) {
    let (Some(now), Some(before)) = (back_end(configuration), back_end(&mut before)) else {
        return;
    };
    for (now, before) in now.passwords().into_iter().zip(before.passwords()) {
        if let (Some(now), Some(before)) = (now, before)
            && now.0 == Secret::MASK
        {
            now.0.clone_from(&before.0);
        }
    }
}

fn back_end(configuration: &mut Configuration) -> Option<&mut BackEnd> {
    let soap = configuration.soap.as_mut()?;
    soap.rest.as_mut().map(|rest| &mut rest.back_end)
}

#[cfg(test)]
mod tests;
