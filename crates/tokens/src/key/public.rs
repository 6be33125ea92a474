//! Public keys as data: what is stored, sent to gateways and published as JWK (RFC 7517).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tollgate_model::algorithm::Algorithm;

use super::{NoKey, pkcs1};

/// Length of a point of P-256 (SEC 1, section 2.3.3), bytes: a tag and two coordinates.
const POINT_BYTES: usize = 1 + 2 * COORDINATE_BYTES;
const COORDINATE_BYTES: usize = 32;
/// The tag of a point with both coordinates.
const UNCOMPRESSED: u8 = 4;
const ED25519_BYTES: usize = 32;

const RSA_BITS_MIN: usize = 2_048;
const RSA_BITS_MAX: usize = 8_192;
/// An odd exponent of at most 2^32 has four bytes.
const RSA_EXPONENT_BYTES_MAX: usize = 4;

/// A public key and the only algorithm it is used with.
///
/// Every value has the form of such a key, also a deserialized one; whether its point lies on the
/// curve is checked when a [`Verifier`](super::Verifier) is created from it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct PublicKey {
    algorithm: Algorithm,
    bytes: Vec<u8>,
}

/// A deserialized key before it is checked.
#[derive(Deserialize)]
struct Raw {
    algorithm: Algorithm,
    bytes: Vec<u8>,
}

impl TryFrom<Raw> for PublicKey {
    type Error = NoKey;

    fn try_from(raw: Raw) -> Result<Self, NoKey> {
        Self::new(raw.algorithm, raw.bytes)
    }
}

/// The parts of a key, big-endian.
enum Parts<'a> {
    P256 { x: &'a [u8], y: &'a [u8] },
    Ed25519 { x: &'a [u8] },
    Rsa { n: &'a [u8], e: &'a [u8] },
}

impl PublicKey {
    /// Creates a key from bytes: for ES256 an uncompressed point (SEC 1, section 2.3.3), for EdDSA
    /// the 32 bytes of RFC 8032, section 5.1.2, for RSA an `RSAPublicKey` (RFC 8017, appendix
    /// A.1.1) with 2048 to 8192 bits and an odd exponent from 3 to 2^32.
    ///
    /// # Errors
    /// [`NoKey::Public`].
    pub fn new(algorithm: Algorithm, bytes: Vec<u8>) -> Result<Self, NoKey> {
        let is_valid = match parts(algorithm, &bytes) {
            Some(Parts::Rsa { n, e }) => rsa_fault(n, e).is_none(),
            found => found.is_some(),
        };
        match is_valid {
            true => Ok(Self { algorithm, bytes }),
            false => Err(NoKey::Public(algorithm)),
        }
    }

    /// Creates a key from a modulus and an exponent, big-endian without leading zeros.
    ///
    /// # Errors
    /// [`NoKey::Public`].
    pub(crate) fn rsa(algorithm: Algorithm, n: &[u8], e: &[u8]) -> Result<Self, NoKey> {
        Self::new(algorithm, pkcs1::encode(n, e))
    }

    /// Creates a key from a point of P-256 with these coordinates.
    ///
    /// # Errors
    /// [`NoKey::Public`].
    pub(crate) fn p256(x: &[u8], y: &[u8]) -> Result<Self, NoKey> {
        Self::new(Algorithm::Es256, [&[UNCOMPRESSED], x, y].concat())
    }

    /// Returns the algorithm of all signatures of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns the bytes, in the form that [`PublicKey::new`] accepts.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the key as a JWK for signatures (RFC 7517, section 4; RFC 7518, section 6; RFC 8037,
    /// section 2).
    #[must_use]
    pub fn jwk(&self, kid: &str) -> Value {
        let mut jwk = match self.parts() {
            Parts::P256 { x, y } => {
                json!({ "kty": "EC", "crv": "P-256", "x": encoded(x), "y": encoded(y) })
            }
            Parts::Ed25519 { x } => json!({ "kty": "OKP", "crv": "Ed25519", "x": encoded(x) }),
            Parts::Rsa { n, e } => json!({ "kty": "RSA", "n": encoded(n), "e": encoded(e) }),
        };
        jwk["alg"] = self.algorithm.word().into();
        jwk["use"] = "sig".into();
        jwk["kid"] = kid.into();
        jwk
    }

    /// Returns the SHA-256 thumbprint of the key, in base64url: 43 characters, usable as its `kid`
    /// (RFC 7638; RFC 8037, appendix A.3). It does not depend on the algorithm.
    #[must_use]
    pub fn thumbprint(&self) -> String {
        // Only the required members, sorted by name (RFC 7638, section 3).
        let json = match self.parts() {
            Parts::P256 { x, y } => {
                let (x, y) = (encoded(x), encoded(y));
                format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#)
            }
            Parts::Ed25519 { x } => {
                format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, encoded(x))
            }
            Parts::Rsa { n, e } => {
                let (n, e) = (encoded(n), encoded(e));
                format!(r#"{{"e":"{e}","kty":"RSA","n":"{n}"}}"#)
            }
        };
        encoded(&Sha256::digest(json))
    }

    fn parts(&self) -> Parts<'_> {
        parts(self.algorithm, &self.bytes).expect("checked when the key was created")
    }
}

fn parts(algorithm: Algorithm, bytes: &[u8]) -> Option<Parts<'_>> {
    match algorithm {
        Algorithm::Es256 => {
            let coordinates = bytes.strip_prefix(&[UNCOMPRESSED])?;
            let (x, y) = coordinates.split_at_checked(COORDINATE_BYTES)?;
            (bytes.len() == POINT_BYTES).then_some(Parts::P256 { x, y })
        }
        Algorithm::EdDsa => (bytes.len() == ED25519_BYTES).then_some(Parts::Ed25519 { x: bytes }),
        Algorithm::Rs256 | Algorithm::Ps256 => {
            let (n, e) = pkcs1::components(bytes)?;
            Some(Parts::Rsa { n, e })
        }
    }
}

/// Returns the fault of an RSA key, if any; both numbers are big-endian without leading zeros.
pub(crate) fn rsa_fault(n: &[u8], e: &[u8]) -> Option<&'static str> {
    let zeros = n.first().map_or(0, |first| first.leading_zeros() as usize);
    let bits = n.len() * 8 - zeros;
    let is_odd = |number: &[u8]| number.last().is_some_and(|last| last % 2 == 1);
    if !(RSA_BITS_MIN..=RSA_BITS_MAX).contains(&bits) {
        return Some("an RSA key must have 2048 to 8192 bits");
    }
    if !is_odd(n) {
        return Some("the modulus of an RSA key must be odd");
    }
    let is_exponent = is_odd(e) && e.len() <= RSA_EXPONENT_BYTES_MAX && e != [1] && e[0] != 0;
    (!is_exponent).then_some("the exponent of an RSA key must be an odd number from 3 to 2^32")
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
