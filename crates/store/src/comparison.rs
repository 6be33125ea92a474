//! Two contents to compare, drafts or revisions of one version or of two, read in one transaction.

use tollgate_model::api::Configuration;
use tollgate_model::id::VersionId;

use crate::contracts::{self, ContractDocument};
use crate::documents::{self, Document};
use crate::reading::Reading;
use crate::revisions::{self, Revision};
use crate::{Store, StoreError, secrets};

/// One side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The draft.
    Draft,
    /// The deployed revision.
    Deployed,
    /// The revision with this number.
    Revision(i64),
}

/// One side with its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The version.
    pub version: VersionId,
    /// The side.
    pub side: Side,
}

/// The contents of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The revision; `None` for the draft.
    pub revision: Option<Revision>,
    /// The configuration.
    pub configuration: Configuration,
    /// Digest of the OpenAPI document.
    pub document: Option<String>,
}

/// Both sides of a comparison.
#[derive(Debug)]
pub struct Comparison {
    /// The contents; `None` if there is no such revision.
    pub sides: [Option<Contents>; 2],
    /// The documents, if each side has one.
    pub documents: Option<[Document; 2]>,
    /// The documents of the contracts, if each side has a contract and they differ.
    pub contracts: Option<[Vec<ContractDocument>; 2]>,
}

/// Reads two sides.
///
/// # Errors
/// [`StoreError::NotFound`] if a version does not exist.
pub async fn read(store: &Store, places: [Place; 2]) -> Result<Comparison, StoreError> {
    let mut reading = store.reading().await?;
    let sides = [
        contents(store, &mut reading, places[0]).await?,
        contents(store, &mut reading, places[1]).await?,
    ];
    let (mut documents, mut contracts) = (None, None);
    if let [Some(from), Some(to)] = &sides {
        documents = both_documents(&mut reading, [from, to]).await?;
        let versions = places.map(|it| it.version);
        contracts = differing_contracts(&mut reading, versions, [from, to]).await?;
    }
    reading.end().await?;
    Ok(Comparison {
        sides,
        documents,
        contracts,
    })
}

async fn contents(
    store: &Store,
    reading: &mut Reading,
    Place { version, side }: Place,
) -> Result<Option<Contents>, StoreError> {
    const DRAFT: &str = "select draft as configuration, draft_document as document \
        from versions where id = $1";
    const REVISION: &str = "select r.id, r.version, r.number, r.note, r.created_by, r.created_us, \
            r.configuration, r.document, u.name as created_by_name \
        from revisions r left join users u on u.id = r.created_by \
        where r.version = $1 and case when $2 is null \
            then r.id = (select deployed from versions where id = $1) else r.number = $2 end";
    let number = match side {
        Side::Draft | Side::Deployed => None,
        Side::Revision(number) => Some(number),
    };
    let row = match side {
        Side::Draft => reading.row(DRAFT, &[version.into()]).await?,
        Side::Deployed | Side::Revision(_) => {
            let values = [version.into(), number.into()];
            reading.row(REVISION, &values).await?
        }
    };
    let Some(row) = row else {
        return match side {
            Side::Draft => Err(StoreError::NotFound("version")),
            Side::Deployed | Side::Revision(_) => Ok(None),
        };
    };
    let revision = match side {
        Side::Draft => None,
        Side::Deployed | Side::Revision(_) => Some(revisions::read_revision(&row)?),
    };
    let mut configuration = row.json("configuration")?;
    secrets::open(store.master_key(), version, &mut configuration);
    Ok(Some(Contents {
        revision,
        configuration,
        document: row.text_or_null("document")?,
    }))
}

async fn both_documents(
    reading: &mut Reading,
    sides: [&Contents; 2],
) -> Result<Option<[Document; 2]>, StoreError> {
    let [Some(from), Some(to)] = sides.map(|it| it.document.as_deref()) else {
        return Ok(None);
    };
    let from = documents::by_digest(reading, from).await?;
    Ok(Some([from, documents::by_digest(reading, to).await?]))
}

async fn differing_contracts(
    reading: &mut Reading,
    versions: [VersionId; 2],
    sides: [&Contents; 2],
) -> Result<Option<[Vec<ContractDocument>; 2]>, StoreError> {
    let [Some(from), Some(to)] = sides.map(|it| it.configuration.soap.as_ref()) else {
        return Ok(None);
    };
    if from.contract == to.contract {
        return Ok(None);
    }
    let from = contracts::documents_within(reading, versions[0], &from.contract).await?;
    let to = contracts::documents_within(reading, versions[1], &to.contract).await?;
    Ok(Some([from, to]))
}
