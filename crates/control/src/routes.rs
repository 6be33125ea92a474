//! The list of routes: each is written down and registered in one call, behind its gate.
//!
//! What is written down is compared with the OpenAPI document by a test, both ways.

use axum::Router;
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};

use crate::caller;
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
pub struct Routes {
    control: Control,
    router: Router<Control>,
    list: Vec<Route>,
}

impl Routes {
    /// No routes yet.
    #[must_use]
    pub fn new(control: Control) -> Self {
        Self {
            control,
            router: Router::new(),
            list: Vec::new(),
        }
    }

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
        let gate = middleware::from_fn_with_state((self.control.clone(), act), gate);
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
    #[must_use]
    pub fn into_router(self) -> Router<Control> {
        self.router
    }
}

/// Stands before every handler: finds the caller and asks whether such a caller may.
async fn gate(
    State((control, act)): State<(Control, Act)>,
    mut request: Request,
    next: Next,
) -> Response {
    match caller::admit(&control, act, request.method(), request.headers()).await {
        Ok(Some(caller)) => {
            request.extensions_mut().insert(caller);
        }
        Ok(None) => {}
        Err(problem) => return problem.into_response(),
    }
    next.run(request).await
}
