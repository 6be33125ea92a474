//! The compact form of JWS (RFC 7515, section 3.1): header, payload and signature, each in
//! base64url, separated by dots.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tollgate_model::algorithm::Algorithm;

use super::{Invalid, TOKEN_BYTES_MAX};
use crate::json::{Object, Value};
use crate::key::Verifier;

/// Optional prefix of media types in `typ` (RFC 7515, section 4.1.9).
const MEDIA_PREFIX: &str = "application/";

/// A JWS of the right form. Its payload may be anything, and is not verified.
pub struct Compact<'a> {
    header: Header<'a>,
    payload: &'a [u8],
    signature: &'a [u8],
    /// The signed bytes: the first two parts as received.
    signed: &'a [u8],
}

/// The header of a token (RFC 7515, section 4.1). Other members are ignored.
pub struct Header<'a> {
    algorithm: Algorithm,
    members: Object<'a>,
}

impl<'a> Compact<'a> {
    /// Parses a JWS. `space` is overwritten with its three decoded parts.
    ///
    /// # Errors
    /// Fails on a fault of its form or its header.
    pub fn parse(token: &'a [u8], space: &'a mut Vec<u8>) -> Result<Self, Invalid> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(Invalid::TooLong);
        }
        let mut parts = token.split(|byte| *byte == b'.');
        let parts = [parts.next(), parts.next(), parts.next(), parts.next()];
        let [Some(header), Some(payload), Some(signature), None] = parts else {
            return Err(Invalid::Parts);
        };
        space.clear();
        let mut decode = |part: &[u8]| match URL_SAFE_NO_PAD.decode_vec(part, space) {
            Ok(()) => Ok(space.len()),
            Err(_) => Err(Invalid::Base64),
        };
        let (header_end, payload_end) = (decode(header)?, decode(payload)?);
        decode(signature)?;
        let (decoded, signature) = space.split_at(payload_end);
        let (decoded_header, decoded_payload) = decoded.split_at(header_end);
        Ok(Self {
            header: Header::parse(decoded_header)?,
            payload: decoded_payload,
            signature,
            signed: &token[..header.len() + 1 + payload.len()],
        })
    }

    /// Returns the unverified header.
    #[must_use]
    pub fn header(&self) -> &Header<'a> {
        &self.header
    }

    pub(super) fn into_header(self) -> Header<'a> {
        self.header
    }

    /// Returns the decoded payload.
    #[must_use]
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// Verifies the signature.
    ///
    /// # Errors
    /// [`Invalid::OtherAlgorithm`] or [`Invalid::Signature`].
    pub fn verify(&self, key: &Verifier) -> Result<(), Invalid> {
        if self.header.algorithm != key.algorithm() {
            return Err(Invalid::OtherAlgorithm);
        }
        let is_signed = key.verify(self.signed, self.signature);
        is_signed.then_some(()).ok_or(Invalid::Signature)
    }
}

impl<'a> Header<'a> {
    fn parse(json: &'a [u8]) -> Result<Self, Invalid> {
        let members = Object::parse(json)?;
        if members.member("crit").is_some() {
            return Err(Invalid::Critical);
        }
        for name in ["kid", "typ"] {
            let is_typed = members.member(name).is_none_or(|it| it.text().is_some());
            is_typed.then_some(()).ok_or(Invalid::Header(name))?;
        }
        let word = members.member("alg").and_then(Value::text);
        let algorithm = word.and_then(Algorithm::from_alg);
        Ok(Self {
            algorithm: algorithm.ok_or(Invalid::Algorithm)?,
            members,
        })
    }

    /// Returns the algorithm that the token claims to be signed with.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns the id of the key that the token claims to be signed with: any string.
    #[must_use]
    pub fn kid(&self) -> Option<&str> {
        self.members.member("kid").and_then(Value::text)
    }

    /// Returns the media type of the token, without `application/`; compare it ignoring case.
    #[must_use]
    pub fn typ(&self) -> Option<&str> {
        self.members
            .member("typ")
            .and_then(Value::text)
            .map(subtype)
    }
}

/// Returns a media type without `application/`, unless it has another slash (RFC 7515, section
/// 4.1.9).
fn subtype(typ: &str) -> &str {
    match typ.split_at_checked(MEDIA_PREFIX.len()) {
        Some((prefix, rest))
            if prefix.eq_ignore_ascii_case(MEDIA_PREFIX) && !rest.contains('/') =>
        {
            rest
        }
        _ => typ,
    }
}
