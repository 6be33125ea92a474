//! Identity JWTs for upstreams and their signing key, which lives as long as the process. JWTs are
//! cached by their claims, so that a call usually costs no signature.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::LazyLock;

use hashbrown::HashMap;
use serde_json::{Value, json};
use tollgate_model::algorithm::Algorithm;
use tollgate_tokens::jwt;
use tollgate_tokens::key::SigningKey;

/// Lifetime of a JWT.
const LIFETIME_S: i64 = 300;
/// Remaining lifetime below which a JWT is renewed.
const RENEWAL_S: i64 = 120;
/// Maximum JWTs that a worker keeps; beyond that all are dropped.
const KEPT_MAX: usize = 4_096;

static KEY: LazyLock<Option<SigningKey>> =
    LazyLock::new(|| SigningKey::generate(Algorithm::Es256).ok());

/// The verification keys as a JWK set (RFC 7517, section 5).
pub(crate) fn keys() -> String {
    let key = KEY.as_ref().map(SigningKey::public);
    let keys: Vec<_> = key.iter().map(|key| key.jwk(&key.thumbprint())).collect();
    json!({ "keys": keys }).to_string()
}

/// The JWTs for one worker's callers.
#[derive(Debug, Default)]
pub(crate) struct Identities(RefCell<HashMap<String, Kept>>);

#[derive(Debug)]
struct Kept {
    token: Rc<str>,
    ends_s: i64,
}

impl Identities {
    /// Returns the JWT for these claims, renewed if it expires soon; `None` if no key could be
    /// generated.
    pub(crate) fn token_for(&self, mut claims: Value, now_us: i64) -> Option<Rc<str>> {
        let (cache_key, now_s) = (claims.to_string(), now_us / 1_000_000);
        let mut kept = self.0.borrow_mut();
        if let Some(known) = kept.get(&cache_key)
            && now_s + RENEWAL_S < known.ends_s
        {
            return Some(Rc::clone(&known.token));
        }
        let key = KEY.as_ref()?;
        let ends_s = now_s + LIFETIME_S;
        claims["iat"] = now_s.into();
        claims["exp"] = ends_s.into();
        let name = key.public().thumbprint();
        let token: Rc<str> = jwt::sign(key, &name, "JWT", &claims).into();
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        let made = Kept {
            token: Rc::clone(&token),
            ends_s,
        };
        kept.insert(cache_key, made);
        Some(token)
    }
}
