//! Stock clients over HTTPS, unmodified (keys.md, K1): npm's `openid-client`, PyPI's `Authlib` and
//! Go's `golang.org/x/oauth2` get a token with each authentication method that both sides support,
//! call an API with it, introspect and revoke it.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tollgate_model::algorithm::Algorithm;
use tollgate_testkit::Peers;
use tollgate_testkit::credentials::Secret;
use tollgate_testkit::tills::TillClient;
use tollgate_tokens::key::SigningKey;

use super::tokens::part;
use super::{Secured, secured};
use crate::peers::peers;
use crate::readme::blocks_in;

/// An API that accepts only tokens, and the parameters for stock clients.
struct Tills {
    peers: Peers,
    it: Secured,
    authority: PathBuf,
    issuer: String,
    api: String,
}

impl Tills {
    async fn new(peers: Peers) -> Self {
        let builder = secured();
        let it = Secured::new(&builder).await;
        let scopes = json!({ "pets:read": "See pets", "pets:write": "Change pets" });
        let security = json!({ "oauth2": {}, "scopes": scopes });
        let reading = json!([{ "method": "GET", "path": "/pets", "scopes": ["pets:read"] }]);
        it.secure(security, json!({ "operations": reading })).await;
        let https = it.house.tollgate.https;
        let api = format!("https://{}/pets/1.0/pets", https.gateway.unwrap());
        Self {
            issuer: format!("https://{}", https.control.unwrap()),
            authority: builder.data().join("ca.crt"),
            peers,
            it,
            api,
        }
    }

    /// Returns the result of a stock client that requests this scope.
    fn outcome(&self, stock: TillClient, client: &Secret, more: &Value) -> Value {
        let mut body = json!({
            "issuer": self.issuer,
            "api": self.api,
            "client_id": client.id,
            "client_secret": client.text,
            "scope": ["pets:read"],
        });
        let members = more.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(members);
        let outcome = self.peers.till(stock, &self.authority, &body);
        outcome.unwrap_or_else(|error| panic!("{stock:?} {more}: {error:#}"))
    }

    async fn client(&self, more: Value) -> Secret {
        let mut body = json!({ "name": "till", "scopes": ["pets:read", "pets:write"] });
        let members = more.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(members);
        let application = &self.it.house.consumer.application;
        let made = self.it.house.admin.client(application, &body).await;
        made.unwrap()
    }
}

/// Asserts that a token was issued and valid, and is not valid after a revocation by the client.
fn assert_served(tills: &Tills, client: &Secret, (outcome, revokes): (&Value, bool)) {
    assert_eq!(outcome["status"], 200, "{outcome}");
    assert_eq!(outcome["body"], "hello");
    assert_eq!(outcome["scope"], "pets:read");
    let kind = outcome["type"].as_str().unwrap_or_default();
    assert!(kind.eq_ignore_ascii_case("bearer"), "{outcome}");
    if !revokes {
        return;
    }
    let introspected = &outcome["told"];
    let expected = json!([true, client.id, client.id, "pets:read", tills.issuer]);
    let members = ["active", "client_id", "sub", "scope", "iss"];
    let members = members.map(|name| introspected[name].clone());
    assert_eq!(json!(members), expected, "{outcome}");
    assert_eq!(outcome["after"], json!({ "active": false }));
    let refused = json!({ "status": 401, "error": "invalid_token" });
    assert_eq!(outcome["refused"], refused, "{outcome}");
}

/// Returns the error that a stock client reports: for a 401, `openid-client` reads only the
/// challenge.
fn refused(stock: TillClient, code: &str) -> Value {
    match (stock, code) {
        (TillClient::OpenidClient, "invalid_client") => json!({ "error": "basic" }),
        _ => json!({ "error": code }),
    }
}

/// Creates a client key: the private key, and the key set that the client registers.
fn own_key(algorithm: Algorithm) -> (Value, Value) {
    let key = SigningKey::generate(algorithm).unwrap();
    let kid = key.public().thumbprint();
    let held = json!({
        "authentication": "private_key_jwt",
        "private_key": STANDARD.encode(key.pkcs8()),
        "kid": kid,
    });
    let registered = json!({
        "authentication": "private_key_jwt",
        "jwks": { "keys": [key.public().jwk(&kid)] },
    });
    (held, registered)
}

