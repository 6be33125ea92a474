//! The certificates of a folder, as TLS listeners show them: chosen by the name that a client asks
//! for (SNI, RFC 6066, section 3) and by the signatures that it takes, read again whenever the
//! folder changes.
//!
//! `folder.rs` reads the files, `chain.rs` judges what they hold, `present.rs` chooses, `make.rs`
//! makes some for machines that have none.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ServerConfig, SignatureScheme};
use tollgate_fetch::tls;

mod chain;
mod folder;
pub mod make;
mod present;

use folder::{Folder, Pair, Signature, Unusable};
use present::Present;

/// How often a folder is looked at.
const LOOK_TIME: Duration = Duration::from_millis(300);
/// How often what is wrong with certificates is logged again.
const TELL_TIME_US: i64 = 24 * 60 * 60 * 1_000_000;

/// Why a listener has no certificate to show.
#[derive(Debug, thiserror::Error)]
pub enum NoCertificates {
    /// The folder cannot be read.
    #[error("{0} cannot be read; `tollgate certificates` makes certificates for this machine")]
    Folder(PathBuf, #[source] std::io::Error),
    /// The folder holds no pair.
    #[error(
        "{0} holds no certificate with its key (NAME.crt and NAME.key); `tollgate certificates` \
         makes one for this machine"
    )]
    Empty(PathBuf),
    /// A pair of the folder cannot be used.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up")]
    Tls(#[from] rustls::Error),
}

/// The certificates of one folder.
#[derive(Debug)]
pub struct Certificates {
    folder: PathBuf,
    /// Of the files as they were when they were read first.
    first: Signature,
    present: ArcSwap<Present>,
}

impl Certificates {
    /// Reads a folder.
    ///
    /// # Errors
    /// [`NoCertificates`]: nothing could be shown, or a pair is no good.
    pub fn open(folder: &Path) -> Result<Arc<Self>, NoCertificates> {
        let read = Folder::read(folder)
            .map_err(|error| NoCertificates::Folder(folder.to_owned(), error))?;
        let pairs = read.pairs.into_values().map(|pair| pair.map(Arc::new));
        let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
        let present =
            Present::new(pairs).ok_or_else(|| NoCertificates::Empty(folder.to_owned()))?;
        Ok(Arc::new(Self {
            folder: folder.to_owned(),
            first: read.signature,
            present: ArcSwap::from_pointee(present),
        }))
    }

    /// How TLS is spoken with these certificates, whichever are in force when a client asks.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, NoCertificates> {
        let certificates: Arc<dyn ResolvesServerCert> = Arc::<Self>::clone(self);
        Ok(Arc::new(tls::server(certificates)?))
    }

    /// Takes up what changes in the folder, until it is dropped. A pair that is no good leaves the
    /// one of its name that was in force, and one line in the log.
    pub async fn follow(self: Arc<Self>, now_us: impl Fn() -> i64) {
        let mut seen = Some(self.first.clone());
        let mut told_us = now_us();
        self.log_faults(told_us);
        loop {
            tokio::time::sleep(LOOK_TIME).await;
            if now_us() - told_us >= TELL_TIME_US {
                told_us = now_us();
                self.log_faults(told_us);
            }
            let signature = match Folder::signature(&self.folder) {
                Ok(signature) if Some(&signature) == seen.as_ref() => continue,
                Ok(signature) => Some(signature),
                Err(_) if seen.is_none() => continue,
                Err(_) => None,
            };
            match Folder::read(&self.folder) {
                // Written while it was read: it is looked at again.
                Ok(read) if signature.as_ref() != Some(&read.signature) => continue,
                Ok(read) => self.take_up(read, now_us()),
                Err(error) => tracing::warn!(
                    folder = %self.folder.display(),
                    "certificates: {} cannot be read, the old ones stay: {error}",
                    self.folder.display()
                ),
            }
            seen = signature;
        }
    }

    /// What ends soon, and what clients may refuse a chain for, a sentence each.
    #[must_use]
    pub fn faults(&self, now_us: i64) -> Vec<String> {
        let present = self.present.load();
        let of_pair = |pair: &Arc<Pair>| {
            let end = pair.ends_soon(now_us).then(|| pair.end_sentence(now_us));
            end.into_iter()
                .chain(pair.faults.iter().cloned())
                .collect::<Vec<_>>()
        };
        present.pairs.iter().flat_map(of_pair).collect()
    }

    fn log_faults(&self, now_us: i64) {
        for sentence in self.faults(now_us) {
            tracing::warn!("{sentence}");
        }
    }

    fn take_up(&self, read: Folder, now_us: i64) {
        let before = self.present.load_full();
        let old = |name: &str| before.pairs.iter().find(|pair| pair.name == name).cloned();
        let mut pairs = Vec::new();
        for (name, pair) in read.pairs {
            let refused = match pair {
                Ok(pair) if !pair.is_alive(now_us) && old(&name).is_some() => {
                    pair.end_sentence(now_us)
                }
                Ok(pair) => {
                    pairs.push(Arc::new(pair));
                    continue;
                }
                Err(unusable) => format!("{:#}", anyhow::Error::from(unusable)),
            };
            let kept = old(&name);
            let what = match kept {
                Some(_) => "the old pair stays in place of",
                None => "left out is",
            };
            tracing::warn!("certificates: {what} {name}: {refused}");
            pairs.extend(kept);
        }
        let Some(present) = Present::new(pairs) else {
            let folder = self.folder.display();
            tracing::warn!("certificates: {folder} holds no pair any more, the old ones stay");
            return;
        };
        let count = present.pairs.len();
        self.present.store(Arc::new(present));
        tracing::info!(
            "certificates: {count} in force from {}",
            self.folder.display()
        );
        self.log_faults(now_us);
    }
}

impl Certificates {
    fn key(&self, name: Option<&str>, schemes: &[SignatureScheme]) -> Arc<CertifiedKey> {
        Arc::clone(&self.present.load().find(name, schemes).key)
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        // Of TLS 1.2 without the schemes that no cipher suite of the client goes with.
        Some(self.key(hello.server_name(), hello.signature_schemes()))
    }
}

#[cfg(test)]
mod tests;
