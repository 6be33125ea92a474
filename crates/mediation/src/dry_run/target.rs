//! The target of a request: the operation, its program and its path.

use tollgate_model::api::{Kind, Method};

use super::route::{self, NoRoute};
use super::{Call, Site};
use crate::compile::Origins;
use crate::parameters::Parameters;
use crate::program::Program;

/// The target of a request.
pub(super) struct Target {
    pub(super) operation: Option<String>,
    pub(super) parameters: Parameters,
    /// The method that the operation is called with.
    pub(super) method: Method,
    /// The path at the gateway, without the query.
    pub(super) sent_path: String,
    /// Path and query below the version, as they are sent on.
    pub(super) below: String,
}

impl Target {
    pub(super) fn find(site: &Site<'_>, call: &Call) -> Result<Self, NoRoute> {
        let request = &call.request;
        let (path, query) = match request.path.split_once('?') {
            Some((path, _)) => (path, &request.path[path.len()..]),
            None => (&*request.path, ""),
        };
        let sent_path = format!("{}{path}", site.path);
        if site.kind == Kind::Soap {
            // A service has one path, that of its upstream.
            return match path {
                "" | "/" if request.method == Method::Post => Ok(Self {
                    operation: None,
                    parameters: Parameters::default(),
                    method: request.method,
                    sent_path,
                    below: query.to_owned(),
                }),
                "" | "/" => Err(NoRoute::OtherMethod),
                _ => Err(NoRoute::NoPath),
            };
        }
        let routed = route::find(site.configuration, request.method, path)?;
        Ok(Self {
            operation: Some(format!("{} {}", routed.method.word(), routed.template)),
            parameters: Parameters::new(routed.template),
            method: routed.method,
            sent_path,
            below: routed.path + query,
        })
    }

    /// Returns the program of the operation and the origins of its steps.
    pub(super) fn program<'c>(&self, site: &Site<'c>) -> (&'c Program, Origins) {
        let policies = &site.configuration.policies;
        let operation = self.operation.as_ref();
        let of = operation.and_then(|name| {
            let mut overrides = policies.operations.iter();
            overrides.position(|it| it.operations.contains(name))
        });
        let (_, path) = operation
            .and_then(|it| it.split_once(' '))
            .unwrap_or(("", ""));
        let mut programs = site.compiled.of_operations.iter();
        let own = programs.find(|(method, of, _)| *method == self.method && of == path);
        let program = site.compiled.programs.get(own.map_or(0, |it| it.2));
        static NONE: Program = Program::NONE;
        (program.unwrap_or(&NONE), Origins::of_program(policies, of))
    }
}
