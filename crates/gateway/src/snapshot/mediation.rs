//! What becomes of the messages of an operation, decided when its version is applied: how the head
//! of a request is edited, and what changes the bodies. `mediate` writes by it.

use std::sync::Arc;

use tollgate_model::api::Method;

use crate::snapshot::soap_to_rest::{Resource, SoapToRest};

/// What becomes of the messages of an operation.
#[derive(Debug)]
pub(crate) struct Mediation {
    pub(crate) head: HeadEdits,
    /// What changes bodies, in the order that a request passes; bodies stream through where there
    /// is none.
    pub(crate) transforms: Vec<Transform>,
}

/// How the upstream's head comes of the caller's. Whatever is edited, what belongs to one
/// connection stays there, the credential stays here, and what proxies tell each other is written
/// anew.
#[derive(Debug)]
pub(crate) struct HeadEdits {
    /// The method; `None`: the caller's.
    pub(crate) method: Option<Method>,
    pub(crate) target: TargetEdit,
    /// Field lines that are set, before all others.
    pub(crate) set: Vec<u8>,
    pub(crate) passed: Passed,
}

/// What follows the base path of the upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TargetEdit {
    /// Path and query below the version.
    Below,
    /// The query alone: the service has one path.
    Query,
    /// Nothing.
    None,
}

/// Which field lines of the caller go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    /// All.
    All,
    /// Those of the trace (W3C Trace Context).
    Trace,
}

/// What the body of a request, or of an answer, becomes.
#[derive(Debug)]
pub(crate) enum Transform {
    /// JSON and parameters become an envelope, and the envelope that comes back becomes JSON.
    SoapToRest(Arc<SoapToRest>, Arc<Resource>),
}

impl Mediation {
    /// Of a REST API that is passed on.
    pub(crate) fn rest() -> Self {
        Self::passing(TargetEdit::Below)
    }

    /// Of a SOAP service that is passed on.
    pub(crate) fn soap() -> Self {
        Self::passing(TargetEdit::Query)
    }

    /// Of one resource of a SOAP service that is called as REST. Of the caller's head nothing goes
    /// on but the trace: the rest is addressed to the REST API and means nothing to the back end.
    pub(crate) fn soap_to_rest(service: &Arc<SoapToRest>, resource: &Arc<Resource>) -> Self {
        Self {
            head: HeadEdits {
                method: Some(Method::Post),
                target: TargetEdit::None,
                set: resource.fields.clone(),
                passed: Passed::Trace,
            },
            transforms: vec![Transform::SoapToRest(
                Arc::clone(service),
                Arc::clone(resource),
            )],
        }
    }

    fn passing(target: TargetEdit) -> Self {
        Self {
            head: HeadEdits {
                method: None,
                target,
                set: Vec::new(),
                passed: Passed::All,
            },
            transforms: Vec::new(),
        }
    }
}
