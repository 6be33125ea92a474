//! Configurations as stored: JSON with secrets sealed for their version, their field and the
//! addresses they may be sent to. A moved secret does not open, nor does one after its addresses
//! were changed in the file.

use tollgate_model::api::{Configuration, HeldSecret};
use tollgate_model::id::VersionId;
use tollgate_model::secret::Secret;

use crate::StoreError;
use crate::master_key::MasterKey;
use crate::value::json;

/// Returns the JSON of a version's configuration with its secrets sealed.
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

/// Opens the secrets of a version's configuration. A secret that does not open is replaced by the
/// mask, with which the version is neither saved nor served until the secret is entered again.
pub(crate) fn open(key: &MasterKey, version: VersionId, configuration: &mut Configuration) {
    for held in configuration.secrets_mut() {
        let text = key.open(&owner(version, &held), &held.secret.0);
        held.secret.0 = text.unwrap_or_else(|| {
            tracing::error!(%version, "a secret of {version} does not open: {}", held.field);
            Secret::MASK.to_owned()
        });
    }
}

/// Returns the owner that a secret is sealed for.
fn owner(version: VersionId, held: &HeldSecret<'_>) -> String {
    let places: Vec<_> = held.places.iter().map(String::as_str).collect();
    format!("{} {} {}", version.raw(), held.field, places.join(" "))
}
