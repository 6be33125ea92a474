//! The list of routes: each is recorded and registered in one call, behind its gate, with the bound
//! on its body.
//!
//! A test compares the recorded routes with the OpenAPI document, both ways.

mod known_parameters;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::http::Method;
use axum::http::request::Parts;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};

use crate::bodies::Reading;
use crate::caller::{self, Caller};
use crate::error::Problem;
use crate::json::{BODY_BYTES_MAX, BodyMax};
use crate::may::Act;
use crate::state::Control;

pub(crate) use known_parameters::Described;

/// A recorded route.
#[derive(Debug, Clone)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// The act, which determines who may call it.
    pub act: Act,
    /// Maximum bytes of the body.
    pub body_bytes_max: usize,
}

/// The checks before a handler.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    act: Act,
    body_bytes_max: usize,
}

impl Act {
    /// Sets a bound on the body other than the default, in bytes.
    pub(crate) const fn with_body(self, body_bytes_max: usize) -> Gate {
        Gate {
            act: self,
            body_bytes_max,
        }
    }
}

impl From<Act> for Gate {
    fn from(act: Act) -> Self {
        act.with_body(BODY_BYTES_MAX)
    }
}

/// Routes, recorded and registered.
#[derive(Default)]
pub struct Routes {
    router: Router<Control>,
    list: Vec<Route>,
}

impl Routes {
    /// Adds `GET path` (and `HEAD`, which axum derives from it).
    #[must_use]
    pub fn get<H, T>(self, path: &'static str, gate: impl Into<Gate>, handler: H) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        self.add(Method::GET, MethodFilter::GET, path, gate.into(), handler)
    }

    /// Adds `POST path`.
    #[must_use]
    pub fn post<H, T>(self, path: &'static str, gate: impl Into<Gate>, handler: H) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        self.add(Method::POST, MethodFilter::POST, path, gate.into(), handler)
    }

    /// Adds `PUT path`.
    #[must_use]
    pub fn put<H, T>(self, path: &'static str, gate: impl Into<Gate>, handler: H) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        self.add(Method::PUT, MethodFilter::PUT, path, gate.into(), handler)
    }

    /// Adds `PATCH path`.
    #[must_use]
    pub fn patch<H, T>(self, path: &'static str, gate: impl Into<Gate>, handler: H) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        self.add(
            Method::PATCH,
            MethodFilter::PATCH,
            path,
            gate.into(),
            handler,
        )
    }

    /// Adds `DELETE path`.
    #[must_use]
    pub fn delete<H, T>(self, path: &'static str, gate: impl Into<Gate>, handler: H) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        self.add(
            Method::DELETE,
            MethodFilter::DELETE,
            path,
            gate.into(),
            handler,
        )
    }

    fn add<H, T>(
        mut self,
        method: Method,
        filter: MethodFilter,
        path: &'static str,
        gate: Gate,
        handler: H,
    ) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        let checked = method.clone();
        let check = middleware::from_fn(move |request: Request, next: Next| {
            pass(gate, checked.clone(), path, request, next)
        });
        self.router = self
            .router
            .route(path, on(filter, handler).route_layer(check));
        let Gate {
            act,
            body_bytes_max,
        } = gate;
        self.list.push(Route {
            method,
            path,
            act,
            body_bytes_max,
        });
        self
    }

    /// Returns the recorded routes.
    #[must_use]
    pub fn list(&self) -> &[Route] {
        &self.list
    }

    /// Returns the registered routes.
    pub fn into_router(self) -> Router<Control> {
        self.router
    }
}

/// Runs before every handler: finds the caller, checks whether it may, and whether the operation
/// has the parameters of the query, and sets the bound on the body.
async fn pass(
    gate: Gate,
    method: Method,
    path: &'static str,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    match admit(gate.act, &parts).await {
        Ok(Some(caller)) => {
            if let Some(reading) = parts.extensions.get::<Arc<Reading>>() {
                reading.mark_known();
            }
            parts.extensions.insert(caller);
        }
        Ok(None) => {}
        Err(problem) => return problem.into_response(),
    }
    if let Err(problem) = known_parameters::check(&parts, &method, path) {
        return problem.into_response();
    }
    parts.extensions.insert(BodyMax(gate.body_bytes_max));
    next.run(Request::from_parts(parts, body)).await
}

async fn admit(act: Act, parts: &Parts) -> Result<Option<Caller>, Problem> {
    // The frame inserts the control plane; a request outside the frame passes no gate.
    let control = parts.extensions.get::<Control>();
    let control = control.ok_or_else(|| Problem::internal(&NoFrame))?;
    caller::admit(control, act, parts).await
}

/// A route was reached without its frame.
#[derive(Debug, thiserror::Error)]
#[error("a route was reached without its frame")]
struct NoFrame;
