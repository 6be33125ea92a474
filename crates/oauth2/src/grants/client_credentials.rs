//! The grant `client_credentials` (RFC 6749, section 4.4): a client acts for itself. There is no
//! refresh token (section 4.4.3).

use std::time::Duration;

use serde::Serialize;
use tollgate_model::feed::{ServedToken, TokenSubject};
use tollgate_model::id::TokenId;
use tollgate_store::clients::TokenForm;
use tollgate_store::tokens;
use tollgate_tokens::{jwt, opaque};

use super::{Granted, Made, joined};
use crate::call::Call;
use crate::error::{Code, Refused};
use crate::failure::Failure;
use crate::gateways::InForce;
use crate::keys::times::LIFETIME_S_MAX;
use crate::random;
use crate::server::AuthorizationServer;

/// `typ` of the tokens (RFC 9068, section 2.1).
pub(crate) const TYPE: &str = "at+jwt";
const SECOND_US: i64 = 1_000_000;
const MILLISECOND_US: i64 = 1_000;

/// The claims of a token (RFC 9068, section 2.2).
#[derive(Serialize)]
pub(crate) struct Claims<'a> {
    pub(crate) iss: &'a str,
    pub(crate) sub: &'a str,
    pub(crate) client_id: &'a str,
    pub(crate) aud: &'a str,
    pub(crate) exp: i64,
    pub(crate) iat: i64,
    pub(crate) jti: TokenId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<String>,
    /// Only in a token that an application has without a client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) environment: Option<&'static str>,
}

/// Issues a token of the client's form.
pub(super) async fn grant(
    server: &AuthorizationServer,
    call: &Call,
    granted: &Granted<'_>,
) -> Result<Made, Refused> {
    let lifetime_s = call.client.grant.lifetime_s.min(LIFETIME_S_MAX);
    let (client, application) = (&call.client, &call.application);
    let from_us = client.tokens_from_us.max(application.tokens_from_us);
    let issue = issue(server, from_us, lifetime_s).await?;
    let text = match call.client.grant.form {
        TokenForm::Jwt(algorithm) => {
            let signer = server.keys.signer(algorithm).await?;
            let client = call.client.id.to_string();
            let (iat, exp) = issue.seconds();
            let claims = Claims {
                iss: granted.names.issuer,
                sub: &client,
                client_id: &client,
                aud: granted.resource.unwrap_or(granted.names.audience),
                exp,
                iat,
                jti: issue.id,
                scope: joined(&granted.scopes),
                environment: None,
            };
            server.usable(jwt::sign(&signer.key, &signer.name, TYPE, &claims))?
        }
        TokenForm::Opaque => opaque(server, call, granted, &issue).await?,
    };
    Ok(Made { text, lifetime_s })
}

/// Id and times of a token.
pub(crate) struct Issue {
    pub(crate) id: TokenId,
    issued_us: i64,
    expires_us: i64,
}

impl Issue {
    /// Returns `iat` and `exp` (RFC 7519, section 4.1).
    pub(crate) const fn seconds(&self) -> (i64, i64) {
        (self.issued_us / SECOND_US, self.expires_us / SECOND_US)
    }
}

/// Chooses id and times of a token. Tokens issued before a time may be invalidated, and ids have a
/// precision of milliseconds: a token issued right after that time waits for the next millisecond.
pub(crate) async fn issue(
    server: &AuthorizationServer,
    from_us: i64,
    lifetime_s: u32,
) -> Result<Issue, Refused> {
    let mut issued_us = server.now_us();
    if (0..MILLISECOND_US).contains(&(from_us - start_of_millisecond(issued_us))) {
        tokio::time::sleep(Duration::from_millis(2)).await;
        issued_us = server.now_us();
    }
    if start_of_millisecond(issued_us) < from_us {
        let sentence = "the server's clock was set back to before the client's last change; try \
            again later";
        return Err(Refused::because(Code::TemporarilyUnavailable, sentence));
    }
    let id = server.ids.next(issued_us).map_err(Failure::from)?;
    let second = issued_us.div_euclid(SECOND_US);
    Ok(Issue {
        id,
        issued_us,
        expires_us: (second + i64::from(lifetime_s)) * SECOND_US,
    })
}

const fn start_of_millisecond(us: i64) -> i64 {
    us - us.rem_euclid(MILLISECOND_US)
}

/// Issues an opaque token, which every gateway knows when this returns.
async fn opaque(
    server: &AuthorizationServer,
    call: &Call,
    granted: &Granted<'_>,
    issue: &Issue,
) -> Result<String, Refused> {
    let secret = random::bytes().map_err(Failure::from)?;
    let made = opaque::make(issue.id, secret);
    let token = ServedToken {
        id: issue.id,
        digest: made.digest,
        subject: TokenSubject::Client(call.client.id),
        scopes: granted.scopes.clone(),
        resource: granted.resource.map(str::to_owned),
        issued_us: issue.issued_us,
        expires_us: issue.expires_us,
    };
    let mut tx = server.store.write().await?;
    let (allowance, application) = (&server.allowance, call.application.id);
    if !allowance
        .take(&mut tx, application, issue.issued_us)
        .await?
    {
        let sentence = "the application has reached its maximum of opaque tokens: use them until \
            they expire, or revoke some";
        return Err(Refused::because(Code::TemporarilyUnavailable, sentence));
    }
    tokens::create(&mut tx, &token).await?;
    match server.gateways.commit(tx).await? {
        InForce::Everywhere => Ok(made.text),
        InForce::Behind => Err(Refused::behind(
            "a gateway has not received the new token yet, so it is not issued; try again later",
        )),
    }
}
