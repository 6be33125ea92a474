//! Tokens presented by clients for revocation or introspection: valid tokens of either form that
//! this key manager issued.

use tollgate_model::credential::Environment;
use tollgate_model::feed::TokenSubject;
use tollgate_model::id::{ApplicationId, TokenId};
use tollgate_store::applications;
use tollgate_store::signing_keys::SigningKey;
use tollgate_store::{StoreError, tokens};
use tollgate_tokens::jwt::{Claims, Expected, Kind, Unverified};
use tollgate_tokens::key::{PublicKey, Verifier};
use tollgate_tokens::opaque;

use crate::authentication;
use crate::server::AuthorizationServer;

/// Tolerated difference between the clocks of two of our processes.
const LEEWAY_US: i64 = 5_000_000;
/// The claim with the upstream that the token of an application itself reaches.
const ENVIRONMENT: &str = "environment";

/// A token that was issued here and has not expired. Its revocation and its holder are not checked.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) id: TokenId,
    pub(crate) subject: TokenSubject,
    pub(crate) scopes: Vec<String>,
    pub(crate) audiences: Vec<String>,
    /// Time of issue, rounded down to the precision by which tokens are invalidated; Unix
    /// microseconds.
    made_us: i64,
    pub(crate) issued_us: i64,
    pub(crate) expires_us: i64,
}

/// The present rights of a token.
pub(crate) struct Rights {
    /// The application of its holder.
    pub(crate) application: ApplicationId,
    /// Its scopes that its client may still have.
    pub(crate) scopes: Vec<String>,
}

/// Finds the token of a text.
pub(crate) async fn find_token(
    server: &AuthorizationServer,
    text: &str,
    now_us: i64,
) -> Result<Option<Token>, StoreError> {
    let token = match opaque::is_marked(text.as_bytes()) {
        true => find_opaque(server, text).await?,
        false => {
            let keys = server.keys.read_list().await?;
            read_jwt(server, &keys, text, now_us)
        }
    };
    Ok(token.filter(|token| now_us < token.expires_us))
}

async fn find_opaque(
    server: &AuthorizationServer,
    text: &str,
) -> Result<Option<Token>, StoreError> {
    let Some((_, digest)) = opaque::parse(text.as_bytes()) else {
        return Ok(None);
    };
    let token = tokens::by_digest(&server.store, &digest).await?;
    Ok(token.map(|token| Token {
        id: token.id,
        subject: token.subject,
        scopes: token.scopes,
        audiences: match token.resource {
            Some(resource) => vec![resource],
            None => server.audience.iter().cloned().collect(),
        },
        made_us: token.issued_us,
        issued_us: token.issued_us,
        expires_us: token.expires_us,
    }))
}

fn read_jwt(
    server: &AuthorizationServer,
    keys: &[SigningKey],
    text: &str,
    now_us: i64,
) -> Option<Token> {
    let (issuer, audience) = server.issuer.as_ref().zip(server.audience.as_ref())?;
    let mut space = Vec::new();
    let token = Unverified::parse(text.as_bytes(), &mut space).ok()?;
    let kid = token.header().kid()?;
    let key = keys.iter().find(|key| key.name == kid)?;
    let public = PublicKey::new(key.algorithm, key.public.clone()).ok()?;
    let verifier = Verifier::new(&public).ok()?;
    let is_ours = |name: &&str| {
        let rest = name.strip_prefix(audience.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let audiences: Vec<_> = token
        .claims()
        .audiences()
        .filter(is_ours)
        .map(str::to_owned)
        .collect();
    let expected = Expected {
        kind: Kind::AccessToken,
        issuer,
        audiences: &audiences,
        now_us,
        leeway_us: LEEWAY_US,
        lifetime_us_max: None,
    };
    let verified = token.check(&expected).ok()?.verify(&verifier).ok()?;
    from_claims(verified.claims(), &audiences)
}

/// Builds a token from verified claims.
fn from_claims(claims: &Claims<'_>, audiences: &[String]) -> Option<Token> {
    let client_id = claims.client_id()?;
    let subject = match client_id.parse() {
        Ok(client) => TokenSubject::Client(client),
        Err(_) => {
            let environment = Environment::from_word(claims.text(ENVIRONMENT)?)?;
            TokenSubject::Application(client_id.parse().ok()?, environment)
        }
    };
    let id: TokenId = claims.token_id()?.parse().ok()?;
    (claims.subject() == Some(client_id)).then_some(Token {
        id,
        subject,
        scopes: claims.scopes().map(str::to_owned).collect(),
        audiences: audiences.to_vec(),
        made_us: id.made_us(),
        issued_us: claims.issued_us()?,
        expires_us: claims.expires_us()?,
    })
}

/// Returns the present rights of a token; `None` if it was revoked, its holder is gone or may not
/// be used, or it was issued before the earliest time accepted for its holder.
pub(crate) async fn rights(
    server: &AuthorizationServer,
    token: &Token,
    now_us: i64,
) -> Result<Option<Rights>, StoreError> {
    if tokens::is_revoked(&server.store, token.id).await? {
        return Ok(None);
    }
    let (application, mut from_us, scopes) = match token.subject {
        TokenSubject::Client(id) => {
            let Some(client) = authentication::live(&server.store, id, now_us).await? else {
                return Ok(None);
            };
            let allowed = &client.grant.scopes;
            let scopes = token.scopes.iter().filter(|it| allowed.contains(it));
            let scopes = scopes.cloned().collect();
            (client.terms.application, client.tokens_from_us, scopes)
        }
        TokenSubject::Application(id, _) => (id, 0, token.scopes.clone()),
    };
    let application = match applications::by_id(&server.store, application).await {
        Ok(application) => application,
        Err(StoreError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    from_us = from_us.max(application.tokens_from_us);
    Ok((token.made_us >= from_us).then_some(Rights {
        application: application.id,
        scopes,
    }))
}

/// Returns the id in the text of an opaque token, which need not exist any more.
pub(crate) fn id_of_opaque(text: &str) -> Option<TokenId> {
    opaque::parse(text.as_bytes()).map(|(id, _)| id)
}
