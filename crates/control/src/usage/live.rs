//! Calls as they happen, as a stream of events, for as long as the caller may see them.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use serde::Serialize;
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tollgate_analytics::{Filter, Seen, WATCHERS_MAX, WATCHERS_OF_USER_MAX, Watcher};

use tollgate_store::users;

use super::call::UsageCall;
use super::names::Names;
use super::seer::Seer;
use super::sight::{self, Half};
use crate::caller::Caller;
use crate::error::Problem;
use crate::state::Control;

/// The type of a stream of events (HTML, section 9.2).
const EVENTS: &str = "text/event-stream";
/// How often it is looked up which applications and APIs the caller sees, and what they are named.
const CHECK_EVERY: Duration = Duration::from_secs(2);

/// How long a client may leave an event unread while others wait.
const SEND_TIME: Duration = Duration::from_secs(5);

/// Whether a client asks for a stream rather than a page.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|it| it.to_str().ok());
    let mut types = accepted.unwrap_or_default().split(',');
    types.any(|it| {
        let media_type = it.split(';').next().unwrap_or_default();
        media_type.trim().eq_ignore_ascii_case(EVENTS)
    })
}

/// Calls that were recorded since the event before.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct WatchedCalls {
    /// The calls, about in the order in which they ended.
    items: Vec<UsageCall>,
    /// Number of calls besides these: no more than 50 a second are sent.
    surplus: u64,
}

/// A stream of the calls that pass a filter.
pub(super) struct Stream {
    pub(super) control: Control,
    pub(super) caller: Caller,
    /// As it was requested.
    pub(super) filter: Filter,
    pub(super) half: Option<Half>,
}

impl Stream {
    /// Begins the stream.
    ///
    /// # Errors
    /// Those of [`sight::narrow`]; 429 `usage.watchers` if too many watch.
    pub(super) async fn begin(self) -> Result<Response, Problem> {
        let filter = self.narrowed().await?;
        let watcher = self.control.usage.watch(&filter, self.caller.user);
        let watcher = watcher.ok_or_else(|| {
            let detail = format!(
                "at most {WATCHERS_MAX} clients watch calls at a time, {WATCHERS_OF_USER_MAX} of \
                 them for one user"
            );
            let status = StatusCode::TOO_MANY_REQUESTS;
            Problem::new(status, "usage.watchers", detail).with(header::RETRY_AFTER, 5)
        })?;
        // A client that reads slowly delays this stream only; the watcher keeps few calls.
        let (events, body) = mpsc::channel(1);
        tokio::spawn(async move { self.send(&watcher, &events).await });
        let kind = [(header::CONTENT_TYPE, EVENTS)];
        Ok((kind, Body::new(Events(body))).into_response())
    }

    /// The filter with what the caller may see now.
    async fn narrowed(&self) -> Result<Filter, Problem> {
        let mut filter = self.filter.clone();
        sight::narrow(&mut filter, &self.control, &self.caller, self.half).await?;
        Ok(filter)
    }

    /// Sends events until the client leaves, the process stops or the caller may not see the calls
    /// any more.
    async fn send(&self, watcher: &Watcher, events: &mpsc::Sender<Bytes>) {
        let mut stopping = self.control.stopping.subscribe();
        let mut checks = interval(CHECK_EVERY);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut names = Names::new(&self.control.store);
        let mut seer = Seer::new(&self.control, &self.caller);
        loop {
            let event = tokio::select! {
                biased;
                () = events.closed() => return,
                () = begun(&mut stopping) => return,
                _ = checks.tick() => {
                    names = Names::new(&self.control.store);
                    seer = Seer::new(&self.control, &self.caller);
                    self.check(watcher).await
                }
                seen = watcher.next() => match self.confirm().await {
                    Ok(()) => calls(seen, &mut seer, &mut names).await,
                    Err(problem) => Err(problem),
                },
            };
            let (event, is_last) = match event {
                Ok(event) => (event, false),
                Err(problem) => (end(&problem), true),
            };
            // A client that does not read for so long has left.
            let sent = timeout(SEND_TIME, events.send(event));
            let is_sent = tokio::select! {
                biased;
                () = begun(&mut stopping) => return,
                sent = sent => matches!(sent, Ok(Ok(()))),
            };
            if !is_sent || is_last {
                return;
            }
        }
    }

    /// Checks what the caller may see; returns a comment, since proxies close connections without
    /// traffic.
    async fn check(&self, watcher: &Watcher) -> Result<Bytes, Problem> {
        self.confirm().await?;
        watcher.watch(&self.narrowed().await?);
        Ok(Bytes::from_static(b":\n\n"))
    }

    /// Checks that the session goes on, with the same roles.
    ///
    /// # Errors
    /// 401 `session.invalid`; 403 `role.missing`, or `role.changed` for one that was added.
    async fn confirm(&self) -> Result<(), Problem> {
        self.caller.confirm(&self.control).await?;
        let user = users::by_id(&self.control.store, self.caller.user).await?;
        if user.roles != self.caller.roles {
            let detail = "your roles changed: begin again";
            return Err(Problem::new(StatusCode::FORBIDDEN, "role.changed", detail));
        }
        Ok(())
    }
}

/// Waits until the process stops; an error means that it is gone.
async fn begun(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
}

/// The event of calls.
async fn calls(seen: Seen, seer: &mut Seer<'_>, names: &mut Names<'_>) -> Result<Bytes, Problem> {
    let mut items = Vec::with_capacity(seen.calls.len());
    for call in seen.calls {
        let detail = seer.detail(&call).await?;
        items.push(UsageCall::of(&call, detail, names).await?);
    }
    let calls = WatchedCalls {
        items,
        surplus: seen.surplus,
    };
    Ok(event("calls", &calls))
}

/// The last event of a stream that ends before the client leaves.
fn end(problem: &Problem) -> Bytes {
    event(
        "end",
        &json!({ "code": problem.code(), "detail": problem.detail() }),
    )
}

fn event(name: &str, data: &impl Serialize) -> Bytes {
    // Numbers, text and lists of them are always written; JSON has no line breaks.
    let data = serde_json::to_string(data).unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n").into()
}

/// The body of a stream.
struct Events(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Events {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let event = self.0.poll_recv(context);
        event.map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}
