//! Contracts of SOAP services: compiles the stored documents to the form that gateways serve.
//!
//! Neighbours: `contracts/gather.rs` collects the documents of a request, `contracts/report.rs`
//! reports how much of them is supported, `contracts/service.rs` creates the service of a draft,
//! `contracts/difference.rs` compares a contract with the previous one; `contracts/rest.rs` checks
//! the resources of a version against it. Compiling a contract may take seconds, so it runs on
//! blocking threads with a concurrency limit (`contracts/turns.rs`), and results are cached
//! (`cache.rs`).

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
use tollgate_model::soap::SoapService;
use tollgate_soap::address::publish;
use tollgate_soap::compile::{Choice, Documentation};
use tollgate_soap::import::{Documents, Limits};
use tollgate_store::contracts::{self, ContractDocument};
use tollgate_store::versions::Version;
use tollgate_store::{Store, StoreError, apis};

use turns::Turns;

use crate::cache::Cache;
use crate::gateways::version_path;

/// Maximum number of contracts compiled at a time: each may take a thread and hundreds of
/// megabytes.
const READS_MAX: usize = 2;
/// One part in this many of the cache's bytes is for misfits.
const MISFITS_PART: usize = 16;

/// Compiled contracts, cached.
#[derive(Debug)]
pub(crate) struct Contracts {
    gateway: GatewayUrl,
    made: Mutex<Cache<Key, Made>>,
    /// Faults of services as REST that do not fit their contracts.
    misfits: Mutex<Cache<MisfitsKey, Vec<Fault>>>,
    pub(crate) reads: Turns,
}

/// A compiled contract.
#[derive(Debug)]
pub(crate) struct Made {
    /// The contract as sent to gateways.
    pub(crate) contract: Contract,
    /// Documentation of its operations and types.
    pub(crate) documentation: Documentation,
    /// The address for callers.
    address: String,
}

/// The inputs of a compiled contract; `contract` is the digest of its documents.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    contract: String,
    service: String,
    port: String,
    address: String,
    form: service::Form,
}

/// The inputs of misfits: `digest` is that of a plan and of a service as REST.
#[derive(Debug, PartialEq, Eq, Hash)]
struct MisfitsKey {
    address: String,
    digest: String,
}

/// A compiled contract and its misfits, kept in the caches until the write has read them.
#[derive(Debug)]
pub(crate) struct Prepared {
    _made: Arc<Made>,
    _misfits: Arc<Vec<Fault>>,
}

/// The gateways' URL for callers, such as `https://api.example.com`, without a trailing slash.
#[derive(Debug, Clone)]
pub enum GatewayUrl {
    /// Set by the operator: contracts contain this URL.
    Said(String),
    /// Derived from the listener of this process's gateway: contracts contain the URL of the
    /// listener that receives the request.
    Local(String),
}

impl GatewayUrl {
    fn as_str(&self) -> &str {
        let (Self::Said(url) | Self::Local(url)) = self;
        url
    }
}

impl Contracts {
    /// Creates empty caches of at most `bytes_max` together, for gateways at this URL.
    pub(crate) fn new(gateway: GatewayUrl, bytes_max: usize) -> Self {
        let misfits_bytes_max = bytes_max / MISFITS_PART;
        Self {
            gateway,
            made: Mutex::new(Cache::new(bytes_max - misfits_bytes_max)),
            misfits: Mutex::new(Cache::new(misfits_bytes_max)),
            reads: Turns::new(READS_MAX),
        }
    }

    /// Removes the results for the versions of the API at a context that is no longer used.
    pub(crate) fn forget(&self, context: &str) {
        let versions = self.address_in_documents(&version_path(context, ""));
        lock(&self.made).forget(|key| key.address.starts_with(&versions));
        lock(&self.misfits).forget(|key| key.address.starts_with(&versions));
    }

    /// Returns the address of the version at a [path](version_path). With a local gateway it may
    /// differ from the one that callers use.
    pub(crate) fn address(&self, path: &str) -> String {
        let address = self.address_in_documents(path);
        self.with_gateway(&address)
    }

    /// Replaces the gateway's placeholder in a contract's document by this process's URL for it.
    pub(crate) fn with_gateway(&self, text: &str) -> String {
        text.replace(ASKED_GATEWAY, self.gateway.as_str())
    }

