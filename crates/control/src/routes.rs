//! The list of routes: each is written down and registered in one call, behind its gate.
//!
//! What is written down is compared with the OpenAPI document by a test, both ways.

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::http::Method;
use axum::http::request::Parts;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};

use crate::caller::{self, Caller};
use crate::error::Problem;
use crate::may::Act;
use crate::state::Control;

/// One route, as written down.
#[derive(Debug, Clone)]
pub struct Route {
    /// Its method.
    pub method: Method,
    /// Its path, with parameters in braces.
    pub path: &'static str,
    /// What it is about, which tells who may call it.
    pub act: Act,
}

/// Routes, written down and registered.
#[derive(Default)]
pub struct Routes {
    router: Router<Control>,
    list: Vec<Route>,
}

impl Routes {
    /// Adds `GET path` (and `HEAD`, which axum derives from it).
    #[must_use]
    pub fn get<H, T>(self, path: &'static str, act: Act, handler: H) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        self.add((Method::GET, MethodFilter::GET), path, act, handler)
    }

    /// Adds `POST path`.
    #[must_use]
    pub fn post<H, T>(self, path: &'static str, act: Act, handler: H) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        self.add((Method::POST, MethodFilter::POST), path, act, handler)
    }

    /// Adds `PUT path`.
    #[must_use]
    pub fn put<H, T>(self, path: &'static str, act: Act, handler: H) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        self.add((Method::PUT, MethodFilter::PUT), path, act, handler)
    }

    /// Adds `PATCH path`.
    #[must_use]
    pub fn patch<H, T>(self, path: &'static str, act: Act, handler: H) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        self.add((Method::PATCH, MethodFilter::PATCH), path, act, handler)
    }

    /// Adds `DELETE path`.
    #[must_use]
    pub fn delete<H, T>(self, path: &'static str, act: Act, handler: H) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        self.add((Method::DELETE, MethodFilter::DELETE), path, act, handler)
    }

    fn add<H, T>(
        mut self,
        (method, filter): (Method, MethodFilter),
        path: &'static str,
        act: Act,
        handler: H,
    ) -> Self
    where
        H: Handler<T, Control>,
        T: 'static,
    {
        let gate =
            middleware::from_fn(move |request: Request, next: Next| gate(act, request, next));
        self.router = self
            .router
            .route(path, on(filter, handler).route_layer(gate));
        self.list.push(Route { method, path, act });
        self
    }

    /// What was written down.
    #[must_use]
    pub fn list(&self) -> &[Route] {
        &self.list
    }

    /// What was registered.
    pub fn into_router(self) -> Router<Control> {
        self.router
    }
}

/// Stands before every handler: finds the caller and asks whether such a caller may.
async fn gate(act: Act, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    match admit(act, &parts).await {
        Ok(Some(caller)) => {
            parts.extensions.insert(caller);
        }
        Ok(None) => {}
        Err(problem) => return problem.into_response(),
    }
    next.run(Request::from_parts(parts, body)).await
}

async fn admit(act: Act, parts: &Parts) -> Result<Option<Caller>, Problem> {
    // Nothing passes a gate outside the frame, which puts the control plane here.
    let control = parts.extensions.get::<Control>();
    let control = control.ok_or_else(|| Problem::internal(&NoFrame))?;
    caller::admit(control, act, parts).await
}

/// A route was reached without its frame.
#[derive(Debug, thiserror::Error)]
#[error("a route was reached without its frame")]
struct NoFrame;
