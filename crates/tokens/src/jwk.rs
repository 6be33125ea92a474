//! Sets of public keys as JSON (RFC 7517, section 5): registered by clients, or published by other
//! issuers. Keys for signatures by the supported algorithms are accepted (RFC 7518, section 6; RFC
//! 8037, section 2; RFC 9864).

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tollgate_model::algorithm::Algorithm;
use tollgate_model::fault::Fault;

use crate::json::{self, Object, Value};
use crate::key::{PublicKey, Verifier, rsa_fault};

mod ed25519;
mod roca;

/// Maximum length of a set, bytes.
pub const SET_BYTES_MAX: usize = 64 * 1_024;
/// Maximum number of keys in a set that a client registers.
pub const KEYS_MAX: usize = 20;
/// Maximum number of keys in a set without a `kid`: with more, each would have to be tried.
pub const UNNAMED_MAX: usize = 2;

/// Members of private keys only (RFC 7518, section 6; RFC 8037, section 2).
const PRIVATE: [&str; 7] = ["d", "p", "q", "dp", "dq", "qi", "oth"];
const PRIVATE_FAULT: &str = "this is a private key: remove it here, generate a new key where this \
    one is in use, and register its public half";
const SYMMETRIC_FAULT: &str =
    "this is a symmetric key: register the public half of a key pair instead";
const KTY_FAULT: &str = "kty must be EC, OKP or RSA";

/// A public key of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jwk {
    /// `kid`, if it has one. Unique within a set that [`parse`] returned.
    pub kid: Option<String>,
    /// The key. An RSA key without an algorithm is for RS256, which RFC 7518, section 3.1,
    /// recommends.
    pub key: PublicKey,
}

/// Parses a set that a client registers: every key must be acceptable.
///
/// # Errors
/// All faults, with sentences that name the key; fields are JSON Pointers into the set.
pub fn parse(set: &[u8]) -> Result<Vec<Jwk>, Vec<Fault>> {
    let members = members(set).map_err(|fault| vec![fault])?;
    let keys = keys(&members).map_err(|fault| vec![fault])?;
    if !(1..=KEYS_MAX).contains(&keys.len()) {
        let detail = format!("a key set must have 1 to {KEYS_MAX} keys");
        return Err(vec![Fault::new("/keys", "jwks.count", detail)]);
    }
    let (mut taken, mut faults) = (Vec::<Jwk>::new(), Vec::new());
    for (index, value) in keys.iter().enumerate() {
        let place = format!("/keys/{index}");
        match jwk(value) {
            Ok(key) if key.kid.is_some() && taken.iter().any(|known| known.kid == key.kid) => {
                let detail = sentence(index, "another key of the set has the same kid");
                faults.push(Fault::new(place + "/kid", "jwks.key", detail));
            }
            Ok(key) if key.kid.is_none() && keys.len() > UNNAMED_MAX => {
                let detail = format!("with more than {UNNAMED_MAX} keys each must have a kid");
                let detail = sentence(index, &detail);
                faults.push(Fault::new(place + "/kid", "jwks.key", detail));
            }
            Ok(key) => taken.push(key),
            Err(refused) => {
                let detail = sentence(index, &refused.detail);
                faults.push(Fault::new(place + refused.member, refused.code, detail));
            }
        }
    }
    match faults.is_empty() {
        true => Ok(taken),
        false => Err(faults),
    }
}

/// Parses a set that another issuer publishes: unsupported keys are skipped, as RFC 7517, section
/// 5, recommends.
///
/// # Errors
/// If the text is not a key set.
pub fn usable(set: &[u8]) -> Result<Vec<Jwk>, Fault> {
    let members = members(set)?;
    Ok(keys(&members)?.iter().flat_map(jwk).collect())
}

fn members(set: &[u8]) -> Result<Object<'_>, Fault> {
    if set.len() > SET_BYTES_MAX {
        let detail = format!("a key set must have at most {SET_BYTES_MAX} bytes");
        return Err(Fault::new("", "jwks.form", detail));
    }
    Object::parse(set).map_err(|malformed| {
        let detail = format!("this is not a key set: {malformed}");
        Fault::new("", "jwks.form", detail)
    })
}

fn keys<'a>(members: &Object<'a>) -> Result<Vec<Value<'a>>, Fault> {
    if let Some(Value::List(keys)) = members.member("keys") {
        return Ok(json::elements(keys));
    }
    let detail = match members.member("kty") {
        Some(_) => "this is a single key: a key set is {\"keys\": [...]} with the key in it",
        None => "a key set must have the member keys, a list",
    };
    Err(Fault::new("/keys", "jwks.form", detail))
}

fn sentence(index: usize, detail: &str) -> String {
    format!("key {}: {detail}", index + 1)
}

/// Why a key is rejected.
struct Refused {
    /// JSON Pointer of the member from the key.
    member: &'static str,
    code: &'static str,
    detail: Cow<'static, str>,
}

fn refused<T>(member: &'static str, detail: impl Into<Cow<'static, str>>) -> Result<T, Refused> {
    let code = "jwks.key";
    let detail = detail.into();
    Err(Refused {
        member,
        code,
        detail,
    })
}