    /// Returns the address in documents for gateways, which may contain the gateway's placeholder.
    fn address_in_documents(&self, path: &str) -> String {
        let gateway = match &self.gateway {
            GatewayUrl::Said(url) => url,
            GatewayUrl::Local(_) => ASKED_GATEWAY,
        };
        format!("{gateway}{path}")
    }

    /// Compiles the contract of a configuration and checks the configuration against it, before a
    /// write begins. [`Self::of`] and [`Self::known_misfits`] find the results as long as the
    /// returned value exists; they also report the faults.
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
        let path = version_path(&api.context, &version.name);
        let Ok(Some(made)) = self.of(&path, configuration, documents).await else {
            return Ok(None);
        };
        let misfits = self.misfits(&made, configuration).await;
        Ok(Some(Prepared {
            _made: made,
            _misfits: misfits,
        }))
    }

    /// Returns the cached faults of a configuration that does not fit its contract, for the version
    /// at a [path](version_path).
    pub(crate) fn known_misfits(&self, path: &str, configuration: &Configuration) -> Vec<Fault> {
        let soap = configuration.soap.as_ref();
        let made = soap.and_then(|soap| lock(&self.made).get(&self.key(path, soap)));
        let key = made.and_then(|made| misfits_key(&made, configuration));
        let misfits = key.and_then(|key| lock(&self.misfits).get(&key));
        misfits.map_or_else(Vec::new, |misfits| misfits.to_vec())
    }

    /// Estimated bytes of both caches.
    #[cfg(test)]
    fn cached_bytes(&self) -> usize {
        lock(&self.made).bytes() + lock(&self.misfits).bytes()
    }

    fn key(&self, path: &str, soap: &SoapService) -> Key {
        Key {
            contract: soap.contract.clone(),
            service: soap.service.clone(),
            port: soap.port.clone(),
            address: self.address_in_documents(path),
            form: service::Form::of_service(soap),
        }
    }

    /// Returns the compiled contract of a configuration's SOAP service, for the version at a
    /// [path](version_path); `None` if the configuration has no SOAP service.
    ///
    /// # Errors
    /// Fails with a sentence if the contract cannot be served.
    pub(crate) async fn of(
        &self,
        path: &str,
        configuration: &Configuration,
        documents: Vec<ContractDocument>,
    ) -> Result<Option<Arc<Made>>, String> {
        let Some(soap) = &configuration.soap else {
            return Ok(None);
        };
        if documents.is_empty() {
            return Err("the version has no such contract; import one".to_owned());
        }
        let key = self.key(path, soap);
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

    /// Returns the faults of a service as REST that does not fit its contract; fields are pointers
    /// from the configuration.
    pub(crate) async fn misfits(
        &self,
        made: &Arc<Made>,
        configuration: &Configuration,
    ) -> Arc<Vec<Fault>> {
        let rest = configuration
            .soap
            .as_ref()
            .and_then(|soap| soap.rest.clone());
        let Some((rest, key)) = rest.zip(misfits_key(made, configuration)) else {
            return Arc::default();
        };
        if let Some(misfits) = lock(&self.misfits).get(&key) {
            return misfits;
        }
        let _turn = self.reads.reader().await;
        let made = Arc::clone(made);
        let misfits = move || rest::faults(&made.contract.plan, &rest);
        let misfits = tokio::task::spawn_blocking(misfits).await;
        let misfits = Arc::new(misfits.unwrap_or_else(|error| {
            vec![Fault::new(
                "/soap/contract",
                "soap.contract",
                error.to_string(),
            )]
        }));
        lock(&self.misfits).insert(key, &misfits);
        misfits
    }
}

/// Returns the key for the misfits of a service as REST; `None` for other services.
fn misfits_key(made: &Made, configuration: &Configuration) -> Option<MisfitsKey> {
    let mut rest = configuration.soap.as_ref()?.rest.clone()?;
    // Any password fits, and passwords must not be kept in memory here.
    let passwords = rest.back_end.passwords_mut();
    passwords.for_each(|(_, password)| password.0.clear());
    let text = serde_json::to_vec(&rest).ok()?;
    Some(MisfitsKey {
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
    let compiled = compiled.map_err(|error| error.to_string())?;
    let compiled = key.form.apply(compiled);
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

/// Parses stored documents. Returns the set and the location of its main document.
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

/// Returns the SHA-256 of parts, each prefixed with its length, in hex.
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
