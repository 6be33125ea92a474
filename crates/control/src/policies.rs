//! Judges configurations with their policies, which crate `mediation` compiles.

use tollgate_mediation::compile::compile;
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::fault::Fault;

use crate::error::{Problem, refuse_any};

/// Rejects a configuration with all its faults, before it is saved.
///
/// # Errors
/// 422 with a fault for each.
pub(crate) fn judge(configuration: &Configuration, kind: Kind) -> Result<(), Problem> {
    let mut faults = configuration.faults(kind);
    faults.extend(configuration.path_faults());
    faults.extend(compile(configuration, kind).err().unwrap_or_default());
    refuse_any(faults)
}

/// Returns the compiled steps of a configuration for gateways; empty without steps.
///
/// # Errors
/// All faults of its steps.
pub(crate) fn compiled(configuration: &Configuration, kind: Kind) -> Result<Vec<u8>, Vec<Fault>> {
    Ok(compile(configuration, kind)?.to_bytes())
}

/// Whether a version has an upstream, or needs none since its steps respond to every call.
pub(crate) fn is_answered(configuration: &Configuration, kind: Kind) -> bool {
    let responds = || compile(configuration, kind).is_ok_and(|it| it.always_responds());
    configuration.upstream.is_some() || responds()
}
