//! Judges configurations with their policies, which crate `mediation` compiles.
//!
//! - `parsed.rs`: a cache of the parts of OpenAPI documents that policies need

mod parsed;

use std::sync::Arc;

use tokio::task::JoinError;
use tollgate_mediation::compile::{compile_saved, compile_with_examples};
use tollgate_mediation::mock::{Example, Examples};
use tollgate_mediation::note::Note;
use tollgate_model::api::{Configuration, Kind, Method};
use tollgate_model::fault::Fault;
use tollgate_model::template::PathTemplate;
use tollgate_openapi::Limits;
use tollgate_store::StoreError;
use tollgate_store::documents::Document;

use crate::error::{Problem, refuse_any};
use crate::importing::Admission;
use parsed::Part;

/// The examples of a document, which steps `mock` respond with.
#[derive(Debug, Default)]
pub(crate) struct DocumentExamples(Arc<Part<tollgate_openapi::Examples>>);

impl Examples for DocumentExamples {
    fn find(
        &self,
        method: Method,
        path: &PathTemplate,
        status: u16,
        name: Option<&str>,
    ) -> Option<Example> {
        let found = self.0.value.find(method, path, status, name)?;
        Some(Example {
            media_type: found.media_type.into(),
            body: found.body.into(),
        })
    }
}

impl DocumentExamples {
    /// Reads the examples of a document.
    ///
    /// # Errors
    /// Fails if the document cannot be parsed.
    pub(crate) fn read(document: &[u8]) -> Result<Self, Fault> {
        let examples = tollgate_openapi::examples(document, Limits::default())?;
        Ok(Self(Arc::new(Part::new(examples))))
    }
}

/// Returns the examples of the document of a configuration that is to be saved. The document is
/// only read if a step needs them; none if it cannot be parsed. A caller that is about to write
/// reads them before, and again within the write, where they are found as long as the first result
/// exists.
///
/// # Errors
/// 422 `policy.example` if they take too much memory; 503 `documents.full` if too many documents
/// are read. Fails if the database read fails.
pub(crate) async fn examples(
    admission: &mut Admission<'_>,
    configuration: &Configuration,
    document: impl Future<Output = Result<Option<Document>, StoreError>>,
) -> Result<DocumentExamples, Problem> {
    let Some(document) = document_with_examples(configuration, document).await? else {
        return Ok(DocumentExamples::default());
    };
    // It was read when it was uploaded; without it, its examples are faults.
    let examples = parsed::examples(admission, document).await?;
    Ok(examples.map(DocumentExamples).unwrap_or_default())
}

/// Like [`examples`], for a configuration that gateways serve: nothing is too large.
///
/// # Errors
/// Fails if the database read fails.
pub(crate) async fn served_examples(
    configuration: &Configuration,
    document: impl Future<Output = Result<Option<Document>, StoreError>>,
) -> Result<DocumentExamples, StoreError> {
    let Some(document) = document_with_examples(configuration, document).await? else {
        return Ok(DocumentExamples::default());
    };
    let examples = parsed::served_examples(document).await.ok().flatten();
    Ok(examples.map(DocumentExamples).unwrap_or_default())
}

/// Returns the document if a step needs its examples.
async fn document_with_examples(
    configuration: &Configuration,
    document: impl Future<Output = Result<Option<Document>, StoreError>>,
) -> Result<Option<Document>, StoreError> {
    match configuration.policies.needs_examples() {
        true => document.await,
        false => Ok(None),
    }
}

/// Returns the names of the header parameters in a document; none if it cannot be parsed.
///
/// # Errors
/// Fails if parsing panics.
pub(crate) async fn header_names(document: Document) -> Result<Arc<Vec<String>>, JoinError> {
    Ok(parsed::header_names(document).await?.unwrap_or_default())
}

/// Rejects a configuration with all its faults, before it is saved.
///
/// # Errors
/// 422 with a fault for each.
pub(crate) fn judge(
    configuration: &Configuration,
    kind: Kind,
    examples: &DocumentExamples,
) -> Result<(), Problem> {
    refuse_any(Judgement::new(configuration, kind, examples).faults)
}

/// The faults of a configuration that is to be saved, and the notes on it.
#[derive(Debug)]
pub(crate) struct Judgement {
    /// All faults.
    pub(crate) faults: Vec<Fault>,
    /// Notes on steps; none if a step has a fault.
    pub(crate) notes: Vec<Note>,
}

impl Judgement {
    /// Judges a configuration.
    pub(crate) fn new(
        configuration: &Configuration,
        kind: Kind,
        examples: &DocumentExamples,
    ) -> Self {
        let mut faults = configuration.faults(kind);
        faults.extend(configuration.path_faults());
        let notes = match compile_with_examples(configuration, kind, examples) {
            Ok(compiled) => compiled.notes,
            Err(of_steps) => {
                faults.extend(of_steps);
                Vec::new()
            }
        };
        Self { faults, notes }
    }
}

/// Returns the notes on the steps of a saved configuration; none if a step has a fault.
pub(crate) fn notes(configuration: &Configuration, kind: Kind) -> Vec<Note> {
    let compiled = compile_with_examples(configuration, kind, &AnyExample);
    compiled.map_or_else(|_| Vec::new(), |it| it.notes)
}

/// Returns the compiled steps of a configuration for gateways; empty without steps.
///
/// # Errors
/// All faults of its steps.
pub(crate) fn compiled(
    configuration: &Configuration,
    kind: Kind,
    examples: &DocumentExamples,
) -> Result<Vec<u8>, Vec<Fault>> {
    let compiled = compile_saved(configuration, kind, examples)?;
    compiled.to_bytes().map_err(|error| {
        let detail = format!("the steps cannot be sent to gateways: {error}");
        vec![Fault::new("/policies", "policy.value", detail)]
    })
}

/// Whether a version has an upstream, or needs none since its steps respond to every call.
pub(crate) fn is_answered(configuration: &Configuration, kind: Kind) -> bool {
    let responds = || {
        let compiled = compile_with_examples(configuration, kind, &AnyExample);
        compiled.is_ok_and(|it| it.always_responds())
    };
    configuration.upstream.is_some() || responds()
}

/// A document with all examples: others are faults elsewhere.
struct AnyExample;

impl Examples for AnyExample {
    fn find(&self, _: Method, _: &PathTemplate, _: u16, _: Option<&str>) -> Option<Example> {
        Some(Example::default())
    }
}
