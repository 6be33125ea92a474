//! Dry run: runs the steps of a version's policies on a given call and reports the message after
//! each. Nothing is sent or stored.
//!
//! - `given.rs`: the call, and its faults
//! - `shown.rs`: the result

mod given;
mod shown;
#[cfg(test)]
mod tests;

use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit};
use tollgate_mediation::compile::compile_with_examples;
use tollgate_mediation::dry_run::{self, Site};
use tollgate_mediation::program::Compiled;
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::fault::Fault;
use tollgate_model::id::VersionId;
use tollgate_model::policies::Policies;
use tollgate_store::versions::Offer;
use tollgate_tokens::session::{COOKIE, SECURE_COOKIE};

use super::document::{self, Of};
use super::saved_draft::SentDraft;
use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::gateways::version_path;
use crate::json::{Json, parse};
use crate::ownership::own_version;
use crate::parameters::Path;
use crate::policies::DocumentExamples;
use crate::state::Control;
use given::MediateBody;
use shown::Mediated;

/// Maximum number of dry runs at a time: each takes a thread and tens of megabytes.
const RUNS_MAX: usize = 2;
static RUNS: Semaphore = Semaphore::const_new(RUNS_MAX);
/// Maximum time that a request waits for the dry runs before it.
const WAIT_TIME: Duration = Duration::from_secs(5);

/// Try the policies of a version on a call.
///
/// For the API's owner and administrators. Runs the steps of the draft or of the deployed revision
/// on the given messages, with the code that gateways use, and returns the message after each step,
/// with at most 64 KiB of its header fields and of its body. Nothing is sent or stored.
/// Authentication, limits, a SOAP service's contract, a gateway's own `gateway.body_bytes_max` and
/// the header fields that gateways add to every message are not simulated. Credentials and the
/// caller's identity are shown as `***`, and expressions do not see the caller's credential.
///
/// Two dry runs are carried out at a time; others wait, and are rejected with 503 `mediate.busy`
/// after five seconds.
#[utoipa::path(
    post, path = "/api/v1/versions/{version}/mediate", tag = "policies",
    request_body = MediateBody, params(("version" = VersionId, Path)),
    responses(
        (status = 200, description = "The steps and their effect", body = Mediated),
    ),
)]
pub(crate) async fn run(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Json(mut body): Json<MediateBody>,
) -> Result<Response, Problem> {
    let Offer { api, version } = own_version(&control, &caller, id).await?;
    let of = Some(body.of.unwrap_or(Of::Draft));
    let configuration = document::configuration(&control, &version, of).await?;
    let configuration = with_policies(configuration, body.policies.take());
    let examples = document::examples(&control, &version, of, &configuration).await?;
    let revision = document::revision(&version, of)?;
    let path = version_path(&api.context, &version.name);
    let tried = Tried {
        kind: version.kind,
        configuration,
        examples,
        public_path: path_of(&control.contracts.address(&path)).to_owned(),
        path,
        api: api.name,
        revision: revision.map(|id| digits(&id.to_string()).to_owned()),
        version: version.name,
    };
    let now_s = control.now_us().div_euclid(1_000_000);
    let turn = turn(&RUNS, WAIT_TIME).await?;
    // If the client disconnects, the turn lasts until the work has ended.
    let running = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let mediated = tried.run(body, now_s)?;
        Ok::<_, Problem>(Json(mediated).into_response())
    });
    running.await.map_err(|error| Problem::internal(&error))?
}

/// Waits for a turn to run.
///
/// # Errors
/// 503 `mediate.busy` with `Retry-After` after this time.
async fn turn(
    runs: &'static Semaphore,
    wait: Duration,
) -> Result<SemaphorePermit<'static>, Problem> {
    match tokio::time::timeout(wait, runs.acquire()).await {
        Ok(turn) => turn.map_err(|error| Problem::internal(&error)),
        Err(_) => {
            let detail = "too many dry runs at a time: try again in a second";
            let busy = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "mediate.busy", detail);
            Err(busy.with(header::RETRY_AFTER, 1))
        }
    }
}

/// The files of a draft.
#[derive(Debug, Clone, Copy)]
pub struct DraftFiles<'f> {
    /// The configuration of a version.
    pub draft: &'f [u8],
    /// The kind of its API.
    pub kind: Kind,
    /// The OpenAPI document with the examples that steps `mock` respond with.
    pub document: Option<&'f [u8]>,
}

/// Runs the steps of a draft from files, without a server: `message` is the body of
/// `POST /versions/{id}/mediate`, `now_s` the time in Unix seconds unless the message has one.
/// Returns the body of the response.
///
/// # Errors
/// Fails with the problem that a server responds with.
pub fn mediate_files(files: DraftFiles<'_>, message: &[u8], now_s: i64) -> Result<Value, Problem> {
    let SentDraft(configuration) = parse(files.draft)?;
    let mut body: MediateBody = parse(message)?;
    let examples = files.document.map(DocumentExamples::read).transpose()?;
    let tried = Tried {
        kind: files.kind,
        configuration: with_policies(configuration, body.policies.take()),
        examples: examples.unwrap_or_default(),
        path: "/draft/1.0".to_owned(),
        public_path: "/draft/1.0".to_owned(),
        api: "draft".to_owned(),
        version: "1.0".to_owned(),
        revision: None,
    };
    let mediated = tried.run(body, now_s)?;
    serde_json::to_value(mediated).map_err(|error| Problem::internal(&error))
}

/// A version with policies to try.
struct Tried {
    kind: Kind,
    configuration: Configuration,
    examples: DocumentExamples,
    /// Its path in requests, and in the gateway's URL.
    path: String,
    public_path: String,
    api: String,
    version: String,
    /// The digits of the revision's id; `None` for a draft.
    revision: Option<String>,
}

impl Tried {
    fn run(self, body: MediateBody, now_s: i64) -> Result<Mediated, Problem> {
        let mut faults = Vec::new();
        let compiled = self.compile(&mut faults);
        let call = body.into_call(now_s, &mut faults);
        refuse_any(faults)?;
        let site = Site {
            kind: self.kind,
            configuration: &self.configuration,
            compiled: &compiled,
            api: &self.api,
            version: &self.version,
            revision: self.revision.as_deref().unwrap_or(dry_run::DRAFT),
            path: &self.path,
            public_path: &self.public_path,
            session_cookies: &[COOKIE, SECURE_COOKIE],
        };
        let outcome = dry_run::run(&site, &call);
        let outcome = outcome.map_err(|error| {
            let detail = error.to_string();
            Fault::new("/request/path", "mediate.no_operation", detail)
        })?;
        Ok(Mediated::from(outcome))
    }

    /// Compiles the policies and judges them as when they are saved.
    fn compile(&self, faults: &mut Vec<Fault>) -> Compiled {
        let own = self.configuration.policy_faults(self.kind).into_iter();
        faults.extend(own.map(|fault| fault.under("/policies")));
        match compile_with_examples(&self.configuration, self.kind, &self.examples) {
            Ok(compiled) => compiled,
            Err(of_steps) => {
                faults.extend(of_steps);
                Compiled::default()
            }
        }
    }
}

fn with_policies(mut configuration: Configuration, policies: Option<Policies>) -> Configuration {
    configuration.policies = policies.unwrap_or(configuration.policies);
    configuration
}

/// Returns the digits of an id.
fn digits(id: &str) -> &str {
    id.split('_').next_back().unwrap_or_default()
}

/// Returns the path of a URL, without a trailing slash.
fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    path.trim_end_matches('/')
}
