//! Contracts of SOAP services: from the documents that are kept to what gateways serve.
//!
//! Neighbours: `contracts/gather.rs` makes a set of documents of what somebody sends,
//! `contracts/report.rs` tells what was understood of it, `contracts/service.rs` makes the service
//! of a draft of it, `contracts/difference.rs` compares it with the one before; `contracts/rest.rs`
//! holds what a version says of resources against it. Reading a contract may take seconds, so it is
//! done on threads that may block, in turns (`contracts/turns.rs`), and what came of it is
//! remembered (`cache.rs`).

pub(crate) mod archive;
pub(crate) mod difference;
pub(crate) mod gather;
pub(crate) mod read;
pub(crate) mod report;
pub(crate) mod rest;
pub(crate) mod service;
pub(crate) mod turns;
mod weight;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};
use tollgate_model::api::Configuration;
use tollgate_model::compile::Contract;
use tollgate_model::fault::Fault;
use tollgate_model::feed::ASKED_GATEWAY;
use tollgate_model::feed::ServedDocument;
use tollgate_model::resource;
use tollgate_model::soap::SoapService;
use tollgate_soap::address::publish;
use tollgate_soap::compile::{Choice, Documentation};
use tollgate_soap::import::{Documents, Limits};
use tollgate_store::contracts::{self, ContractDocument};
use tollgate_store::versions::Version;
use tollgate_store::{Store, StoreError, apis};

use turns::Turns;

use crate::cache::Cache;

/// Contracts that are read at a time: each may take a thread and hundreds of megabytes.
const READS_MAX: usize = 2;
/// Which part of the bytes for what is remembered is for verdicts: 1 of so many.
const HELD_PART: usize = 16;

/// What was made of contracts.
#[derive(Debug)]
pub(crate) struct Contracts {
    gateway: GatewayUrl,
    made: Mutex<Cache<Key, Made>>,
    /// In what services as REST do not fit their contracts.
    held: Mutex<Cache<HeldKey, Vec<Fault>>>,
    pub(crate) reads: Turns,
}

/// What was made of a contract.
#[derive(Debug)]
pub(crate) struct Made {
    /// As gateways get it.
    pub(crate) contract: Contract,
    /// What it says of its operations and types.
    pub(crate) documentation: Documentation,
    /// Where callers reach it.
    address: String,
}

/// What a result depends on: the contract's digest names its documents.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    contract: String,
    service: String,
    port: String,
    address: String,
    shape: resource::Shape,
}

/// What a verdict depends on: the digest is that of a plan and of a service as REST.
#[derive(Debug, PartialEq, Eq, Hash)]
struct HeldKey {
    address: String,
    digest: String,
}

/// What was made of a contract, kept until the writer has asked for it.
#[derive(Debug)]
pub(crate) struct Prepared {
    _made: Arc<Made>,
    _misfits: Arc<Vec<Fault>>,
}

/// Where callers reach the gateways, such as `https://api.example.com`, without a slash at its end.
#[derive(Debug, Clone)]
pub enum GatewayUrl {
    /// A setting says so: contracts name it.
    Said(String),
    /// It is where the gateway of this process listens: contracts name the listener that is asked.
    Local(String),
}

impl GatewayUrl {
    fn as_str(&self) -> &str {
        let (Self::Said(url) | Self::Local(url)) = self;
        url
    }
}

impl Contracts {
    /// No contracts yet, for gateways that callers reach there; what is made of them is remembered
    /// within so many bytes.
    pub(crate) fn new(gateway: GatewayUrl, bytes_max: usize) -> Self {
        let of_held = bytes_max / HELD_PART;
        Self {
            gateway,
            made: Mutex::new(Cache::new(bytes_max - of_held)),
            held: Mutex::new(Cache::new(of_held)),
            reads: Turns::new(READS_MAX),
        }
    }

    /// Forgets what was made for the versions of the API at a context, which are there no more.
    pub(crate) fn forget(&self, context: &str) {
        let versions = self.address_in_documents((context, ""));
        lock(&self.made).forget(|key| key.address.starts_with(&versions));
        lock(&self.held).forget(|key| key.address.starts_with(&versions));
    }

    /// Where callers reach the version of a name at a context, as far as this process knows it.
    pub(crate) fn address(&self, place: (&str, &str)) -> String {
        let address = self.address_in_documents(place);
        self.with_gateway(&address)
    }

    /// A text of a contract's document, with the gateway's URL as far as this process knows it.
    pub(crate) fn with_gateway(&self, text: &str) -> String {
        text.replace(ASKED_GATEWAY, self.gateway.as_str())
    }

    /// That address as documents have it for gateways.
    fn address_in_documents(&self, (context, name): (&str, &str)) -> String {
        let gateway = match &self.gateway {
            GatewayUrl::Said(url) => url,
            GatewayUrl::Local(_) => ASKED_GATEWAY,
        };
        format!("{gateway}{context}/{name}")
    }

    /// Compiles the contract of a configuration and checks the configuration against it, before a
    /// write is begun. [`Self::of`] and [`Self::known_misfits`] find the results as long as the
    /// returned value is held; they also report what is wrong.
    pub(crate) async fn prepare(
        &self,
        store: &Store,
        version: &Version,
        configuration: &Configuration,
    ) -> Result<Option<Prepared>, StoreError> {
        let Some(soap) = &configuration.soap else {
            return Ok(None);
        };
        let api = apis::by_id(store, version.api).await?;
        let documents = contracts::documents(store, version.id, &soap.contract).await?;
        let place = (api.context.as_str(), version.name.as_str());
        let Ok(Some(made)) = self.of(place, configuration, documents).await else {
            return Ok(None);
        };
        let misfits = self.misfits(&made, configuration).await;
        Ok(Some(Prepared {
            _made: made,
            _misfits: misfits,
        }))
    }

