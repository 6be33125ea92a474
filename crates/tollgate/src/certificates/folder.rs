//! Pairs of certificates and keys in a folder.
//!
//! A pair is `NAME.crt` or `NAME.pem` with `NAME.key` beside it, or a `NAME.pem` that also contains
//! the key; in a subfolder, which is the layout of ACME clients, `fullchain.pem` and `privkey.pem`.
//! Names that begin with a dot are ignored.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{Error, SignatureAlgorithm};
use tollgate_fetch::tls;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::chain::{self, Authorities};

/// A certificate expires soon if less than this remains; if its lifetime is short, less than
/// 1/[`SOON_PART`] of the lifetime.
const SOON_US: i64 = 7 * 24 * 60 * 60 * 1_000_000;
/// Divisor of short lifetimes.
const SOON_PART: i64 = 5;

/// File name of the authority that `tollgate certificates` creates, next to the folder.
pub(super) const OWN_AUTHORITY: &str = "ca.crt";

/// Why a pair cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// A file cannot be read.
    #[error("cannot read {0}")]
    Io(PathBuf, #[source] io::Error),
    /// The file contains no certificate.
    #[error("{0} contains no certificate in PEM")]
    NoCertificate(PathBuf),
    /// The file contains no key.
    #[error("{0} contains no private key in PEM")]
    NoKey(PathBuf),
    /// The certificate cannot be parsed.
    #[error("cannot parse the certificate in {0}")]
    Certificate(PathBuf),
    /// The key belongs to a later certificate of the file.
    #[error(
        "the certificates in {certificate} are in the wrong order: the key in {key} belongs to \
         number {number}, which must come first"
    )]
    Order {
        /// The key's file.
        key: PathBuf,
        /// The certificate's file.
        certificate: PathBuf,
        /// From 1.
        number: usize,
    },
    /// The key is too short.
    #[error("the certificate in {certificate} has {detail}")]
    WeakKey {
        /// The certificate's file.
        certificate: PathBuf,
        /// The type and length of the key.
        detail: String,
    },
    /// The key belongs to another certificate, or is of an unsupported type.
    #[error("the key in {key} does not match the certificate in {certificate}")]
    Key {
        /// The key's file.
        key: PathBuf,
        /// The certificate's.
        certificate: PathBuf,
        /// Why.
        source: Error,
    },
}

/// A certificate with its chain and its key.
#[derive(Debug)]
pub(super) struct Pair {
    /// The name of its files, without extension.
    pub(super) name: String,
    file: PathBuf,
    pub(super) key: Arc<CertifiedKey>,
    /// The DNS names of the certificate, in lower case.
    pub(super) dns_names: Vec<String>,
    /// The IP addresses of the certificate.
    pub(super) addresses: Vec<IpAddr>,
    /// Start and end of its validity, Unix microseconds.
    begins_us: i64,
    pub(super) ends_us: i64,
    /// Faults for which clients may reject its chain, a sentence each.
    pub(super) faults: Vec<String>,
}

impl Pair {
    /// Returns the type of its key.
    pub(super) fn algorithm(&self) -> SignatureAlgorithm {
        self.key.key.algorithm()
    }

    /// Returns whether it covers all names and addresses of the other.
    pub(super) fn is_for_all_of(&self, other: &Self) -> bool {
        let has_name = |name| self.dns_names.contains(name);
        let has_address = |address| self.addresses.contains(address);
        other.dns_names.iter().all(has_name) && other.addresses.iter().all(has_address)
    }

    /// Returns whether it is valid now.
    pub(super) fn is_valid(&self, now_us: i64) -> bool {
        (self.begins_us..self.ends_us).contains(&now_us)
    }

    /// Returns whether it covers a name or an address.
    pub(super) fn is_for(&self, name: &str) -> bool {
        match name.parse() {
            Ok(address) => self.addresses.contains(&address),
            Err(_) => self.dns_names.contains(&name.to_ascii_lowercase()),
        }
    }

    /// Returns whether its issuer has the name of this authority, a certificate in PEM.
    pub(super) fn is_issued_by(&self, authority: &[u8]) -> bool {
        let Ok(authority) = CertificateDer::from_pem_slice(authority) else {
            return false;
        };
        let leaf = self
            .key
            .cert
            .first()
            .map(|leaf| X509Certificate::from_der(leaf));
        let (Some(Ok((_, leaf))), Ok((_, authority))) =
            (leaf, X509Certificate::from_der(&authority))
        else {
            return false;
        };
        leaf.issuer() == authority.subject()
    }

