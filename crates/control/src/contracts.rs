//! Contracts of SOAP services: from the documents that are kept to what gateways serve.
//!
//! Neighbours: `contracts/gather.rs` makes a set of documents of what somebody sends,
//! `contracts/report.rs` tells what was understood of it. Reading a contract may take seconds, so
//! it is done on threads that may block, and what came of it is remembered.

pub(crate) mod archive;
pub(crate) mod gather;
pub(crate) mod report;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use tollgate_model::api::Configuration;
use tollgate_model::feed::ServedDocument;
use tollgate_model::soap::{Contract, ContractOperation, SoapService};
use tollgate_soap::address::publish;
use tollgate_soap::compile::{Choice, Compiled};
use tollgate_soap::import::{Documents, Limits};
use tollgate_soap::plan;
use tollgate_store::contracts::{self, ContractDocument};
use tollgate_store::versions::Version;
use tollgate_store::{Store, StoreError, apis};

/// Contracts that are read at a time: each may take a thread and hundreds of megabytes.
const READS_MAX: usize = 2;
/// Contracts whose result is remembered; beyond, all are read again when they are needed.
const REMEMBERED_MAX: usize = 1_000;
/// Where gateways are when nobody says it.
const GATEWAY: &str = "http://localhost:8080";

/// What was made of contracts.
#[derive(Debug)]
pub(crate) struct Contracts {
    /// Where callers reach the gateways; without a slash at its end.
    gateway: OnceLock<String>,
    made: Mutex<HashMap<Key, Arc<Contract>>>,
    pub(crate) reads: Semaphore,
}

/// What a result depends on: the contract's digest names its documents.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    contract: String,
    service: String,
    port: String,
    address: String,
}

impl Default for Contracts {
    fn default() -> Self {
        Self {
            gateway: OnceLock::new(),
            made: Mutex::default(),
            reads: Semaphore::new(READS_MAX),
        }
    }
}

impl Contracts {
    /// Says where callers reach the gateways; the first word counts.
    pub(crate) fn set_gateway(&self, url: &str) {
        let url = url.trim_end_matches('/').to_owned();
        // Who says it twice says the same.
        drop(self.gateway.set(url));
    }

    /// Reads the contract of a configuration that is about to be deployed, while nobody waits: who
    /// asks for it as the writer finds it read. What is wrong with it is told then.
    pub(crate) async fn prepare(
        &self,
        store: &Store,
        version: &Version,
        configuration: &Configuration,
    ) -> Result<(), StoreError> {
        let Some(soap) = &configuration.soap else {
            return Ok(());
        };
        let api = apis::by_id(store, version.api).await?;
        let documents = contracts::documents(store, version.id, &soap.contract).await?;
        let place = (api.context.as_str(), version.name.as_str());
        drop(self.of(place, configuration, documents).await);
        Ok(())
    }

    /// What the SOAP service of a configuration is served as at a context, by the version of a
    /// name; `None` where it has none.
    ///
    /// # Errors
    /// Why its contract cannot be served, in a sentence.
    pub(crate) async fn of(
        &self,
        (context, name): (&str, &str),
        configuration: &Configuration,
        documents: Vec<ContractDocument>,
    ) -> Result<Option<Arc<Contract>>, String> {
        let Some(soap) = &configuration.soap else {
            return Ok(None);
        };
        if documents.is_empty() {
            return Err("the version has no such contract; an import makes one".to_owned());
        }
        let gateway = self.gateway.get().map_or(GATEWAY, String::as_str);
        let key = Key {
            contract: soap.contract.clone(),
            service: soap.service.clone(),
            port: soap.port.clone(),
            address: format!("{gateway}{context}/{name}"),
        };
        if let Some(made) = self.made().get(&key) {
            return Ok(Some(Arc::clone(made)));
        }
        let _turn = self.reads.acquire().await;
        let wanted = key.clone();
        let made = tokio::task::spawn_blocking(move || make(&documents, &wanted)).await;
        let made = Arc::new(made.map_err(|error| error.to_string())??);
        let mut remembered = self.made();
        if remembered.len() >= REMEMBERED_MAX {
            remembered.clear();
        }
        remembered.insert(key, Arc::clone(&made));
        Ok(Some(made))
    }

    fn made(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<Contract>>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn make(documents: &[ContractDocument], key: &Key) -> Result<Contract, String> {
    let (set, main) = set_of(documents)?;
    let choice = Choice {
        service: Some(key.service.clone()),
        port: Some(key.port.clone()),
    };
    let imported = tollgate_soap::import::read(&set, &main).map_err(|error| error.to_string())?;
    let compiled = tollgate_soap::compile::compile(&imported, &choice);
    let compiled = compiled.map_err(|error| error.to_string())?;
    let published = publish(&set, &main, &key.address).map_err(|error| error.to_string())?;
    let documents = published.into_iter().map(|document| ServedDocument {
        etag: format!("\"{}\"", &digest([document.text.as_bytes()])[..16]),
        query: document.query,
        text: document.text.into(),
    });
    Ok(Contract {
        operations: operations(&compiled),
        documents: documents.collect(),
        plan: compiled.plan.to_bytes().into(),
    })
}

/// The documents that are kept as a set, and where it begins.
pub(crate) fn set_of(documents: &[ContractDocument]) -> Result<(Documents, String), String> {
    let mut set = Documents::new(Limits::default());
    for document in documents {
        let ContractDocument {
            requested,
            location,
            bytes,
        } = document;
        set.add_fetched(requested, location, Some("utf-8"), bytes)
            .map_err(|error| format!("{location}: {error}"))?;
    }
    let main = documents.first().map(|main| main.location.clone());
    Ok((set, main.unwrap_or_default()))
}

/// What calls the operations of a port.
pub(crate) fn operations(compiled: &Compiled) -> Vec<ContractOperation> {
    let plan = &compiled.plan;
    let name = |name: &plan::Name| {
        let namespace = plan.namespaces.get(usize::from(name.namespace.0));
        let namespace = namespace.map_or("", |namespace| namespace);
        (namespace.to_owned(), name.local.to_string())
    };
    let operations = plan.operations.iter().map(|operation| ContractOperation {
        name: operation.name.to_string(),
        action: operation.action.to_string(),
        body: operation.request.body.as_ref().map(|body| name(&body.name)),
        proxy_only: operation.proxy_only.as_deref().map(str::to_owned),
    });
    operations.collect()
}

/// The service of a compiled port, with what a version has said of the same operations before.
pub(crate) fn service(
    compiled: &Compiled,
    contract: String,
    before: Option<&SoapService>,
) -> SoapService {
    let known = |name: &str| {
        let operations = before.into_iter().flat_map(|before| &before.operations);
        operations
            .clone()
            .find(|operation| operation.name == name)
            .cloned()
    };
    let operations = operations(compiled).into_iter().map(|operation| {
        let name = operation.name;
        known(&name).unwrap_or(tollgate_model::soap::SoapOperation {
            name,
            limits: Vec::new(),
        })
    });
    let operations = operations.collect();
    let (service, port) = (compiled.service.clone(), compiled.port.clone());
    match before {
        Some(before) => SoapService {
            contract,
            service,
            port,
            operations,
            ..before.clone()
        },
        None => SoapService::of(contract, (service, port), operations),
    }
}

/// The SHA-256 of parts, each with its length, in hex.
pub(crate) fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    let bytes = hasher.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
