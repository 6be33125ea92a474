use std::fs;
use std::net::SocketAddr;

use serde_json::{Value, json};

use super::*;

/// An address that no process of a test has.
fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], port))
}

fn answered(at: SocketAddr, status: u16, body: &Value) -> Option<String> {
    let body = body.to_string();
    let answer = Seen {
        status,
        fields: &[],
        body: body.as_bytes(),
    };
    exchanged(at, b"", answer)
}

#[test]
fn credentials_and_tokens_are_found_in_the_log_and_in_files_in_every_form_that_is_sent() {
    let data = tempfile::tempdir().unwrap();
    let at = address(1);
    serves(at, data.path());
    let client = json!({ "id": "cli_1", "client_secret": "tg_cs_0123456789", "name": "till" });
    let granted = json!({ "access_token": "head.claims.signature", "token_type": "Bearer" });
    let user = json!({ "name": "the till", "user_name": "till@shop", "password": "tg_pw_012345" });
    let key = json!({ "items": [{ "key": "tg_live_0123456789" }] });
    for made in [&client, &granted, &user, &key] {
        assert_eq!(answered(at, 201, made), None);
    }
    let secrets = [
        "tg_cs_0123456789",
        "Y2xpXzE6dGdfY3NfMDEyMzQ1Njc4OQ==",
        "head.claims.signature",
        "tg_pw_012345",
        "dGlsbEBzaG9wOnRnX3B3XzAxMjM0NQ==",
        "tg_live_0123456789",
    ];
    assert_eq!(left(data.path(), "ready\n"), [""; 0]);
    for secret in secrets {
        let line = format!("{{\"message\":\"asked with {secret}\"}}\n");
        assert_eq!(left(data.path(), &line), [format!("{secret:?} in the log")]);
        let file = data.path().join("planted");
        fs::write(&file, format!("before{secret}after")).unwrap();
        let place = format!("{secret:?} in {}", file.display());
        assert_eq!(left(data.path(), ""), [place]);
        fs::remove_file(&file).unwrap();
        // If shown again, it is returned.
        let again = json!({ "detail": format!("not {secret}") });
        assert_eq!(answered(at, 400, &again).as_deref(), Some(secret));
    }
}

#[test]
fn refused_requests_and_other_members_are_not_searched_for() {
    let data = tempfile::tempdir().unwrap();
    let at = address(2);
    serves(at, data.path());
    let refused = json!({ "access_token": "not-granted-at-all" });
    answered(at, 400, &refused);
    let public = json!({ "name": "a name of 20 letters", "scope": "orders:read orders:write" });
    answered(at, 200, &public);
    let line = "not-granted-at-all a name of 20 letters orders:read orders:write";
    assert_eq!(left(data.path(), line), [""; 0]);
}
