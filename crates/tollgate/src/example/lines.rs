//! What people paste into a shell to call the example.

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;

use tollgate_gateway::Addresses;

use super::{CONTEXT, Served, VERSION_NAME};

/// Calls of the example, and where tokens for it come from.
#[derive(Debug)]
pub struct Lines {
    calls: Vec<String>,
    token: Option<String>,
}

impl Lines {
    /// A call for each address of the gateway, and one that asks a key manager of this issuer for a
    /// token. TLS is checked by `authority`, a file, where one is given.
    #[must_use]
    pub fn new(
        example: &Served,
        (gateway, issuer): (Addresses, Option<&str>),
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

/// Where the example is called.
fn url(scheme: &str, address: SocketAddr) -> String {
    // Nobody reaches all addresses by the one that stands for them.
    let place = match address.ip().is_unspecified() {
        true => format!("localhost:{}", address.port()),
        false => address.to_string(),
    };
    format!("{scheme}://{place}{CONTEXT}/{VERSION_NAME}/hello")
}

impl fmt::Display for Lines {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for call in &self.calls {
            writeln!(out, "the example API answers this call:\n{call}")?;
        }
        if let Some(token) = &self.token {
            writeln!(
                out,
                "it takes a token in the key's place, which this asks for:\n{token}"
            )?;
        }
        Ok(())
    }
}
