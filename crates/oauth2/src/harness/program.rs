//! Clients and their credentials.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tollgate_model::credential::Allowed;
use tollgate_model::id::{ApplicationId, ClientId, TokenId};
use tollgate_store::clients::{ClientChange, Grant};
use tollgate_store::credentials::TermsChange;
use tollgate_tokens::jwt::sign;
use tollgate_tokens::key::SigningKey;

use super::{ASSERTION_TYPE, House, ISSUER, SECOND_US};

/// A client and its credential.
pub(crate) struct Program {
    pub(crate) id: ClientId,
    pub(crate) application: ApplicationId,
    pub(crate) secret: String,
    pub(crate) key: Option<SigningKey>,
}

impl Program {
    pub(crate) fn basic(&self) -> String {
        let pair = format!("{}:{}", self.id, self.secret);
        format!("Basic {}", STANDARD.encode(pair))
    }

    /// Returns the claims of an assertion.
    pub(crate) fn claims(&self, house: &House) -> Value {
        let jti: TokenId = house.id();
        json!({
            "iss": self.id, "sub": self.id, "aud": ISSUER, "jti": jti,
            "exp": house.now_us() / SECOND_US + 60, "iat": house.now_us() / SECOND_US,
        })
    }

    /// Returns the parameters with an assertion of these claims.
    pub(crate) fn assertion(&self, claims: &Value) -> String {
        let token = sign(self.key.as_ref().unwrap(), "its-key", "JWT", claims);
        assertion(&token)
    }
}

/// Returns the change that gives a client this grant; the rest is as in [`House::client`].
pub(crate) fn change(grant: Grant) -> ClientChange {
    ClientChange {
        terms: TermsChange {
            name: "till".to_owned(),
            not_before_us: None,
            expires_us: None,
            allowed: Allowed::default(),
        },
        grant,
        jwks: None,
    }
}

/// Returns the parameters of an assertion.
pub(crate) fn assertion(token: &str) -> String {
    format!("&client_assertion_type={ASSERTION_TYPE}&client_assertion={token}")
}
