//! Tokens that an application has without a client, to try one version: nobody asks for them over
//! the protocol; the control plane does, in the name of the application's owner.

use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::Environment;
use tollgate_model::id::ApplicationId;
use tollgate_store::applications;
use tollgate_tokens::jwt;

use crate::error::{Code, Refused};
use crate::grants::client_credentials::{Claims, TYPE, issue};
use crate::grants::joined;
use crate::server::AuthorizationServer;

/// A token that an application has without a client.
#[derive(Debug, Clone)]
pub struct ToApplication {
    /// Who has it: `sub` and `client_id`.
    pub application: ApplicationId,
    /// Which upstream it reaches: the claim `environment`.
    pub environment: Environment,
    /// What it is good for.
    pub scopes: Vec<String>,
    /// Context and name of the only version that it is for.
    pub version: (String, String),
    /// Seconds until it ends.
    pub lifetime_s: u32,
}

/// Why no token was issued.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotIssued {
    /// Gateways would not accept it: it has too many scopes.
    #[error("{0}")]
    TooLarge(String),
    /// No tokens are issued here, the store cannot be read, or no key can sign.
    #[error("{0}")]
    Failed(String),
}

impl AuthorizationServer {
    /// Makes a token that an application has without a client.
    ///
    /// # Errors
    /// [`NotIssued`].
    pub async fn issue_to_application(&self, wanted: &ToApplication) -> Result<String, NotIssued> {
        let made = self.make_for_application(wanted).await;
        made.map_err(|refused| {
            let cause = refused.cause().to_owned();
            match refused.code() {
                Code::InvalidScope => NotIssued::TooLarge(cause),
                _ => NotIssued::Failed(cause),
            }
        })
    }

    async fn make_for_application(&self, wanted: &ToApplication) -> Result<String, Refused> {
        let names = self.names()?;
        let application = applications::by_id(&self.store, wanted.application).await?;
        let issue = issue(self, application.tokens_from_us, wanted.lifetime_s).await?;
        let signer = self.keys.signer(Algorithm::default()).await?;
        let (context, version) = &wanted.version;
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
            scope: joined(&wanted.scopes),
            environment: Some(wanted.environment.word()),
        };
        self.usable(jwt::sign(&signer.key, &signer.name, TYPE, &claims))
    }
}