    pub(super) fn ends_soon(&self, now_us: i64) -> bool {
        let soon_us = SOON_US.min((self.ends_us - self.begins_us) / SOON_PART);
        self.ends_us - now_us < soon_us
    }

    /// Returns a sentence with its end, or its begin if that is in the future.
    pub(super) fn end_sentence(&self, now_us: i64) -> String {
        let (verb, time_us) = match now_us {
            now_us if now_us >= self.ends_us => ("expired on", self.ends_us),
            now_us if now_us < self.begins_us => ("is not valid before", self.begins_us),
            _ => ("expires on", self.ends_us),
        };
        let end = Timestamp::from_microsecond(time_us).unwrap_or_default();
        let (file, names) = (self.file.display(), self.dns_names.join(", "));
        format!("the certificate in {file} (for {names}) {verb} {end}")
    }

    fn read(
        name: String,
        certificate: &Path,
        key: &Path,
        authorities: &Authorities,
    ) -> Result<Self, Unusable> {
        let chain = CertificateDer::pem_slice_iter(&read_file(certificate)?)
            .collect::<Result<Vec<_>, _>>()
            .unwrap_or_default();
        let leaf = chain
            .first()
            .ok_or_else(|| Unusable::NoCertificate(certificate.to_owned()))?;
        let life = Life::from_certificate(leaf)
            .ok_or_else(|| Unusable::Certificate(certificate.to_owned()))?;
        let secret = PrivateKeyDer::from_pem_slice(&read_file(key)?)
            .map_err(|_| Unusable::NoKey(key.to_owned()))?;
        if let Some(detail) = chain::weak_key(leaf) {
            let certificate = certificate.to_owned();
            return Err(Unusable::WeakKey {
                certificate,
                detail,
            });
        }
        let faults = chain::faults(certificate, &chain, authorities);
        let certified = certified(chain, &secret).map_err(|(source, place)| {
            let (key, certificate) = (key.to_owned(), certificate.to_owned());
            match place {
                Some(index) => Unusable::Order {
                    key,
                    certificate,
                    number: index + 1,
                },
                None => Unusable::Key {
                    key,
                    certificate,
                    source,
                },
            }
        })?;
        Ok(Self {
            name,
            file: certificate.to_owned(),
            key: Arc::new(certified),
            dns_names: life.dns_names,
            addresses: life.addresses,
            begins_us: life.begins_us,
            ends_us: life.ends_us,
            faults,
        })
    }
}

/// Combines a chain with its key; otherwise returns the error and which certificate of the chain
/// the key belongs to, if any.
fn certified(
    chain: Vec<CertificateDer<'static>>,
    secret: &PrivateKeyDer<'_>,
) -> Result<CertifiedKey, (Error, Option<usize>)> {
    let with = |chain| CertifiedKey::from_der(chain, secret.clone_key(), &tls::provider());
    let later = chain.get(1..).unwrap_or_default().to_vec();
    with(chain).map_err(|error| {
        let place = later.into_iter().position(|it| with(vec![it]).is_ok());
        (error, place.map(|index| index + 1))
    })
}

/// Names and validity of a certificate.
struct Life {
    dns_names: Vec<String>,
    addresses: Vec<IpAddr>,
    begins_us: i64,
    ends_us: i64,
}

impl Life {
    fn from_certificate(leaf: &CertificateDer<'_>) -> Option<Self> {
        let (_, leaf) = X509Certificate::from_der(leaf).ok()?;
        let names = leaf.subject_alternative_name().ok()?;
        let names = names.map_or_else(Vec::new, |names| names.value.general_names.clone());
        let (mut dns_names, mut addresses) = (Vec::new(), Vec::new());
        for name in names {
            match name {
                GeneralName::DNSName(name) => dns_names.push(name.to_ascii_lowercase()),
                GeneralName::IPAddress(bytes) => addresses.extend(address(bytes)),
                _ => {}
            }
        }
        let validity = leaf.validity();
        Some(Self {
            dns_names,
            addresses,
            begins_us: validity.not_before.timestamp().checked_mul(1_000_000)?,
            ends_us: validity.not_after.timestamp().checked_mul(1_000_000)?,
        })
    }
}

