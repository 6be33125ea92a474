//! The common beginning of every endpoint for clients: the request arrived securely, its form is
//! read once, and its client is authenticated.

use axum::extract::Request;
use tollgate_store::applications::Application;
use tollgate_store::clients::Client;

use crate::authentication::{Desk, Presented};
use crate::error::{Code, Refused};
use crate::form::{BodyMax, Form};
use crate::server::AuthorizationServer;

/// A request of an authenticated client.
pub(crate) struct Call {
    pub(crate) form: Form,
    pub(crate) client: Client,
    pub(crate) application: Application,
    /// Arrival time, Unix microseconds.
    pub(crate) now_us: i64,
}

impl Call {
    /// Reads a request and authenticates its client.
    pub(crate) async fn read(
        server: &AuthorizationServer,
        request: Request,
    ) -> Result<Self, Refused> {
        if !(server.came_safely)(request.extensions()) {
            let sentence = "secrets must be sent over HTTPS: plain HTTP is accepted from this \
                machine only";
            return Err(Refused::request(sentence));
        }
        let (head, body) = request.into_parts();
        // A route without a bound accepts no body.
        let body_max = head.extensions.get().copied().unwrap_or(BodyMax(0));
        let form = Form::read(&head.headers, body, body_max).await?;
        let presented = Presented::read(&head.headers, &form).inspect_err(|refused| {
            if refused.code() == Code::InvalidClient {
                server.attempts.failed("", &head.extensions);
            }
        })?;
        let now_us = server.now_us();
        let desk = Desk {
            store: &server.store,
            assertions: &server.assertions,
            named: form.parameter("client_id"),
            now_us,
        };
        let claimed = presented.claimed();
        let from = &head.extensions;
        let authenticated = desk.authenticate(&presented).await;
        match &authenticated {
            Ok(_) => server.attempts.succeeded(&claimed, from),
            // Check the secret before the count of failures: secrets are too long to be guessed,
            // and if programs of one address get a new secret, those that still send the old one
            // must not lock the others out.
            Err(refused) if refused.code() == Code::InvalidClient => {
                if let Some(seconds) = server.attempts.wait_s(&claimed, from) {
                    return Err(Refused::too_many(seconds));
                }
                server.attempts.failed(&claimed, from);
            }
            Err(_) => {}
        }
        let (client, application) = authenticated?;
        Ok(Self {
            form,
            client,
            application,
            now_us,
        })
    }
}
