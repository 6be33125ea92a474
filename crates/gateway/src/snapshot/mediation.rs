//! The mediation of an operation's messages, decided when its version is applied: how the head of a
//! request is edited, and which transforms change the bodies. `mediate` applies it.

use std::sync::Arc;

use tollgate_model::api::Method;

use crate::snapshot::caching::Caching;
use crate::snapshot::policies::Steps;
use crate::snapshot::soap_to_rest::{Resource, SoapToRest};

/// The mediation of an operation's messages.
#[derive(Debug)]
pub(crate) struct Mediation {
    pub(crate) head: HeadEdits,
    /// The steps of its policies, if any.
    pub(crate) steps: Option<Arc<Steps>>,
    /// The transforms of bodies, in the order that a request passes them; without any, bodies are
    /// streamed.
    pub(crate) transforms: Vec<Transform>,
    /// What its calls mean for stored responses.
    pub(crate) caching: Caching,
}

/// How the upstream's head is derived from the caller's. Regardless of edits, hop-by-hop fields and
/// the caller's credential are not forwarded, and the fields by which proxies identify themselves
/// are replaced.
#[derive(Debug)]
pub(crate) struct HeadEdits {
    /// The method; `None` for the caller's.
    pub(crate) method: Option<Method>,
    pub(crate) target: TargetEdit,
    /// Field lines to set, before all others.
    pub(crate) set: Vec<u8>,
    pub(crate) passed: Passed,
}

/// What follows the base path of the upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TargetEdit {
    /// Path and query below the version.
    Below,
    /// Only the query: the service has one path.
    Query,
    /// Nothing.
    None,
}

/// Which field lines of the caller are forwarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    /// All.
    All,
    /// The trace fields (W3C Trace Context).
    Trace,
}

/// A transform of request and response bodies.
#[derive(Debug)]
pub(crate) enum Transform {
    /// Turns JSON and parameters into an envelope, and the response's envelope into JSON.
    SoapToRest(Arc<SoapToRest>, Arc<Resource>),
}

impl Mediation {
    /// For a proxied REST API.
    pub(crate) fn rest() -> Self {
        Self::passing(TargetEdit::Below)
    }

    /// For a proxied SOAP service.
    pub(crate) fn soap() -> Self {
        Self::passing(TargetEdit::Query)
    }

    /// Adds the steps of policies.
    pub(crate) fn with_steps(self, steps: Option<Arc<Steps>>) -> Self {
        Self { steps, ..self }
    }

    /// Adds what calls mean for stored responses.
    pub(crate) fn with_caching(self, caching: Caching) -> Self {
        Self { caching, ..self }
    }

    /// For one resource of a SOAP service called as REST. Of the caller's head only the trace is
    /// forwarded: the rest is addressed to the REST API and means nothing to the back end.
    pub(crate) fn soap_to_rest(service: &Arc<SoapToRest>, resource: &Arc<Resource>) -> Self {
        Self {
            head: HeadEdits {
                method: Some(Method::Post),
                target: TargetEdit::None,
                set: resource.fields.clone(),
                passed: Passed::Trace,
            },
            steps: None,
            transforms: vec![Transform::SoapToRest(
                Arc::clone(service),
                Arc::clone(resource),
            )],
            caching: Caching::None,
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
            steps: None,
            transforms: Vec::new(),
            caching: Caching::None,
        }
    }
}