#[tokio::test]
async fn stock_clients_get_use_introspect_and_revoke_tokens() {
    let Some(peers) = peers() else { return };
    let tills = Tills::new(peers).await;
    let stocks = [
        (TillClient::OpenidClient, true),
        (TillClient::Authlib, true),
        (TillClient::Go, false),
    ];
    for form in ["jwt", "opaque"] {
        let client = tills.client(json!({ "token": { "form": form } })).await;
        for (stock, revokes) in stocks {
            for method in ["client_secret_basic", "client_secret_post"] {
                let by = json!({ "authentication": method });
                let outcome = tills.outcome(stock, &client, &by);
                assert_served(&tills, &client, (&outcome, revokes));
            }
        }
    }
    // Go's client tries both if none is configured.
    let client = tills.client(json!({})).await;
    let by = json!({ "authentication": "either" });
    let outcome = tills.outcome(TillClient::Go, &client, &by);
    assert_served(&tills, &client, (&outcome, false));
}

/// Returns a program with the guide's lines for this client, which prints its result.
fn program(stock: TillClient) -> String {
    let guide = include_str!("../../../../../docs/guide/protect-an-api.md");
    match stock {
        TillClient::OpenidClient => format!(
            "const [id, secret] = process.argv.slice(2);\n{}console.log(access_token);\n",
            blocks_in(guide, "js")
        ),
        TillClient::Authlib => format!(
            "import sys\nid, secret = sys.argv[1:]\n{}print(token['access_token'])\n",
            blocks_in(guide, "python")
        ),
        TillClient::Go => format!(
            "package main\n\
             import (\"context\"; \"fmt\"; \"log\"; \"os\"\n\
             \"golang.org/x/oauth2/clientcredentials\")\n\
             func main() {{\nctx, id, secret := context.Background(), os.Args[1], os.Args[2]\n{}\
             if err != nil {{ log.Fatal(err) }}\nfmt.Println(answer.StatusCode)\n}}\n",
            blocks_in(guide, "go")
        ),
    }
}

#[tokio::test]
async fn the_guides_lines_for_stock_clients_get_tokens_as_written() {
    let Some(peers) = peers() else { return };
    let tills = Tills::new(peers).await;
    let client = tills.client(json!({})).await;
    for stock in [
        TillClient::OpenidClient,
        TillClient::Authlib,
        TillClient::Go,
    ] {
        let program = program(stock)
            .replace("https://tollgate.example.com", &tills.issuer)
            .replace("https://api.example.com/shop/1.0/orders", &tills.api)
            .replace("orders:read", "pets:read");
        let arguments = [&*client.id, &client.text];
        let output = tills
            .peers
            .program(stock, &program, &tills.authority, &arguments);
        let output = output.unwrap_or_else(|error| panic!("{program}: {error:#}"));
        if stock == TillClient::Go {
            // It makes the call itself.
            assert_eq!(output.trim(), "200", "{program}");
            continue;
        }
        let bearer = format!("Bearer {}", output.trim());
        let answer = tills.it.call(&[("Authorization", &bearer)]).await;
        assert_eq!(answer.status, 200, "{stock:?}: {}", answer.text());
        assert_eq!(part(output.trim(), 1)["scope"], "pets:read");
    }
}

#[tokio::test]
async fn stock_clients_authenticate_with_keys_of_their_own() {
    let Some(peers) = peers() else { return };
    let tills = Tills::new(peers).await;
    // Each signs with its default algorithm.
    for (stock, algorithm) in [
        (TillClient::OpenidClient, Algorithm::Es256),
        (TillClient::Authlib, Algorithm::Rs256),
    ] {
        let (held, registered) = own_key(algorithm);
        let client = tills.client(registered).await;
        let outcome = tills.outcome(stock, &client, &held);
        assert_served(&tills, &client, (&outcome, true));
        let (another, _) = own_key(algorithm);
        let outcome = tills.outcome(stock, &client, &another);
        assert_eq!(outcome, refused(stock, "invalid_client"), "{stock:?}");
    }
}

#[tokio::test]
async fn stock_clients_report_why_they_get_no_token() {
    let Some(peers) = peers() else { return };
    let tills = Tills::new(peers).await;
    let client = tills.client(json!({})).await;
    for stock in [
        TillClient::OpenidClient,
        TillClient::Authlib,
        TillClient::Go,
    ] {
        for (more, code) in [
            (json!({ "client_secret": "guessed" }), "invalid_client"),
            (json!({ "client_id": "cli_00000000000" }), "invalid_client"),
            (json!({ "scope": ["pets:eat"] }), "invalid_scope"),
        ] {
            let mut body = json!({ "authentication": "client_secret_post" });
            let members = more.as_object().unwrap().clone();
            body.as_object_mut().unwrap().extend(members);
            let outcome = tills.outcome(stock, &client, &body);
            assert_eq!(outcome, refused(stock, code), "{stock:?}");
        }
        let by_basic = json!({
            "authentication": "client_secret_basic", "client_secret": "guessed"
        });
        let outcome = tills.outcome(stock, &client, &by_basic);
        assert_eq!(outcome, refused(stock, "invalid_client"), "{stock:?}");
    }
}
