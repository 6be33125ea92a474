//! Tokens that an application has without a client, to try one version, and proofs that its calls
//! are trials. They are not requested over the protocol but by the control plane, on behalf of the
//! application's owner.

use serde::Serialize;
use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::Environment;
use tollgate_model::id::ApplicationId;
use tollgate_store::applications;
use tollgate_tokens::jwt;

use crate::error::{Code, Refused};
use crate::grants::client_credentials::{Claims, TYPE, issue};
use crate::grants::joined;
use crate::server::AuthorizationServer;

/// A token for an application without a client.
#[derive(Debug, Clone)]
pub struct ToApplication {
    /// The application: `sub` and `client_id`.
    pub application: ApplicationId,
    /// The upstream that it reaches: the claim `environment`.
    pub environment: Environment,
    /// Its scopes.
    pub scopes: Vec<String>,
    /// Context and name of the only version that it is valid for.
    pub version: (String, String),
    /// Lifetime, seconds.
    pub lifetime_s: u32,
}

/// A proof for gateways that calls are trials.
#[derive(Debug, Clone)]
pub struct ForTrial {
    /// The calling application: `sub`.
    pub application: ApplicationId,
    /// Context and name of the version.
    pub version: (String, String),
    /// Lifetime, seconds.
    pub lifetime_s: u32,
}

/// The claims of a proof.
#[derive(Serialize)]
struct TrialClaims<'a> {
    iss: &'a str,
    sub: String,
    aud: String,
    exp: i64,
    iat: i64,
}

/// Why no token was issued.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotIssued {
    /// Gateways would reject it as too large: it has too many scopes.
    #[error("{0}")]
    TooLarge(String),
    /// Tokens are not configured, the store cannot be read, or no key can sign.
    #[error("{0}")]
    Failed(String),
}

impl AuthorizationServer {
    /// Issues a token for an application without a client.
    ///
    /// # Errors
    /// [`NotIssued`].
    pub async fn issue_to_application(&self, request: &ToApplication) -> Result<String, NotIssued> {
        let made = self.make_for_application(request).await;
        made.map_err(|refused| not_issued(&refused))
    }

    /// Issues a proof that calls of an application are trials of a version: a JWT of the type
    /// [`TRIAL`](jwt::TRIAL).
    ///
    /// # Errors
    /// [`NotIssued`].
    pub async fn issue_for_trial(&self, request: &ForTrial) -> Result<String, NotIssued> {
        let made = self.make_for_trial(request).await;
        made.map_err(|refused| not_issued(&refused))
    }

    async fn make_for_trial(&self, request: &ForTrial) -> Result<String, Refused> {
        let names = self.names()?;
        let signer = self.keys.signer(Algorithm::default()).await?;
        let (context, version) = &request.version;
        let iat = self.now_us().div_euclid(1_000_000);
        let claims = TrialClaims {
            iss: names.issuer,
            sub: request.application.to_string(),
            aud: format!("{}{context}/{version}", names.audience),
            exp: iat + i64::from(request.lifetime_s),
            iat,
        };
        self.usable(jwt::sign(&signer.key, &signer.name, jwt::TRIAL, &claims))
    }

    async fn make_for_application(&self, request: &ToApplication) -> Result<String, Refused> {
        let names = self.names()?;
        let application = applications::by_id(&self.store, request.application).await?;
        let issue = issue(self, application.tokens_from_us, request.lifetime_s).await?;
        let signer = self.keys.signer(Algorithm::default()).await?;
        let (context, version) = &request.version;
        let subject = application.id.to_string();
        let (iat, exp) = issue.seconds();
        let claims = Claims {
            iss: names.issuer,
            sub: &subject,
            client_id: &subject,
            aud: &format!("{}{context}/{version}", names.audience),
            exp,
            iat,
            jti: issue.id,
            scope: joined(&request.scopes),
            environment: Some(request.environment.word()),
        };
        self.usable(jwt::sign(&signer.key, &signer.name, TYPE, &claims))
    }
}

fn not_issued(refused: &Refused) -> NotIssued {
    let cause = refused.cause().to_owned();
    match refused.code() {
        Code::InvalidScope => NotIssued::TooLarge(cause),
        _ => NotIssued::Failed(cause),
    }
}
