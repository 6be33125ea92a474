//! Credentials of applications beside keys: made by the control plane, and the tokens that the key
//! manager gives for them.

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
    /// The secret; empty where there is none.
    pub text: String,
}

impl Secret {
    /// As the value of `Authorization`.
    #[must_use]
    pub fn basic(&self) -> String {
        let pair = format!("{}:{}", self.name, self.text);
        format!("Basic {}", STANDARD.encode(pair))
    }

    /// The request of a token of this client, with these parameters besides its grant.
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
    /// Makes an OAuth2 client of these members; its id and secret.
    ///
    /// # Errors
    /// As [`Control::done`].
    pub async fn client(&self, application: &str, wanted: &Value) -> anyhow::Result<Secret> {
        let path = format!("/api/v1/applications/{application}/clients");
        let made = self.done("POST", &path, Some(wanted)).await?;
        let secret = made["client_secret"].as_str().unwrap_or_default();
        Ok(Secret {
            id: id(&made)?,
            name: id(&made)?,
            text: secret.to_owned(),
        })
    }

    /// Creates a user of HTTP Basic whose name ends with this one.
    ///
    /// # Errors
    /// As [`Control::done`].
    pub async fn basic_user(&self, application: &str, name: &str) -> anyhow::Result<Secret> {
        let path = format!("/api/v1/applications/{application}/basic-users");
        let wanted = json!({ "user_name": name });
        let made = self.done("POST", &path, Some(&wanted)).await?;
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

    /// Asks the key manager for a token of a client, with these parameters besides its grant; what
    /// it answers.
    ///
    /// # Errors
    /// The connection fails.
    pub async fn grant(&self, client: &Secret, more: &str) -> anyhow::Result<Answer> {
        let request = client.asking(more);
        let answer = http::call(self.address, &request).await?;
        secrets::exchanged(self.address, b"", answer.seen());
        Ok(answer)
    }

    /// A token of a client.
    ///
    /// # Errors
    /// The connection fails, or there is none.
    pub async fn token(&self, client: &Secret, more: &str) -> anyhow::Result<String> {
        let granted = accepted("POST /oauth2/token", &self.grant(client, more).await?)?;
        let token = granted["access_token"].as_str().context("the token")?;
        Ok(token.to_owned())
    }
}
