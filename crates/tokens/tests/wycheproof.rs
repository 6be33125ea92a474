//! The vectors of Wycheproof for JOSE, through the parser of keys and the verifier of tokens: no
//! invalid one is accepted, and every valid one of a supported algorithm is.
//!
//! `wycheproof/install`, which `make deps` runs, puts the vectors beside it. Without them the test
//! is skipped with a message, or fails under `TOLLGATE_REQUIRE_SERVICES=1`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tollgate_tokens::jwk;
use tollgate_tokens::jwt::Compact;
use tollgate_tokens::key::Verifier;

/// Values of `alg` of supported tokens.
const ALGORITHMS: [&str; 4] = ["ES256", "EdDSA", "RS256", "PS256"];

/// Invalid vectors that are accepted, each with its file, its number and the reason.
const ACCEPTED: [(&str, u64, &str); 0] = [];

/// Number of valid vectors of supported algorithms in each file.
const FILES: [(&str, usize); 3] = [
    ("json_web_signature_test.json", 16),
    ("json_web_key_test.json", 1),
    ("json_web_crypto_test.json", 2),
];

#[expect(clippy::print_stderr, reason = "a skipped test prints a message")]
fn vectors(file: &str) -> Option<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wycheproof/.installed");
    if let Ok(text) = fs::read_to_string(folder.join(file)) {
        return Some(serde_json::from_str(&text).expect("JSON"));
    }
    let is_required = std::env::var("TOLLGATE_REQUIRE_SERVICES").is_ok_and(|value| value == "1");
    assert!(!is_required, "missing: wycheproof (make deps fetches it)");
    eprintln!("skipped: {file}; missing: wycheproof (make deps fetches it)");
    None
}

/// Returns the public keys of a group, or its other members if it has none.
fn set(group: &Value) -> Value {
    let keys = group.get("public").unwrap_or(&group["private"]);
    match keys.get("keys") {
        Some(_) => keys.clone(),
        None => json!({ "keys": [keys] }),
    }
}

/// Returns the result for a client with these keys and its token.
fn accept(set: &Value, token: &str) -> Result<(), String> {
    let keys = jwk::parse(set.to_string().as_bytes());
    let keys = keys.map_err(|faults| faults[0].detail.clone())?;
    let mut space = Vec::new();
    let token = Compact::parse(token.as_bytes(), &mut space).map_err(|it| it.to_string())?;
    let kid = token.header().kid();
    let key = keys.iter().find(|key| key.kid.as_deref() == kid);
    let key = &key.ok_or("no key has this kid")?.key;
    let key = Verifier::new(key).map_err(|fault| fault.to_string())?;
    token.verify(&key).map_err(|it| it.to_string())
}

/// Returns whether the token names a supported algorithm, read without our parser.
fn is_of_ours(token: &str) -> bool {
    use base64::Engine as _;
    let header = token.split('.').next().unwrap_or_default();
    let json = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(header);
    let header: Option<Value> = json
        .ok()
        .and_then(|json| serde_json::from_slice(&json).ok());
    header.is_some_and(|header| ALGORITHMS.iter().any(|word| header["alg"] == *word))
}

#[test]
fn no_invalid_vector_is_accepted_and_every_valid_one_of_our_algorithms_is() {
    for (file, valid_count) in FILES {
        let Some(vectors) = vectors(file) else {
            continue;
        };
        let (mut valid, mut wrong) = (0, Vec::new());
        for group in vectors["testGroups"].as_array().expect("groups") {
            let set = set(group);
            for test in group["tests"].as_array().expect("tests") {
                let token = match &test["jws"] {
                    // A test of encryption, which is not supported.
                    Value::Null => continue,
                    Value::String(token) => token.clone(),
                    json => json.to_string(),
                };
                let number = test["tcId"].as_u64().expect("a number");
                let judged = accept(&set, &token);
                let listed = ACCEPTED.iter().any(|row| (row.0, row.1) == (file, number));
                let must = match test["result"].as_str() {
                    Some("valid") => is_of_ours(&token),
                    _ => listed,
                };
                valid += usize::from(must && !listed);
                if judged.is_ok() != must {
                    wrong.push(format!("{number} {}: {judged:?}", test["comment"]));
                }
            }
        }
        assert!(wrong.is_empty(), "{file}: {wrong:#?}");
        assert_eq!(valid, valid_count, "{file}");
    }
}
