//! Keys that sign tokens: which one signs now, and how it is replaced. A key is published and known
//! to every gateway before it signs, and stays so until its last token has expired.
//!
//! `times` decides, from a list of keys and a time; this module carries the decisions out.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tollgate_model::algorithm::Algorithm;
use tollgate_model::id::SigningKeyId;
use tollgate_store::signing_keys::{self, SigningKey, Times};
use tollgate_store::{Store, StoreError, Tx};
use tollgate_tokens::key;

use crate::failure::Failure;
use crate::gateways::{Gateways, InForce};
use crate::random::Ids;

pub(crate) mod times;

use times::{AGE_LEAD_US, COMMAND_LEAD_US, DAY_US};

/// Maximum age of the cached list of keys.
const LIST_US: i64 = 1_000_000;
/// Number of attempts to find a signing key, while keys are deleted.
const TRIES: u32 = 3;

/// An opened private key and its name. `{:?}` cannot print it.
pub(crate) struct Signer {
    /// `kid` (RFC 7515, section 4.1.4).
    pub(crate) name: String,
    pub(crate) key: key::SigningKey,
}

/// The signing keys.
pub(crate) struct Keys {
    store: Store,
    gateways: Arc<dyn Gateways>,
    now_us: Arc<dyn Fn() -> i64 + Send + Sync>,
    age_us: i64,
    ids: Ids,
    memory: Mutex<Memory>,
    /// Held while keys are changed.
    changing: tokio::sync::Mutex<()>,
}

/// State cached in memory.
#[derive(Default)]
struct Memory {
    listed: Option<Listed>,
    /// Incremented by each change, so that a list from before it is not cached.
    generation: u64,
    /// Opened keys that have signed.
    signers: HashMap<SigningKeyId, Arc<Signer>>,
    /// Keys that a gateway may not know yet.
    unsure: HashSet<SigningKeyId>,
}

#[derive(Clone)]
struct Listed {
    at_us: i64,
    keys: Arc<[SigningKey]>,
}