fn jwk(value: &Value<'_>) -> Result<Jwk, Refused> {
    let Value::Object(text) = value else {
        return refused("", "a key must be a JSON object");
    };
    let Ok(members) = Object::parse(text.as_bytes()) else {
        return refused("", "a key must be a JSON object");
    };
    no_secret(&members)?;
    let kid = text_of(&members, "kid", "/kid")?.map(str::to_owned);
    for_signatures(&members)?;
    let algorithm = text_of(&members, "alg", "/alg")?;
    let key = match text_of(&members, "kty", "/kty")? {
        Some("EC") => p256(&members)?,
        Some("OKP") => ed25519(&members)?,
        Some("RSA") => rsa(&members, algorithm)?,
        _ => return refused("/kty", KTY_FAULT),
    };
    if algorithm.is_some_and(|named| Algorithm::from_alg(named) != Some(key.algorithm())) {
        let names = Algorithm::ACCEPTED.into_iter();
        let names = names.filter(|named| Algorithm::from_alg(named) == Some(key.algorithm()));
        let names = names.collect::<Vec<_>>().join(", ");
        return refused(
            "/alg",
            format!("alg of such a key must be {names} or absent"),
        );
    }
    Ok(Jwk { kid, key })
}

/// Rejects private and symmetric keys (RFC 7517, section 9.2): they must not be stored either.
fn no_secret(members: &Object<'_>) -> Result<(), Refused> {
    let refused = |code, detail| {
        Err(Refused {
            member: "",
            code,
            detail: Cow::Borrowed(detail),
        })
    };
    let is_symmetric = members.member("kty").and_then(Value::text) == Some("oct");
    if is_symmetric || members.member("k").is_some() {
        return refused("jwks.symmetric", SYMMETRIC_FAULT);
    }
    match PRIVATE.iter().any(|name| members.member(name).is_some()) {
        true => refused("jwks.private", PRIVATE_FAULT),
        false => Ok(()),
    }
}

/// Checks `use` and `key_ops` (RFC 7517, sections 4.2 and 4.3).
fn for_signatures(members: &Object<'_>) -> Result<(), Refused> {
    if text_of(members, "use", "/use")?.is_some_and(|word| word != "sig") {
        return refused("/use", "use must be sig or absent");
    }
    let texts = match members.member("key_ops") {
        None => return Ok(()),
        Some(Value::List(list)) => json::texts(list).unwrap_or_default(),
        Some(_) => Vec::new(),
    };
    match texts.iter().any(|word| word == "verify") {
        true => Ok(()),
        false => refused(
            "/key_ops",
            "key_ops must be a list with verify in it, or absent",
        ),
    }
}

fn p256(members: &Object<'_>) -> Result<PublicKey, Refused> {
    if text_of(members, "crv", "/crv")? != Some("P-256") {
        return refused("/crv", "crv of an EC key must be P-256");
    }
    let (x, y) = (bytes(members, "x", "/x")?, bytes(members, "y", "/y")?);
    let key = PublicKey::p256(&x, &y);
    let Some(key) = key.ok().filter(|_| x.len() == y.len()) else {
        return refused("/x", "x and y of a P-256 key must have 32 bytes each");
    };
    match Verifier::new(&key) {
        Ok(_) => Ok(key),
        Err(_) => refused("/x", "x and y are not a point of the curve P-256"),
    }
}

fn ed25519(members: &Object<'_>) -> Result<PublicKey, Refused> {
    if text_of(members, "crv", "/crv")? != Some("Ed25519") {
        return refused("/crv", "crv of an OKP key must be Ed25519");
    }
    let x = bytes(members, "x", "/x")?;
    let is_point = <&[u8; 32]>::try_from(x.as_slice()).is_ok_and(ed25519::is_sound);
    match PublicKey::new(Algorithm::EdDsa, x) {
        Ok(key) if is_point => Ok(key),
        Ok(_) => refused("/x", "x is not a point of Ed25519 that can be a public key"),
        Err(_) => refused("/x", "x of an Ed25519 key must have 32 bytes"),
    }
}

fn rsa(members: &Object<'_>, algorithm: Option<&str>) -> Result<PublicKey, Refused> {
    let algorithm = match algorithm {
        None | Some("RS256") => Algorithm::Rs256,
        Some("PS256") => Algorithm::Ps256,
        Some(_) => return refused("/alg", "alg of an RSA key must be RS256, PS256 or absent"),
    };
    let (n, e) = (number(members, "n", "/n")?, number(members, "e", "/e")?);
    if let Some(fault) = rsa_fault(&n, &e) {
        return refused("", fault);
    }
    if roca::is_marked(&n) {
        let detail = "this key was generated by chips with a known fault (CVE-2017-15361), and its \
            private half can be computed: generate a new one";
        return refused("/n", detail);
    }
    match PublicKey::rsa(algorithm, &n, &e) {
        Ok(key) if Verifier::new(&key).is_ok() => Ok(key),
        _ => refused("", "n and e are not an RSA key"),
    }
}

/// Returns a member that is a string or absent.
fn text_of<'a>(
    members: &'a Object<'_>,
    name: &str,
    pointer: &'static str,
) -> Result<Option<&'a str>, Refused> {
    match members.member(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => refused(pointer, format!("{name} must be a string")),
    }
}

/// Returns a member that is bytes in base64url.
fn bytes(members: &Object<'_>, name: &str, pointer: &'static str) -> Result<Vec<u8>, Refused> {
    let text = text_of(members, name, pointer)?.unwrap_or_default();
    match URL_SAFE_NO_PAD.decode(text) {
        Ok(bytes) if !bytes.is_empty() => Ok(bytes),
        _ => refused(
            pointer,
            format!("{name} must be bytes in base64url without padding"),
        ),
    }
}

/// Returns a member that is a positive number, big-endian and as short as possible (RFC 7518,
/// section 2).
fn number(members: &Object<'_>, name: &str, pointer: &'static str) -> Result<Vec<u8>, Refused> {
    let number = bytes(members, name, pointer)?;
    match number.first() {
        Some(0) => refused(pointer, format!("{name} must not have leading zero bytes")),
        _ => Ok(number),
    }
}

#[cfg(test)]
mod tests;
