//! Creates the service of a draft from a contract, keeping the settings of the previous service.

use std::collections::HashMap;

use tollgate_model::api::Kind;
use tollgate_model::compile::ContractOperation;
use tollgate_model::resource::{Answers, AnyForm, RestService, Shape};
use tollgate_model::soap::{SoapOperation, SoapService};
use tollgate_soap::compile::Compiled;
use tollgate_soap::convention;
use tollgate_soap::plan;
use tollgate_soap::resources::{self, Change};

/// How resources are proposed.
#[derive(Debug, Clone, Copy, Default, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Style {
    /// Derived from the words of an operation's name: `getOrder` becomes `GET /order/{orderId}`.
    #[default]
    Rest,
    /// `POST /<operation>` for all operations.
    Rpc,
}

/// The choices of a service as REST that change its plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    shape: Shape,
    any: AnyForm,
}

impl Form {
    /// The form of services that are imported now.
    pub(crate) const IMPORTED: Self = Self {
        shape: Shape {
            marks_attributes: false,
            collapses_arrays: false,
        },
        any: AnyForm::Members,
    };

    /// Returns the form of a service; the default one if it is not called as REST.
    pub(crate) fn of_service(soap: &SoapService) -> Self {
        let rest = soap.rest.as_ref();
        rest.map_or_else(Self::default, |rest| Self {
            shape: rest.shape,
            any: rest.answers.any,
        })
    }

    /// Applies the form to a compiled port. Must run before anything is derived from it.
    pub(crate) fn apply(self, mut compiled: Compiled) -> Compiled {
        let shape = convention::Shape {
            marks_attributes: self.shape.marks_attributes,
            collapses_arrays: self.shape.collapses_arrays,
            opens_mixed: self.any == AnyForm::Members,
        };
        shape.apply(&mut compiled.plan);
        compiled
    }
}

/// Returns the operations of a port, with the fields that identify their requests.
pub(crate) fn operations(compiled: &Compiled) -> Vec<ContractOperation> {
    let plan = &compiled.plan;
    let name = |name: &plan::Name| {
        let namespace = plan.namespaces.get(usize::from(name.namespace.0));
        let namespace = namespace.map_or("", |namespace| namespace);
        (namespace.to_owned(), name.local.to_string())
    };
    let operations = plan.operations.iter().map(|operation| ContractOperation {
        name: operation.name.to_string(),
        action: operation.action.to_string(),
        body: operation.request.body.as_ref().map(|body| name(&body.name)),
        proxy_only: operation.proxy_only.as_deref().map(str::to_owned),
    });
    operations.collect()
}

/// Returns the service of a compiled port in an API of this kind, and the changes of its resources.
/// Settings of operations that the previous service also has are kept.
pub(crate) fn service(
    compiled: &Compiled,
    contract: String,
    kind: Kind,
    style: Style,
    before: Option<&SoapService>,
) -> (SoapService, Vec<Change>) {
    let listed = before.into_iter().flat_map(|before| &before.operations);
    let known: HashMap<&str, _> = listed.map(|it| (it.name.as_str(), it)).collect();
    let wanted = compiled.plan.operations.iter().map(|operation| {
        let kept = known.get(&*operation.name).copied().cloned();
        kept.unwrap_or_else(|| SoapOperation {
            name: operation.name.to_string(),
            limits: Vec::new(),
            weight: 1,
            scopes: Vec::new(),
            anonymous: false,
        })
    });
    let operations = wanted.collect();
    let (service, port) = (compiled.service.clone(), compiled.port.clone());
    let (mut rest, mut changes) = (None, Vec::new());
    if kind == Kind::SoapToRest {
        let kept = before.and_then(|before| before.rest.clone());
        let (merged, of_resources) = merged(compiled, style, kept.unwrap_or_else(imported));
        (rest, changes) = (Some(merged), of_resources);
    }
    let service = match before {
        Some(before) => SoapService {
            contract,
            service,
            port,
            operations,
            rest,
            ..before.clone()
        },
        None => SoapService {
            rest,
            ..SoapService::of(contract, service, port, operations)
        },
    };
    (service, changes)
}

/// Returns a service as REST as imports begin it.
fn imported() -> RestService {
    RestService {
        answers: Answers {
            any: Form::IMPORTED.any,
            ..Answers::default()
        },
        ..RestService::default()
    }
}

fn merged(compiled: &Compiled, style: Style, before: RestService) -> (RestService, Vec<Change>) {
    let style = match style {
        Style::Rest => resources::Style::Rest,
        Style::Rpc => resources::Style::Rpc,
    };
    let fixed = before.back_end.headers.keys().map(String::as_str);
    let fixed: Vec<_> = fixed.collect();
    let merged = resources::merge(&compiled.plan, &before.resources, style, &fixed);
    let rest = RestService {
        resources: merged.resources,
        ..before
    };
    (rest, merged.changes)
}
