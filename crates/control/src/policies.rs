//! Judges configurations with their policies, which crate `mediation` compiles.

use tollgate_mediation::compile::compile_with_examples;
use tollgate_mediation::mock::{Example, Examples};
use tollgate_model::api::{Configuration, Kind, Method};
use tollgate_model::fault::Fault;
use tollgate_model::template::PathTemplate;
use tollgate_store::StoreError;
use tollgate_store::documents::Document;

use crate::error::{Problem, refuse_any};

/// The examples of a document, which steps `mock` respond with.
#[derive(Debug, Default)]
pub(crate) struct DocumentExamples(tollgate_openapi::Examples);

impl Examples for DocumentExamples {
    fn find(
        &self,
        operation: (Method, &PathTemplate),
        status: u16,
        name: Option<&str>,
    ) -> Option<Example> {
        let found = self.0.find(operation, status, name)?;
        Some(Example {
            media_type: found.media_type.into(),
            body: found.body.into(),
        })
    }
}

/// Returns the examples of a configuration's document, which is only read if a step needs them;
/// none if it cannot be parsed. Large documents take a while, so this runs on a blocking thread.
///
/// # Errors
/// Fails if the database read fails.
pub(crate) async fn examples(
    configuration: &Configuration,
    document: impl Future<Output = Result<Option<Document>, StoreError>>,
) -> Result<DocumentExamples, StoreError> {
    if !configuration.policies.needs_examples() {
        return Ok(DocumentExamples::default());
    }
    let Some(document) = document.await? else {
        return Ok(DocumentExamples::default());
    };
    let read = move || tollgate_openapi::examples(&document.bytes);
    let examples = match tokio::task::spawn_blocking(read).await {
        Ok(Ok(examples)) => examples,
        // It was read when it was uploaded; without it, its examples are faults.
        Ok(Err(_)) | Err(_) => tollgate_openapi::Examples::default(),
    };
    Ok(DocumentExamples(examples))
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
    let mut faults = configuration.faults(kind);
    faults.extend(configuration.path_faults());
    let compiled = compile_with_examples(configuration, kind, examples);
    faults.extend(compiled.err().unwrap_or_default());
    refuse_any(faults)
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
    Ok(compile_with_examples(configuration, kind, examples)?.to_bytes())
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
    fn find(&self, _: (Method, &PathTemplate), _: u16, _: Option<&str>) -> Option<Example> {
        Some(Example::default())
    }
}
