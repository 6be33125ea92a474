//! Configurations as they are stored: JSON whose secrets are sealed for their version, their place
//! in it and the addresses that they may go to. One that was moved, or whose addresses were changed
//! past the store, does not open.

use tollgate_model::api::{Configuration, HeldSecret};
use tollgate_model::id::VersionId;
use tollgate_model::secret::Secret;

use crate::StoreError;
use crate::master_key::MasterKey;
use crate::value::json;

/// The JSON of a version's configuration, with its secrets sealed.
pub(crate) fn sealed_json(
    key: &MasterKey,
    version: VersionId,
    configuration: &Configuration,
) -> Result<String, StoreError> {
    let mut configuration = configuration.clone();
    for held in configuration.secrets_mut() {
        held.secret.0 = key.seal(&owner(version, &held), &held.secret.0)?;
    }
    Ok(json(&configuration))
}

/// Opens the secrets of a version's configuration. In the place of one that does not open stands
/// the mask, with which the version is neither saved nor served until it is given again.
pub(crate) fn open(key: &MasterKey, version: VersionId, configuration: &mut Configuration) {
    for held in configuration.secrets_mut() {
        let text = key.open(&owner(version, &held), &held.secret.0);
        held.secret.0 = text.unwrap_or_else(|| {
            tracing::error!(%version, "a secret of {version} does not open: {}", held.field);
            Secret::MASK.to_owned()
        });
    }
}

/// What a secret is sealed for.
fn owner(version: VersionId, held: &HeldSecret<'_>) -> String {
    let places: Vec<_> = held.places.iter().map(String::as_str).collect();
    format!("{} {} {}", version.raw(), held.field, places.join(" "))
}
