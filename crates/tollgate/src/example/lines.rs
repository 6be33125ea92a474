//! Commands to paste into a shell to call the example.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;

use tollgate_gateway::Addresses;

use super::{CONTEXT, Served, VERSION_NAME};

/// Commands that call the example, and one that requests a token for it.
#[derive(Debug)]
pub struct Lines {
    calls: Vec<String>,
    token: Option<String>,
}

impl Lines {
    /// Creates a call for each address of the gateway, and a token request for a key manager of
    /// this issuer. TLS is verified with `authority`, a file, if given.
    #[must_use]
    pub fn new(
        example: &Served,
        gateway: Addresses,
        issuer: Option<&str>,
        authority: Option<&Path>,
    ) -> Self {
        let authority = authority.map(|authority| {
            let authority = authority.display().to_string().replace('\'', "'\\''");
            format!("--cacert '{authority}' ")
        });
        let checked = |url: &str| match &authority {
            Some(checked) if url.starts_with("https:") => checked.as_str(),
            _ => "",
        };
        let http = gateway.http.map(|at| url("http", at));
        let https = gateway.https.map(|at| url("https", at));
        let calls = http.into_iter().chain(https).map(|url| {
            let key = &example.key;
            format!("curl {}-H 'apikey: {key}' {url}", checked(&url))
        });
        let token = issuer.map(|issuer| {
            let (client, secret) = &example.client;
            let grant = format!("-u '{client}:{secret}' -d grant_type=client_credentials");
            format!("curl {}{grant} {issuer}/oauth2/token", checked(issuer))
        });
        Self {
            calls: calls.collect(),
            token,
        }
    }
}

/// Returns the URL of an operation of the example.
fn url(scheme: &str, address: SocketAddr) -> String {
    // Clients cannot connect to the unspecified address.
    let place = match address.ip().is_unspecified() {
        true => format!("localhost:{}", address.port()),
        false => address.to_string(),
    };
    format!("{scheme}://{place}{CONTEXT}/{VERSION_NAME}/hello")
}

impl fmt::Display for Lines {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for call in &self.calls {
            writeln!(out, "call the example API:\n{call}")?;
        }
        if let Some(token) = &self.token {
            writeln!(
                out,
                "request an access token, which it accepts instead of the key:\n{token}"
            )?;
        }
        Ok(())
    }
}
