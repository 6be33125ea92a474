//! Public keys prepared for use: parsed once and shared by all verifications.

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA256, VerificationAlgorithm,
};
use tollgate_model::algorithm::Algorithm;

use super::{NoKey, PublicKey};

/// Verifies signatures of one key. Parsing the key each time would add 3 us to the 20 of RSA, 1 to
/// the 60 of ES256 and nothing to EdDSA; `benches/tokens.rs` measures it.
#[derive(Debug, Clone)]
pub struct Verifier {
    algorithm: Algorithm,
    key: ParsedPublicKey,
}

impl Verifier {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`NoKey::Public`] if the point of an ES256 key does not lie on the curve.
    pub fn new(key: &PublicKey) -> Result<Self, NoKey> {
        let algorithm = key.algorithm();
        let primitive: &'static dyn VerificationAlgorithm = match algorithm {
            Algorithm::Es256 => &ECDSA_P256_SHA256_FIXED,
            Algorithm::EdDsa => &ED25519,
            Algorithm::Rs256 => &RSA_PKCS1_2048_8192_SHA256,
            // The salt must have the 32 bytes of the digest (RFC 7518, section 3.5).
            Algorithm::Ps256 => &RSA_PSS_2048_8192_SHA256,
        };
        match ParsedPublicKey::new(primitive, key.bytes()) {
            Ok(key) => Ok(Self { algorithm, key }),
            Err(_) => Err(NoKey::Public(algorithm)),
        }
    }

    /// Returns the algorithm of all signatures of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns whether this is the key's signature of the message, in the form of JWS.
    #[must_use]
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        self.key.verify_sig(message, signature).is_ok()
    }
}
