//! Converts nouns from the store to events for gateways: compiles versions, and limits with their
//! windows.

use std::sync::Arc;

use tollgate_model::compile::{self, Documents};
use tollgate_model::fault::Fault;
use tollgate_model::feed::{Event, RefusedVersion, ServedApplication, ServedPlan, ServedVersion};
use tollgate_model::id::RevisionId;
use tollgate_model::lifecycle::AtGateway;
use tollgate_model::limit::ServedLimit;
use tollgate_store::feed::{Deployed, Fact};
use tollgate_store::{Store, documents};

use crate::contracts::Contracts;
use crate::gateways::version_path;
use crate::policies;

/// Where the documents of versions come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources<'s> {
    pub(crate) store: &'s Store,
    pub(crate) contracts: &'s Contracts,
}

/// Converts facts to events; calendar windows begin at `now_us` (Unix microseconds).
pub(crate) async fn from_facts(facts: Vec<Fact>, sources: Sources<'_>, now_us: i64) -> Vec<Event> {
    let mut events = Vec::with_capacity(facts.len());
    for fact in facts {
        events.push(match fact {
            Fact::Ready(event) => event,
            Fact::Version(deployed) => version(*deployed, sources, now_us).await,
            Fact::Plan { id, name, terms } => Event::Plan(ServedPlan {
                id,
                name,
                limits: ServedLimit::compile_all(&terms.limits, now_us),
                counts_failures: terms.count_failures,
            }),
            Fact::Application {
                id,
                owner,
                limits,
                tokens_from_us,
            } => Event::Application(ServedApplication {
                id,
                owner,
                limits: ServedLimit::compile_all(&limits, now_us),
                tokens_from_us,
            }),
        });
    }
    events
}

/// Compiles a version. It was compiled when it was deployed, so this fails only if the database is
/// damaged or a later release is stricter. Then gateways keep serving the previous state, except
/// for a blocked version, which is removed in any case.
async fn version(deployed: Deployed, sources: Sources<'_>, now_us: i64) -> Event {
    let (id, state) = (deployed.version.id, deployed.version.state);
    match compiled(deployed, sources, now_us).await {
        Ok(Some(served)) => Event::Version(Box::new(served)),
        Ok(None) => Event::VersionGone(id),
        Err(reason) => {
            tracing::error!(version = %id, reason, "version {id} cannot be served: {reason}");
            match state.at_gateway() {
                AtGateway::Absent | AtGateway::Refused => Event::VersionGone(id),
                AtGateway::Open | AtGateway::Served => Event::VersionRefused(RefusedVersion {
                    version: id,
                    reason,
                }),
            }
        }
    }
}

/// Returns the version as gateways serve it; `None` if gateways do not have versions in its state.
///
/// # Errors
/// Fails with an explanation for people if the version cannot be served.
async fn compiled(
    deployed: Deployed,
    sources: Sources<'_>,
    now_us: i64,
) -> Result<Option<ServedVersion>, String> {
    let Deployed {
        version,
        configuration,
        contract,
    } = deployed;
    let configuration = configuration?;
    let path = version_path(&version.context, &version.name);
    let made = sources
        .contracts
        .of(&path, &configuration, contract)
        .await?;
    let headers = match configuration.policies.needs_headers() {
        true => header_parameters(sources.store, version.revision).await?,
        false => Arc::default(),
    };
    let document = documents::of_revision(sources.store, version.revision);
    let examples = policies::served_examples(&configuration, document)
        .await
        .map_err(|error| error.to_string())?;
    let steps = policies::compiled(&configuration, version.kind, &examples)
        .map_err(|faults| joined(&faults))?;
    let documents = Documents {
        contract: made.as_ref().map(|made| &made.contract),
        headers: &headers,
        steps: &steps,
    };
    let served = compile::compile(&version, &configuration, documents, now_us);
    served.map_err(|faults| joined(&faults))
}

fn joined(faults: &[Fault]) -> String {
    let details = faults.iter();
    let details = details.map(|fault| format!("{}: {}", fault.field, fault.detail));
    details.collect::<Vec<_>>().join("; ")
}

/// Returns the names of the header parameters in the OpenAPI document of a revision; none if it can
/// no longer be read.
async fn header_parameters(
    store: &Store,
    revision: RevisionId,
) -> Result<Arc<Vec<String>>, String> {
    let document = documents::of_revision(store, revision).await;
    let Some(document) = document.map_err(|error| error.to_string())? else {
        return Ok(Arc::default());
    };
    let headers = policies::header_names(document).await;
    headers.map_err(|error| error.to_string())
}
