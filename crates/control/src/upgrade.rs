//! One-time upgrades of data of earlier releases, at the first start of this one.

use tollgate_model::id::VersionId;
use tollgate_model::path::Semicolon;
use tollgate_openapi::Limits;
use tollgate_store::{Store, StoreError, documents, settings, versions};

/// Setting that marks the stored documents as searched for matrix parameters.
const SEMICOLONS: &str = "semicolons_of_documents";

/// Allows semicolons in versions whose document has a parameter of `style: matrix`: earlier
/// releases forwarded all semicolons. Newer imports propose it.
///
/// # Errors
/// Fails if the store fails; nothing is written then.
pub async fn pass_matrix_semicolons(store: &Store) -> Result<(), StoreError> {
    if settings::by_name(store, SEMICOLONS).await?.is_some() {
        return Ok(());
    }
    let mut found = Vec::new();
    for version in documents::containing(store, "matrix").await? {
        if has_matrix_parameter(store, version).await? {
            found.push(version);
        }
    }
    #[expect(clippy::disallowed_methods, reason = "upgrades run before any request")]
    let mut tx = store.write().await?;
    for &version in &found {
        versions::pass_semicolons(&mut tx, version).await?;
    }
    settings::put(&mut tx, SEMICOLONS, "1").await?;
    tx.commit().await?;
    for version in found {
        tracing::info!(
            %version,
            "version {version} now forwards semicolons: its document has matrix-style parameters"
        );
    }
    Ok(())
}

async fn has_matrix_parameter(store: &Store, version: VersionId) -> Result<bool, StoreError> {
    let Some(document) = documents::of_draft(store, version).await? else {
        return Ok(false);
    };
    let read = || tollgate_openapi::read(&document.bytes, Limits::default());
    // A document that can no longer be read proposes nothing.
    Ok(read().is_ok_and(|imported| imported.semicolon == Semicolon::Pass))
}

#[cfg(test)]
mod tests;