    /// In what a configuration does not fit its contract, as far as that was found out before.
    pub(crate) fn known_misfits(
        &self,
        place: (&str, &str),
        configuration: &Configuration,
    ) -> Vec<Fault> {
        let soap = configuration.soap.as_ref();
        let made = soap.and_then(|soap| lock(&self.made).get(&self.key(place, soap)));
        let key = made.and_then(|made| held_key(&made, configuration));
        let held = key.and_then(|key| lock(&self.held).get(&key));
        held.map_or_else(Vec::new, |held| held.to_vec())
    }

    /// Bytes of all that is remembered, as they are estimated.
    #[cfg(test)]
    fn remembered_bytes(&self) -> usize {
        lock(&self.made).bytes() + lock(&self.held).bytes()
    }

    fn key(&self, place: (&str, &str), soap: &SoapService) -> Key {
        Key {
            contract: soap.contract.clone(),
            service: soap.service.clone(),
            port: soap.port.clone(),
            address: self.address_in_documents(place),
            shape: soap
                .rest
                .as_ref()
                .map(|rest| rest.shape)
                .unwrap_or_default(),
        }
    }

    /// What the SOAP service of a configuration is served as at a context, by the version of a
    /// name; `None` where it has none.
    ///
    /// # Errors
    /// Why its contract cannot be served, in a sentence.
    pub(crate) async fn of(
        &self,
        place: (&str, &str),
        configuration: &Configuration,
        documents: Vec<ContractDocument>,
    ) -> Result<Option<Arc<Made>>, String> {
        let Some(soap) = &configuration.soap else {
            return Ok(None);
        };
        if documents.is_empty() {
            return Err("the version has no such contract; an import makes one".to_owned());
        }
        let key = self.key(place, soap);
        if let Some(made) = lock(&self.made).get(&key) {
            return Ok(Some(made));
        }
        let _turn = self.reads.reader().await;
        let bytes = documents.iter().map(|document| document.bytes.len()).sum();
        let _charge = self.reads.charge(bytes).await;
        let wanted = key.clone();
        let made = tokio::task::spawn_blocking(move || make(&documents, &wanted)).await;
        let made = Arc::new(made.map_err(|error| error.to_string())??);
        lock(&self.made).insert(key, &made);
        Ok(Some(made))
    }

    /// In what a service as REST does not fit its contract; fields are pointers from the
    /// configuration.
    pub(crate) async fn misfits(
        &self,
        made: &Arc<Made>,
        configuration: &Configuration,
    ) -> Arc<Vec<Fault>> {
        let rest = configuration
            .soap
            .as_ref()
            .and_then(|soap| soap.rest.clone());
        let Some((rest, key)) = rest.zip(held_key(made, configuration)) else {
            return Arc::default();
        };
        if let Some(held) = lock(&self.held).get(&key) {
            return held;
        }
        let _turn = self.reads.reader().await;
        let made = Arc::clone(made);
        let held = move || rest::faults(&made.contract.plan, &rest);
        let held = tokio::task::spawn_blocking(held).await;
        let held = Arc::new(held.unwrap_or_else(|error| {
            vec![Fault::new(
                "/soap/contract",
                "soap.contract",
                error.to_string(),
            )]
        }));
        lock(&self.held).insert(key, &held);
        held
    }
}

/// What a verdict on a service as REST depends on; `None` where it is none.
fn held_key(made: &Made, configuration: &Configuration) -> Option<HeldKey> {
    let mut rest = configuration.soap.as_ref()?.rest.clone()?;
    // Whatever they are, passwords fit; and they are kept nowhere else.
    let passwords = rest.back_end.passwords_mut();
    passwords.for_each(|(_, password)| password.0.clear());
    let text = serde_json::to_vec(&rest).ok()?;
    Some(HeldKey {
        address: made.address.clone(),
        digest: digest([&*made.contract.plan, &text]),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn make(documents: &[ContractDocument], key: &Key) -> Result<Made, String> {
    let (set, main) = set_of(documents)?;
    let choice = Choice {
        service: Some(key.service.clone()),
        port: Some(key.port.clone()),
    };
    let imported = tollgate_soap::import::read(&set, &main).map_err(|error| error.to_string())?;
    let compiled = tollgate_soap::compile::compile(&imported, &choice);
    let mut compiled = compiled.map_err(|error| error.to_string())?;
    service::shape(&mut compiled, key.shape);
    let published = publish(&set, &main, &key.address, &compiled.ports);
    let published = published.map_err(|error| error.to_string())?;
    let documents = published.into_iter().map(|document| ServedDocument {
        etag: format!("\"{}\"", &digest([document.text.as_bytes()])[..16]),
        query: document.query,
        text: document.text.into(),
    });
    let contract = Contract {
        operations: service::operations(&compiled),
        documents: documents.collect(),
        plan: compiled.plan.to_bytes().into(),
    };
    Ok(Made {
        contract,
        documentation: compiled.documentation,
        address: key.address.clone(),
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

#[cfg(test)]
mod tests;
