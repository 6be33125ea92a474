//! The compact form of JWS (RFC 7515, section 3.1): header, payload and signature, each in
//! base64url, with dots between them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tollgate_model::algorithm::Algorithm;

use super::{Invalid, TOKEN_BYTES_MAX};
use crate::json::{Object, Value};
use crate::key::Verifier;

/// What the names of media types may begin with in `typ` (RFC 7515, section 4.1.9).
const MEDIA_PREFIX: &str = "application/";

/// A JWS of the right form. Its payload may be anything, and is not proven.
pub struct Compact<'a> {
    header: Header<'a>,
    payload: &'a [u8],
    signature: &'a [u8],
    /// What the signature is of: the first two parts as they came.
    signed: &'a [u8],
}

/// The header of a token (RFC 7515, section 4.1). Members that are not asked for are ignored.
pub struct Header<'a> {
    algorithm: Algorithm,
    members: Object<'a>,
}

impl<'a> Compact<'a> {
    /// Reads a JWS. `space` is overwritten with its three parts.
    ///
    /// # Errors
    /// What is wrong with its form or its header.
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

    /// What the token says of itself.
    #[must_use]
    pub fn header(&self) -> &Header<'a> {
        &self.header
    }

    pub(super) fn into_header(self) -> Header<'a> {
        self.header
    }

    /// The payload, decoded.
    #[must_use]
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// Judges the signature.
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

    /// The algorithm that the token claims to be signed with.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The id of the key that the token claims to be signed with: any text at all.
    #[must_use]
    pub fn kid(&self) -> Option<&str> {
        self.members.member("kid").and_then(Value::text)
    }

    /// The media type of the token, without `application/`; to be compared without regard to case.
    #[must_use]
    pub fn typ(&self) -> Option<&str> {
        self.members
            .member("typ")
            .and_then(Value::text)
            .map(subtype)
    }
}

/// A media type without `application/`, unless it has another slash (RFC 7515, section 4.1.9).
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
