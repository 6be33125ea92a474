//! Keys that sign and verify tokens: [`SigningKey`] signs, [`PublicKey`] is the public data, and
//! [`Verifier`] is that data prepared for many verifications.
//!
//! The algorithm is a property of the key, so no token can choose another (RFC 8725, section 3.1).
//! Signatures have the form of JWS (RFC 7518, section 3; RFC 8037, section 3.1). Primitives are
//! those of AWS-LC, which also draws the randomness of new keys and of ECDSA and PSS signatures.

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::pkcs8::Document;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
};
use tollgate_model::algorithm::Algorithm;

mod pkcs1;
mod public;
mod verifier;

pub use public::PublicKey;
pub(crate) use public::rsa_fault;
pub use verifier::Verifier;

/// Why a key cannot be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoKey {
    /// The provider could not generate one.
    #[error("no key for {} could be generated", .0.word())]
    Generation(Algorithm),
    /// The bytes are not a PKCS#8 document, or that of a key of another kind or size.
    #[error("this is not a PKCS#8 document of a private key for {}", .0.word())]
    Private(Algorithm),
    /// The bytes are not an acceptable public key of this algorithm.
    #[error("this is not a public key for {}", .0.word())]
    Public(Algorithm),
}

/// A private key and its algorithm. `{:?}` cannot print it.
pub struct SigningKey {
    pair: Pair,
    public: PublicKey,
}

enum Pair {
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

/// A private key as PKCS#8 (RFC 5208), to be sealed and not kept: it is wiped when dropped.
pub struct Pkcs8(Bytes);

enum Bytes {
    Document(Document),
    Der(Pkcs8V1Der<'static>),
}

impl AsRef<[u8]> for Pkcs8 {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Document(document) => document.as_ref(),
            Bytes::Der(der) => der.as_ref(),
        }
    }
}

impl SigningKey {
    /// Generates a new key; one of RSA has 2048 bits and takes a good part of a second.
    ///
    /// # Errors
    /// [`NoKey::Generation`].
    pub fn generate(algorithm: Algorithm) -> Result<Self, NoKey> {
        let pair = match algorithm {
            Algorithm::Es256 => {
                EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map(Pair::P256)
            }
            Algorithm::EdDsa => Ed25519KeyPair::generate().map(Pair::Ed25519),
            Algorithm::Rs256 | Algorithm::Ps256 => {
                RsaKeyPair::generate(KeySize::Rsa2048).map(Pair::Rsa)
            }
        };
        let pair = pair.map_err(|_| NoKey::Generation(algorithm))?;
        Self::from_pair(algorithm, pair)
    }

    /// Reads a key that [`SigningKey::pkcs8`] wrote.
    ///
    /// # Errors
    /// [`NoKey::Private`].
    pub fn from_pkcs8(algorithm: Algorithm, pkcs8: &[u8]) -> Result<Self, NoKey> {
        let pair = match algorithm {
            Algorithm::Es256 => {
                let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8);
                pair.map(Pair::P256)
            }
            Algorithm::EdDsa => Ed25519KeyPair::from_pkcs8(pkcs8).map(Pair::Ed25519),
            Algorithm::Rs256 | Algorithm::Ps256 => RsaKeyPair::from_pkcs8(pkcs8).map(Pair::Rsa),
        };
        let pair = pair.map_err(|_| NoKey::Private(algorithm))?;
        Self::from_pair(algorithm, pair)
    }

    fn from_pair(algorithm: Algorithm, pair: Pair) -> Result<Self, NoKey> {
        let bytes = match &pair {
            Pair::P256(pair) => pair.public_key().as_ref(),
            Pair::Ed25519(pair) => pair.public_key().as_ref(),
            Pair::Rsa(pair) => pair.public_key().as_ref(),
        };
        let public = PublicKey::new(algorithm, bytes.to_vec())?;
        Ok(Self { pair, public })
    }

    /// Returns the private key, to be sealed by the caller.
    ///
    /// # Panics
    /// If the provider cannot allocate memory for it.
    #[must_use]
    pub fn pkcs8(&self) -> Pkcs8 {
        let bytes = match &self.pair {
            Pair::P256(pair) => pair.to_pkcs8v1().map(Bytes::Document),
            Pair::Ed25519(pair) => pair.to_pkcs8v1().map(Bytes::Document),
            Pair::Rsa(pair) => pair.as_der().map(Bytes::Der),
        };
        Pkcs8(bytes.expect("a key that was generated or read can be written"))
    }

    /// Returns the public half, which verifies signatures.
    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the algorithm of all signatures of this key.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.public.algorithm()
    }

    /// Signs a message; returns the signature in the form of JWS: for ES256 `r || s` in 64 bytes
    /// (RFC 7518, section 3.4), for PS256 with a salt of 32 bytes (section 3.5).
    ///
    /// # Panics
    /// If the provider cannot allocate memory or draw randomness.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        let signature = match &self.pair {
            Pair::P256(pair) => pair.sign(&SystemRandom::new(), message),
            Pair::Ed25519(pair) => pair.try_sign(message),
            Pair::Rsa(pair) => return self.sign_rsa(pair, message),
        };
        signature.expect("a valid key signs").as_ref().to_vec()
    }

    fn sign_rsa(&self, pair: &RsaKeyPair, message: &[u8]) -> Vec<u8> {
        let encoding: &'static dyn RsaEncoding = match self.algorithm() {
            Algorithm::Ps256 => &RSA_PSS_SHA256,
            _ => &RSA_PKCS1_SHA256,
        };
        let mut signature = vec![0; pair.public_modulus_len()];
        pair.sign(encoding, &SystemRandom::new(), message, &mut signature)
            .expect("a valid key signs");
        signature
    }
}

#[cfg(test)]
mod tests;