/// Parses an address of a certificate: four bytes or sixteen (RFC 5280, section 4.2.1.6).
fn address(bytes: &[u8]) -> Option<IpAddr> {
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok().map(IpAddr::from),
        _ => <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from),
    }
}

fn read_file(file: &Path) -> Result<Vec<u8>, Unusable> {
    fs::read(file).map_err(|error| Unusable::Io(file.to_owned(), error))
}

/// Metadata that changes whenever a file changes, its permissions included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp {
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

/// Each file with its stamp; `None` if its metadata cannot be read.
pub(super) type Signature = BTreeMap<PathBuf, Option<Stamp>>;

/// The pairs of a folder, by name.
pub(super) struct Folder {
    pub(super) pairs: BTreeMap<String, Result<Pair, Unusable>>,
    /// The state of the files before they were read.
    pub(super) signature: Signature,
}

impl Folder {
    /// Reads a folder. Other files are ignored, invalid pairs are returned as errors.
    ///
    /// # Errors
    /// Fails if the folder itself cannot be read.
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let signature = Self::signature(folder)?;
        let authorities = Authorities::read(&folder.with_file_name(OWN_AUTHORITY));
        let mut pairs = BTreeMap::new();
        for (file, stamp) in &signature {
            if file.is_dir() {
                // A subfolder that cannot be listed: it may contain a pair.
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                if let Err(error) = fs::read_dir(file) {
                    let unusable = Unusable::Io(file.clone(), error);
                    pairs.insert(name.into_owned(), Err(unusable));
                }
            } else if let Some((name, key)) = name_and_key(folder, file) {
                let pair = match stamp {
                    Some(_) => Pair::read(name.clone(), file, &key, &authorities),
                    None => {
                        read_file(file).and_then(|_| Err(Unusable::NoCertificate(file.clone())))
                    }
                };
                pairs.insert(name, pair);
            }
        }
        Ok(Self { pairs, signature })
    }

    /// Returns the stamps of the files in a folder and in its direct subfolders.
    ///
    /// # Errors
    /// Fails if the folder itself cannot be read.
    pub(super) fn signature(folder: &Path) -> io::Result<Signature> {
        let mut signature = Signature::new();
        for path in visible(folder)? {
            match path.is_dir().then(|| visible(&path)) {
                Some(Ok(below)) => signature.extend(below.into_iter().map(stamped)),
                _ => signature.extend([stamped(path)]),
            }
        }
        Ok(signature)
    }
}

fn visible(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            paths.push(entry.path());
        }
    }
    Ok(paths)
}

fn stamped(file: PathBuf) -> (PathBuf, Option<Stamp>) {
    // Links are followed: ACME clients point them at new files.
    let stamp = fs::metadata(&file).ok().map(|data| Stamp {
        inode: data.ino(),
        bytes: data.size(),
        changed: (data.ctime(), data.ctime_nsec()),
    });
    (file, stamp)
}

/// Returns the name of the pair of this certificate file and the path of its key; `None` for other
/// files.
fn name_and_key(folder: &Path, file: &Path) -> Option<(String, PathBuf)> {
    let below = file.parent().filter(|parent| *parent != folder);
    let (stem, extension) = (file.file_stem()?, file.extension()?);
    let is_renewed = |parent: &Path| parent.join("fullchain.pem").exists();
    if let Some(parent) = below.filter(|parent| is_renewed(parent)) {
        let name = parent.file_name()?.to_string_lossy().into_owned();
        let is_chain = file.file_name() == Some(OsStr::new("fullchain.pem"));
        return is_chain.then(|| (name, parent.join("privkey.pem")));
    }
    let beside = file.with_extension("key");
    let key = match extension.to_str()? {
        "crt" => beside,
        "pem" if beside.exists() => beside,
        "pem" => file.to_owned(),
        _ => return None,
    };
    let stem = stem.to_string_lossy();
    let name = match below.and_then(Path::file_name) {
        Some(below) => format!("{}/{stem}", below.to_string_lossy()),
        None => stem.into_owned(),
    };
    Some((name, key))
}
