//! Configurations as they are stored: JSON whose secrets are sealed for their version.

use tollgate_model::api::Configuration;
use tollgate_model::id::VersionId;

use crate::StoreError;
use crate::master_key::MasterKey;
use crate::value::json;

/// The JSON of a version's configuration, with its secrets sealed.
pub(crate) fn sealed_json(
    key: &MasterKey,
    version: VersionId,
    configuration: &Configuration,
) -> Result<String, StoreError> {
    let (mut configuration, owner) = (configuration.clone(), owner(version));
    for held in configuration.secrets_mut() {
        held.secret.0 = key.seal(&owner, &held.secret.0)?;
    }
    Ok(json(&configuration))
}

/// Opens the secrets of a version's configuration.
///
/// # Errors
/// [`StoreError::Corrupt`]: one was not sealed by this key for this version.
pub(crate) fn open(
    key: &MasterKey,
    version: VersionId,
    configuration: &mut Configuration,
) -> Result<(), StoreError> {
    let owner = owner(version);
    for held in configuration.secrets_mut() {
        let text = key.open(&owner, &held.secret.0);
        let lost = || StoreError::Corrupt(format!("the secret {} does not open", held.field));
        held.secret.0 = text.ok_or_else(lost)?;
    }
    Ok(())
}

/// What the secrets of a version are sealed for.
pub(crate) fn owner(version: VersionId) -> String {
    format!("version {}", version.raw())
}
