//! The master key, which seals secrets that must be readable again, such as a back end's password.
//!
//! AES-256-GCM (NIST SP 800-38D) with a random nonce of 96 bits for each seal. The owner of a
//! secret is authenticated as associated data, so a sealed text moved to another owner does not
//! open.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::rand;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::{OpenError, StoreError};

/// Prefix of a sealed text.
const FORMAT: &str = "v1:";
const KEY_BYTES: usize = 32;

/// Location of the master key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyFile {
    /// A file that the operator provides.
    Given(PathBuf),
    /// A file beside the database; created for a database that has no key yet.
    Own(PathBuf),
}

/// The key that seals and opens secrets. Clones share it.
#[derive(Clone)]
pub(crate) struct MasterKey(Arc<RandomizedNonceKey>);

impl KeyFile {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Given(path) | Self::Own(path) => path,
        }
    }

    /// Reads the key; logs a warning if other users can read or change the file.
    pub(crate) fn read(&self) -> Result<MasterKey, OpenError> {
        let path = self.path();
        if decoded(path.as_os_str().as_encoded_bytes()).is_some() {
            return Err(OpenError::MasterKey {
                // The key itself was given as the path: do not print it.
                path: "in the settings".into(),
                detail: "is no path: write the key to a file and name that".to_owned(),
            });
        }
        if path
            .metadata()
            .is_ok_and(|file| file.permissions().mode() & 0o006 != 0)
        {
            tracing::warn!(
                "the master key {} can be read or changed by everybody",
                path.display()
            );
        }
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| {
            self.refused(match error.kind() {
                io::ErrorKind::NotFound => "is not there; restore it from a backup".to_owned(),
                _ => format!("cannot be read: {error}"),
            })
        })?;
        let bytes = decoded(text.trim_ascii().as_bytes());
        let bytes = bytes.ok_or_else(|| self.refused("is not 32 bytes in Base64"))?;
        MasterKey::new(&bytes).map_err(|error| self.refused(error.to_string()))
    }

    /// Reads the key of a database that has none yet; creates it, readable by its owner only, if it
    /// is Tollgate's own file and missing.
    pub(crate) fn read_or_make(&self) -> Result<MasterKey, OpenError> {
        match self {
            Self::Own(path) if !path.exists() => {
                let mut key = [0; KEY_BYTES];
                let made = rand::fill(&mut key).map_err(io::Error::other);
                let made = made.and_then(|()| write_private(path, &STANDARD.encode(key)));
                made.map_err(|error| self.refused(format!("cannot be made: {error}")))?;
                self.read()
            }
            Self::Own(_) | Self::Given(_) => self.read(),
        }
    }

    pub(crate) fn refused(&self, detail: impl Into<String>) -> OpenError {
        OpenError::MasterKey {
            path: self.path().to_owned(),
            detail: detail.into(),
        }
    }
}

impl MasterKey {
    fn new(bytes: &[u8]) -> Result<Self, StoreError> {
        let key = RandomizedNonceKey::new(&AES_256_GCM, bytes);
        let key = key.map_err(|error| StoreError::Other(error.into()))?;
        Ok(Self(Arc::new(key)))
    }

    /// Seals a text for `owner`.
    pub(crate) fn seal(&self, owner: &str, text: &str) -> Result<String, StoreError> {
        self.seal_bytes(owner, text.as_bytes())
    }

    /// Seals bytes for `owner`.
    pub(crate) fn seal_bytes(&self, owner: &str, bytes: &[u8]) -> Result<String, StoreError> {
        let mut sealed = bytes.to_vec();
        let nonce = self
            .0
            .seal_in_place_append_tag(Aad::from(owner), &mut sealed);
        let nonce = nonce.map_err(|error| StoreError::Other(error.into()))?;
        sealed.splice(..0, nonce.as_ref().iter().copied());
        Ok(format!("{FORMAT}{}", STANDARD.encode(sealed)))
    }

    /// Opens a text that was sealed for the same `owner`; `None` for anything else.
    pub(crate) fn open(&self, owner: &str, sealed: &str) -> Option<String> {
        String::from_utf8(self.open_bytes(owner, sealed)?).ok()
    }

    /// Opens bytes that were sealed for the same `owner`; `None` for anything else.
    pub(crate) fn open_bytes(&self, owner: &str, sealed: &str) -> Option<Vec<u8>> {
        let mut bytes = STANDARD.decode(sealed.strip_prefix(FORMAT)?).ok()?;
        let (nonce, sealed) = bytes.split_at_mut_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let opened = self.0.open_in_place(nonce, Aad::from(owner), sealed).ok()?;
        Some(opened.to_vec())
    }
}

/// Decodes a key from Base64; `None` if the length is wrong.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(text).ok();
    bytes.filter(|bytes| bytes.len() == KEY_BYTES)
}

/// Writes a new file that only its owner can read. The write is atomic and survives a power cut.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    // Left behind by a process that ended during the write.
    if let Err(error) = std::fs::remove_file(&new)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    std::fs::hard_link(&new, path)?;
    std::fs::remove_file(&new)?;
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    std::fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests;
