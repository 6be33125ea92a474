//! The certificates of a folder, for TLS listeners: selected by the server name that the client
//! requests (SNI, RFC 6066, section 3) and by the signature schemes that it supports, reloaded
//! whenever the folder changes.
//!
//! `folder.rs` reads the files, `chain.rs` checks the chains, `present.rs` selects, `make.rs`
//! creates certificates for machines without any.

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

/// Interval at which a folder is checked for changes.
const LOOK_TIME: Duration = Duration::from_millis(300);
/// Interval at which faults of certificates are logged again.
const FAULTS_LOG_TIME_US: i64 = 24 * 60 * 60 * 1_000_000;

/// Why a listener has no certificate.
#[derive(Debug, thiserror::Error)]
pub enum NoCertificates {
    /// The folder cannot be read.
    #[error("cannot read {0}; `tollgate certificates` creates certificates for this machine")]
    Folder(PathBuf, #[source] std::io::Error),
    /// The folder contains no pair.
    #[error(
        "{0} contains no certificate with its key (NAME.crt and NAME.key); `tollgate certificates` \
         creates one for this machine"
    )]
    Empty(PathBuf),
    /// A pair of the folder cannot be used.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// TLS cannot be set up.
    #[error("cannot set up TLS")]
    Tls(#[from] rustls::Error),
}

/// The certificates of one folder.
#[derive(Debug)]
pub struct Certificates {
    folder: PathBuf,
    /// The state of the files when they were first read.
    first: Signature,
    present: ArcSwap<Present>,
}

impl Certificates {
    /// Reads the pairs of a folder.
    ///
    /// # Errors
    /// Fails with [`NoCertificates`] if there is no pair or one is invalid.
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

    /// Returns the TLS configuration, which selects among the current certificates at each
    /// handshake.
    ///
    /// # Errors
    /// Fails if the system returns no random bytes.
    pub fn config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, NoCertificates> {
        let certificates: Arc<dyn ResolvesServerCert> = Arc::<Self>::clone(self);
        Ok(Arc::new(tls::server(certificates)?))
    }

    /// Reloads the folder when it changes, until the future is dropped. An invalid pair is logged
    /// once and leaves the current pair of that name in place.
    pub async fn watch(self: Arc<Self>, now_us: impl Fn() -> i64) {
        let mut seen = Some(self.first.clone());
        let mut logged_us = now_us();
        self.log_faults(logged_us);
        loop {
            tokio::time::sleep(LOOK_TIME).await;
            if now_us() - logged_us >= FAULTS_LOG_TIME_US {
                logged_us = now_us();
                self.log_faults(logged_us);
            }
            let signature = match Folder::signature(&self.folder) {
                Ok(signature) if Some(&signature) == seen.as_ref() => continue,
                Ok(signature) => Some(signature),
                Err(_) if seen.is_none() => continue,
                Err(_) => None,
            };
            match Folder::read(&self.folder) {
                // Changed while it was read: it is read again.
                Ok(read) if signature.as_ref() != Some(&read.signature) => continue,
                Ok(read) => self.reload(read, now_us()),
                Err(error) => tracing::warn!(
                    folder = %self.folder.display(),
                    "certificates: cannot read {}, the current ones stay in use: {error}",
                    self.folder.display()
                ),
            }
            seen = signature;
        }
    }

    /// Returns a sentence for each certificate that expires soon and each chain that clients may
    /// reject.
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

    /// Returns the name of each certificate and when it expires, Unix microseconds.
    #[must_use]
    pub fn expiries(&self) -> Vec<(String, i64)> {
        let present = self.present.load();
        let pairs = present.pairs.iter();
        pairs
            .map(|pair| (pair.name.clone(), pair.ends_us))
            .collect()
    }

    fn log_faults(&self, now_us: i64) {
        for sentence in self.faults(now_us) {
            tracing::warn!("{sentence}");
        }
    }

    fn reload(&self, read: Folder, now_us: i64) {
        let before = self.present.load_full();
        let old = |name: &str| before.pairs.iter().find(|pair| pair.name == name).cloned();
        let mut pairs = Vec::new();
        for (name, pair) in read.pairs {
            let refused = match pair {
                Ok(pair) if !pair.is_valid(now_us) && old(&name).is_some() => {
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
                Some(_) => "keeping the current pair instead of",
                None => "ignoring",
            };
            tracing::warn!("certificates: {what} {name}: {refused}");
            pairs.extend(kept);
        }
        let Some(present) = Present::new(pairs) else {
            let folder = self.folder.display();
            tracing::warn!("certificates: no pair left in {folder}, the current ones stay in use");
            return;
        };
        let count = present.pairs.len();
        self.present.store(Arc::new(present));
        tracing::info!(
            "certificates: {count} loaded from {}",
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
        // For TLS 1.2, without the schemes that match no cipher suite of the client.
        Some(self.key(hello.server_name(), hello.signature_schemes()))
    }
}

#[cfg(test)]
mod tests;
