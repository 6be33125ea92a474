//! Credentials of applications other than API keys: created by the control plane, with tokens from
//! the key manager.

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::control::{Control, accepted, id};
use crate::http::{self, Answer};
use crate::secrets;

/// A credential with a name and a secret.
#[derive(Debug, Clone)]
pub struct Secret {
    /// The credential's id.
    pub id: String,
    /// `client_id` or user name.
    pub name: String,
    /// The secret; empty if there is none.
    pub text: String,
}

impl Secret {
    /// Formats it as the value of `Authorization`.
    #[must_use]
    pub fn basic(&self) -> String {
        let pair = format!("{}:{}", self.name, self.text);
        format!("Basic {}", STANDARD.encode(pair))
    }

    /// Builds the token request of this client, with these parameters in addition to its grant.
    #[must_use]
    pub fn asking(&self, more: &str) -> Vec<u8> {
        let basic = self.basic();
        let fields = [
            ("Authorization", &*basic),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ];
        let body = format!("grant_type=client_credentials{more}");
        http::request("POST", "/oauth2/token", &fields, body.as_bytes())
    }
}

impl Control {
    /// Creates an OAuth2 client with these members; returns its id and secret.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn client(&self, application: &str, members: &Value) -> anyhow::Result<Secret> {
        let path = format!("/api/v1/applications/{application}/clients");
        let made = self.done("POST", &path, Some(members)).await?;
        let secret = made["client_secret"].as_str().unwrap_or_default();
        Ok(Secret {
            id: id(&made)?,
            name: id(&made)?,
            text: secret.to_owned(),
        })
    }

    /// Creates an HTTP Basic user with a name that ends with this one.
    ///
    /// # Errors
    /// Fails like [`Control::done`].
    pub async fn basic_user(&self, application: &str, name: &str) -> anyhow::Result<Secret> {
        let path = format!("/api/v1/applications/{application}/basic-users");
        let members = json!({ "user_name": name });
        let made = self.done("POST", &path, Some(&members)).await?;
        let password = made["password"].as_str().context("the password")?;
        Ok(Secret {
            id: id(&made)?,
            name: made["user_name"]
                .as_str()
                .context("the user's name")?
                .to_owned(),
            text: password.to_owned(),
        })
    }

    /// Requests a token for a client from the key manager, with these parameters in addition to its
    /// grant; returns any response.
    ///
    /// # Errors
    /// Fails if the connection does.
    pub async fn grant(&self, client: &Secret, more: &str) -> anyhow::Result<Answer> {
        let request = client.asking(more);
        let answer = http::call(self.address, &request).await?;
        secrets::exchanged(self.address, b"", answer.seen());
        Ok(answer)
    }

    /// Returns a token of a client.
    ///
    /// # Errors
    /// Fails if the connection does, or no token is issued.
    pub async fn token(&self, client: &Secret, more: &str) -> anyhow::Result<String> {
        let granted = accepted("POST /oauth2/token", &self.grant(client, more).await?)?;
        let token = granted["access_token"].as_str().context("the token")?;
        Ok(token.to_owned())
    }
}
