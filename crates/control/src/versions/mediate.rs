//! Dry run: what the steps of a version's policies make of a call, step by step. Nothing is sent or
//! stored.
//!
//! - `given.rs`: the call, and its faults; `shown.rs`: what the steps made of it

mod given;
mod shown;
#[cfg(test)]
mod tests;

use axum::extract::State;
use serde_json::Value;
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
use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::json::{Json, parse};
use crate::ownership::own_version;
use crate::parameters::Path;
use crate::policies::DocumentExamples;
use crate::state::Control;
use given::MediateBody;
use shown::Mediated;

/// Try the policies of a version on a call.
///
/// For the API's owner and administrators. Runs the steps of the draft or of the deployed revision
/// on the given messages, with the code that gateways use, and returns what each step made of them.
/// Nothing is sent or stored. Not simulated are authentication, limits, a SOAP service's contract
/// and the header fields that gateways add to every message. Credentials and the caller's identity
/// are shown as `***`, and expressions do not see the caller's credential.
#[utoipa::path(
    post, path = "/api/v1/versions/{version}/mediate", tag = "policies",
    request_body = MediateBody, params(("version" = VersionId, Path)),
    responses((status = 200, description = "What the steps made of the call", body = Mediated)),
)]
pub(crate) async fn run(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Json(mut body): Json<MediateBody>,
) -> Result<Json<Mediated>, Problem> {
    let Offer { api, version } = own_version(&control, &caller, id).await?;
    let of = Some(body.of.unwrap_or(Of::Draft));
    let configuration = document::configuration(&control, &version, of).await?;
    let configuration = with_policies(configuration, body.policies.take());
    let examples = document::examples(&control, &version, (of, &configuration)).await?;
    let revision = document::revision(&version, of)?;
    let place = (&*api.context, &*version.name);
    let tried = Tried {
        kind: version.kind,
        configuration,
        examples,
        path: format!("{}/{}", api.context, version.name),
        public_path: path_of(&control.contracts.address(place)).to_owned(),
        api: api.name,
        revision: revision.map(|id| digits(&id.to_string()).to_owned()),
        version: version.name,
    };
    let now_s = control.now_us().div_euclid(1_000_000);
    let running = tokio::task::spawn_blocking(move || tried.run(body, now_s));
    let ran = running.await.map_err(|error| Problem::internal(&error))?;
    Ok(Json(ran?))
}

/// Runs the steps of a draft from a file, without a server: `draft` is the configuration of a
/// version of this kind, `message` the body of `POST /versions/{id}/mediate`, `now_s` the time in
/// Unix seconds unless the message has one. Returns the body of the response.
///
/// # Errors
/// Fails with the problem that a server responds with.
pub fn mediate_files(
    (draft, kind): (&[u8], Kind),
    message: &[u8],
    now_s: i64,
) -> Result<Value, Problem> {
    let configuration: Configuration = parse(draft)?;
    let mut body: MediateBody = parse(message)?;
    let tried = Tried {
        kind,
        configuration: with_policies(configuration, body.policies.take()),
        examples: DocumentExamples::default(),
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
        let own = self.configuration.policies.faults().into_iter();
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