impl Keys {
    /// Creates a set of keys that sign for `days` each.
    pub(crate) fn new(
        store: Store,
        gateways: Arc<dyn Gateways>,
        now_us: Arc<dyn Fn() -> i64 + Send + Sync>,
        days: u32,
    ) -> Self {
        Self {
            store,
            gateways,
            now_us,
            age_us: i64::from(days.max(1)) * DAY_US,
            ids: Ids::default(),
            memory: Mutex::default(),
            changing: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the published keys, which have not ended; at most a second old.
    pub(crate) async fn list(&self) -> Result<Arc<[SigningKey]>, StoreError> {
        let now_us = (self.now_us)();
        let listed = self.memory().listed.clone();
        let is_fresh = |listed: &Listed| (0..LIST_US).contains(&(now_us - listed.at_us));
        match listed.filter(is_fresh) {
            Some(listed) => Ok(listed.keys),
            None => self.read_list().await,
        }
    }

    /// Reads the keys that have not ended from the store.
    pub(crate) async fn read_list(&self) -> Result<Arc<[SigningKey]>, StoreError> {
        let generation = self.memory().generation;
        let at_us = (self.now_us)();
        let keys: Arc<[_]> = signing_keys::list(&self.store, at_us).await?.into();
        let mut memory = self.memory();
        let is_there = |id: &SigningKeyId| keys.iter().any(|key| key.id == *id);
        memory.signers.retain(|id, _| is_there(id));
        if memory.generation == generation {
            let keys = Arc::clone(&keys);
            memory.listed = Some(Listed { at_us, keys });
        }
        Ok(keys)
    }

    /// Returns the key that signs now; generates one if there is none. The keys are read each time:
    /// a token of a key that was just deleted, perhaps by another process, would not be valid.
    pub(crate) async fn signer(&self, algorithm: Algorithm) -> Result<Arc<Signer>, Failure> {
        for _ in 0..TRIES {
            let keys = self.read_list().await?;
            let found = match times::current(&keys, algorithm, (self.now_us)()) {
                Some(key) => self.open(key).await.map(Some),
                None => self.begin(algorithm).await.map(|()| None),
            };
            match found {
                Ok(Some(signer)) => return Ok(signer),
                // A key was generated or deleted: look again.
                Ok(None) | Err(Failure::Store(StoreError::NotFound(_))) => {}
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::NoSigner)
    }

    /// Ensures that a key of this algorithm signs now.
    async fn begin(&self, algorithm: Algorithm) -> Result<(), Failure> {
        let _changing = self.changing.lock().await;
        let now_us = (self.now_us)();
        let keys = self.read_list().await?;
        if times::current(&keys, algorithm, now_us).is_some() {
            return Ok(());
        }
        let change = match times::waiting(&keys, algorithm, now_us) {
            Some(next) => Change::with_times(next.id, times::from(now_us)),
            None => self.new_key(algorithm, now_us).await?,
        };
        self.carry_out(change).await.map(|_| ())
    }

    /// Generates the next key of an algorithm, by command.
    pub(crate) async fn next(
        &self,
        algorithm: Algorithm,
    ) -> Result<(SigningKeyId, InForce), Failure> {
        let _changing = self.changing.lock().await;
        self.schedule_next(algorithm, COMMAND_LEAD_US).await
    }

    /// Schedules the next key, or the one that already waits, to sign after `lead_us`.
    async fn schedule_next(
        &self,
        algorithm: Algorithm,
        lead_us: i64,
    ) -> Result<(SigningKeyId, InForce), Failure> {
        let now_us = (self.now_us)();
        let keys = self.read_list().await?;
        let current = times::current(&keys, algorithm, now_us);
        // Without a signing key, the first one signs at once.
        let at_us = now_us + current.map_or(0, |_| lead_us);
        let (id, at_us, mut change) = match times::waiting(&keys, algorithm, now_us) {
            Some(next) => {
                let at_us = next.times.signs_from_us.min(at_us);
                (
                    next.id,
                    at_us,
                    Change::with_times(next.id, times::from(at_us)),
                )
            }
            None => {
                let change = self.new_key(algorithm, at_us).await?;
                (change.id(), at_us, change)
            }
        };
        if let Some(current) = current {
            let until = times::until(current.times, at_us);
            change.times.push((current.id, until));
        }
        Ok((id, self.carry_out(change).await?))
    }

    /// Deletes a key. If it signs, another one replaces it; if it waits, the one that signs
    /// continues.
    pub(crate) async fn delete(&self, id: SigningKeyId) -> Result<InForce, Failure> {
        let _changing = self.changing.lock().await;
        let now_us = (self.now_us)();
        let keys = self.read_list().await?;
        let key = keys
            .iter()
            .find(|key| key.id == id)
            .ok_or(StoreError::NotFound("signing key"))?;
        let algorithm = key.algorithm;
        let current = times::current(&keys, algorithm, now_us);
        let next = times::waiting(&keys, algorithm, now_us);
        let mut change = Change::default();
        if current.is_some_and(|current| current.id == id) {
            change = match next {
                Some(next) => Change::with_times(next.id, times::from(now_us)),
                None => self.new_key(algorithm, now_us).await?,
            };
        } else if next.is_some_and(|next| next.id == id)
            && let Some(current) = current
        {
            change = Change::with_times(current.id, times::from(current.times.signs_from_us));
        }
        change.deleted = Some(id);
        self.carry_out(change).await
    }

    /// Schedules a successor for each key that has signed long enough, and deletes keys that have
    /// ended.
    pub(crate) async fn rotate(&self) -> Result<(), Failure> {
        let _changing = self.changing.lock().await;
        let now_us = (self.now_us)();
        let keys = self.read_list().await?;
        for algorithm in Algorithm::ALL {
            if times::is_due(&keys, algorithm, now_us, self.age_us) {
                self.schedule_next(algorithm, AGE_LEAD_US).await?;
            }
        }
        if signing_keys::has_ended(&self.store, now_us).await? {
            let mut tx = self.store.write().await?;
            let deleted = signing_keys::delete_ended(&mut tx, now_us).await?;
            self.gateways.commit(tx).await?;
            if deleted > 0 {
                tracing::info!(deleted, "{deleted} signing keys have ended");
            }
        }
        Ok(())
    }

    /// Generates a key, not written yet, that signs from `signs_from_us` on.
    async fn new_key(&self, algorithm: Algorithm, signs_from_us: i64) -> Result<Change, Failure> {
        // An RSA key takes a good part of a second.
        let made = tokio::task::spawn_blocking(move || key::SigningKey::generate(algorithm));
        let made = made.await??;
        let now_us = (self.now_us)();
        let row = SigningKey {
            id: self.ids.next(now_us)?,
            name: made.public().thumbprint(),
            algorithm,
            public: made.public().bytes().to_vec(),
            created_us: now_us,
            times: times::from(signs_from_us),
        };
        Ok(Change {
            made: Some((row, made)),
            ..Change::default()
        })
    }

    /// Writes a change and waits for gateways. A new key counts as unknown until they have it, also
    /// if this is cancelled half way.
    async fn carry_out(&self, change: Change) -> Result<InForce, Failure> {
        let mut tx = self.store.write().await?;
        change.write(&mut tx).await?;
        let new = change.made.as_ref().map(|(row, _)| row.id);
        self.memory().unsure.extend(new);
        let committed = self.gateways.commit(tx).await;
        let mut memory = self.memory();
        memory.generation += 1;
        memory.listed = None;
        if let Some(new) = new
            && !matches!(committed, Ok(InForce::Behind))
        {
            memory.unsure.remove(&new);
        }
        drop(memory);
        let in_force = committed?;
        change.log();
        Ok(in_force)
    }

    /// Opens the private half of a key, once every gateway knows the public one.
    async fn open(&self, key: &SigningKey) -> Result<Arc<Signer>, Failure> {
        let is_unsure = self.memory().unsure.contains(&key.id);
        if is_unsure {
            let tx = self.store.write().await?;
            if self.gateways.commit(tx).await? == InForce::Behind {
                return Err(Failure::Unknown(key.id));
            }
            self.memory().unsure.remove(&key.id);
        }
        if let Some(signer) = self.memory().signers.get(&key.id) {
            return Ok(Arc::clone(signer));
        }
        let private = signing_keys::private(&self.store, key.id).await?;
        let signer = Arc::new(Signer {
            name: key.name.clone(),
            key: key::SigningKey::from_pkcs8(key.algorithm, private.as_ref())?,
        });
        let kept = Arc::clone(&signer);
        self.memory().signers.insert(key.id, kept);
        Ok(signer)
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The changes of one write.
#[derive(Default)]
struct Change {
    made: Option<(SigningKey, key::SigningKey)>,
    times: Vec<(SigningKeyId, Times)>,
    deleted: Option<SigningKeyId>,
}

impl Change {
    fn with_times(id: SigningKeyId, times: Times) -> Self {
        Self {
            times: vec![(id, times)],
            ..Self::default()
        }
    }

    /// Returns the id of the new key.
    fn id(&self) -> SigningKeyId {
        let made = self.made.as_ref().map(|(row, _)| row.id);
        made.expect("called for a change with a new key")
    }

    async fn write(&self, tx: &mut Tx) -> Result<(), StoreError> {
        if let Some((row, key)) = &self.made {
            signing_keys::create(tx, row, key.pkcs8().as_ref()).await?;
        }
        for &(id, times) in &self.times {
            signing_keys::update(tx, id, times).await?;
        }
        match self.deleted {
            Some(id) => signing_keys::delete(tx, id).await,
            None => Ok(()),
        }
    }

    fn log(&self) {
        if let Some((row, _)) = &self.made {
            let (id, algorithm) = (row.id, row.algorithm.word());
            tracing::info!(%id, algorithm, "created the signing key {id} for {algorithm}");
        }
        if let Some(id) = self.deleted {
            tracing::info!(%id, "deleted the signing key {id}");
        }
    }
}

#[cfg(test)]
mod tests;
