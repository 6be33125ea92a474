//! Request parameters besides the body: ids in the path, query parameters, pages, entity tags.
//!
//! Each extractor rejects a request with a [`Problem`] that names the parameter.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use serde::de::DeserializeOwned;
use tollgate_model::id::{Id, Kind};
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::{IntoParams, PartialSchema};

use crate::error::Problem;

pub mod find;

pub use find::{Find, List, Listed, Unfiltered};

/// Maximum number of items per page.
pub const PAGE_MAX: u32 = 500;
/// Default number of items per page.
pub const PAGE_DEFAULT: u32 = 100;

/// The first parameter of the path, or the first two as `Path<(A, B)>`. A malformed id gets the
/// response of an unknown one: 404 `path.unknown`.
#[derive(Debug, Clone)]
pub struct Path<T>(pub T);

impl<K: Kind, S: Send + Sync> FromRequestParts<S> for Path<Id<K>> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        segment(parts, state, 0).await.map(Self)
    }
}

/// An id or a name, as text.
impl<S: Send + Sync> FromRequestParts<S> for Path<String> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        segment(parts, state, 0).await.map(Self)
    }
}

impl<K, T, S> FromRequestParts<S> for Path<(Id<K>, T)>
where
    K: Kind,
    T: FromStr<Err: std::fmt::Display>,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let first = segment(parts, state, 0).await?;
        let second = segment(parts, state, 1).await?;
        Ok(Self((first, second)))
    }
}

async fn segment<T, S>(parts: &mut Parts, state: &S, index: usize) -> Result<T, Problem>
where
    T: FromStr<Err: std::fmt::Display>,
    S: Send + Sync,
{
    let params = RawPathParams::from_request_parts(parts, state).await;
    let params = params.map_err(|error| unknown(error.to_string()))?;
    let (name, text) = params.iter().nth(index).unwrap_or_default();
    text.parse()
        .map_err(|error| unknown(format!("{name}: {error}")))
}

fn unknown(detail: String) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "path.unknown", detail)
}

/// Query parameters; unknown ones are rejected if `T` denies them.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::from_uri(&parts.uri).map(Self)
    }
}

impl<T: DeserializeOwned> Query<T> {
    /// Parses the query parameters of a URI.
    fn from_uri(uri: &Uri) -> Result<T, Problem> {
        let parsed = axum::extract::Query::try_from_uri(uri);
        let axum::extract::Query(value) = parsed.map_err(|error| {
            let text = error.body_text();
            // axum's words before the parameter's name are of no use to callers.
            let detail = text.rsplit("query string: ").next().unwrap_or_default();
            Problem::new(StatusCode::BAD_REQUEST, "query.invalid", detail)
        })?;
        Ok(value)
    }
}

/// Returns the number of items per page, by default [`PAGE_DEFAULT`].
///
/// # Errors
/// 400 `page.limit` outside 1 to [`PAGE_MAX`].
pub fn page_limit(requested: Option<u32>) -> Result<u32, Problem> {
    let limit = requested.unwrap_or(PAGE_DEFAULT);
    if (1..=PAGE_MAX).contains(&limit) {
        return Ok(limit);
    }
    let detail = format!("limit is 1 to {PAGE_MAX}");
    Err(Problem::new(StatusCode::BAD_REQUEST, "page.limit", detail))
}

/// The entity tag that a change is based on (RFC 9110, section 13.1.1).
#[derive(Debug, Clone, Copy)]
pub struct IfMatch(i64);

impl IntoParams for IfMatch {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let parameter = ParameterBuilder::new()
            .name("If-Match")
            .parameter_in(ParameterIn::Header)
            .required(Required::True)
            .description(Some("The ETag of the object that is changed, in quotes"))
            .schema(Some(String::schema()))
            .build();
        vec![parameter]
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(value) = parts.headers.get(header::IF_MATCH) else {
            return Err(Self::missing());
        };
        let tag = value.to_str().ok().and_then(|text| {
            let inner = text.strip_prefix('"')?.strip_suffix('"')?;
            inner.parse().ok()
        });
        tag.map(Self).ok_or_else(stale)
    }
}

impl IfMatch {
    /// Returns 428 `etag.missing`.
    pub(crate) fn missing() -> Problem {
        let detail = "send If-Match with the ETag of the object that you read, so that no other \
                      change is lost";
        Problem::new(StatusCode::PRECONDITION_REQUIRED, "etag.missing", detail)
    }

    /// Checks that the object has not changed since the caller read it.
    ///
    /// # Errors
    /// 412 `etag.stale`, with the present ETag.
    pub fn check(self, present: i64) -> Result<(), Problem> {
        if self.0 == present {
            return Ok(());
        }
        let [(name, value)] = etag(present);
        Err(stale().with(name, value))
    }

    /// Returns the number in the tag.
    #[must_use]
    pub const fn etag(self) -> i64 {
        self.0
    }
}

fn stale() -> Problem {
    let detail = "the object was changed in the meantime; read it again and repeat the change";
    Problem::new(StatusCode::PRECONDITION_FAILED, "etag.stale", detail)
}

/// Returns the header with an entity tag.
#[must_use]
pub fn etag(etag: i64) -> [(axum::http::HeaderName, HeaderValue); 1] {
    let value = HeaderValue::try_from(format!("\"{etag}\"")).expect("digits and quotes");
    [(header::ETAG, value)]
}
