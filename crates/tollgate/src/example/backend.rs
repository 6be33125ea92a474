//! The example's back end: returns each request it receives, as JSON.

use std::net::{Ipv4Addr, SocketAddr};

use axum::body::Bytes;
use axum::http::{HeaderMap, Method, Uri};
use axum::{Json, Router};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

/// Listens on 127.0.0.1 at this port; on any free port if it is in use or `None`.
///
/// # Errors
/// Fails if no port is free.
pub async fn listen(port: Option<u16>) -> std::io::Result<TcpListener> {
    let at = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    if let Some(port) = port
        && let Ok(listener) = TcpListener::bind(at(port)).await
    {
        return Ok(listener);
    }
    TcpListener::bind(at(0)).await
}

/// Serves until the future is dropped.
///
/// # Errors
/// Fails if the listener fails.
pub async fn serve(listener: TcpListener) -> std::io::Result<()> {
    axum::serve(listener, Router::new().fallback(echo)).await
}

async fn echo(method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Json<Value> {
    let headers: Map<String, Value> = headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.to_string(), value.into())
        })
        .collect();
    Json(json!({
        "method": method.as_str(),
        "path": uri.path(),
        "query": uri.query(),
        "headers": headers,
        "body": String::from_utf8_lossy(&body),
    }))
}
