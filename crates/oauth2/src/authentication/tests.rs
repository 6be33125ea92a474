use serde_json::{Value, json};
use tollgate_model::algorithm::Algorithm;
use tollgate_store::clients::{self, ClientChange};
use tollgate_store::credentials::{self, NewSecret};
use tollgate_tokens::jwt::sign;
use tollgate_tokens::key::SigningKey;

use super::*;
use crate::harness::{
    ASSERTION_TYPE, Answer, House, ISSUER, JWT, NOW_US, Program, SECOND_US, WAIT_S, assertion,
    change, grant,
};
use crate::random;

const PATH: &str = "/oauth2/token";
const GRANT: &str = "grant_type=client_credentials";

async fn ask(house: &House, fields: &[(&str, &str)], more: &str) -> Answer {
    house.post(PATH, fields, &format!("{GRANT}{more}")).await
}

#[tokio::test]
async fn exactly_one_authentication_is_accepted() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let other = house.client(JWT).await;
    let basic = client.basic();
    let id = client.id.to_string();
    let secret = format!("&client_secret={}", client.secret);
    let named = format!("&client_id={id}");
    let proof = assertion("a.b.c");
    let half = format!("&client_assertion_type={ASSERTION_TYPE}");
    for (field, more, code) in [
        (None, String::new(), "invalid_client"),
        (None, named.clone(), "invalid_client"),
        (None, secret.clone(), "invalid_request"),
        (None, format!("{named}{secret}"), ""),
        (Some(&*basic), String::new(), ""),
        (Some(&*basic), named.clone(), ""),
        (Some(&*basic), secret.clone(), "invalid_request"),
        (Some(&*basic), format!("{named}{secret}"), "invalid_request"),
        (
            Some(&*basic),
            format!("&client_id={}", other.id),
            "invalid_request",
        ),
        (Some(&*basic), proof.clone(), "invalid_request"),
        (None, format!("{named}{secret}{proof}"), "invalid_request"),
        (None, half.clone(), "invalid_request"),
        (
            None,
            "&client_assertion=a.b.c".to_owned(),
            "invalid_request",
        ),
        (Some("Bearer abc"), String::new(), "invalid_client"),
        (
            Some("Bearer abc"),
            format!("{named}{secret}"),
            "invalid_client",
        ),
        (Some("Basic"), String::new(), "invalid_client"),
        (Some("Basic ???"), String::new(), "invalid_client"),
        (Some("Basic YQ=="), String::new(), "invalid_client"),
    ] {
        let fields: Vec<_> = field.map(|it| ("authorization", it)).into_iter().collect();
        let answer = ask(&house, &fields, &more).await;
        assert_eq!(answer.error(), code, "{field:?} {more}");
    }
    let twice = [("authorization", &*basic), ("authorization", &*basic)];
    assert_eq!(ask(&house, &twice, "").await.error(), "invalid_request");
}

#[tokio::test]
async fn failures_count_for_the_claimed_client_at_every_endpoint() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let id = client.id.to_string();
    let wrong = format!("&client_id={id}&client_secret=wrong");
    for expected in 1..3 {
        assert_eq!(ask(&house, &[], &wrong).await.error(), "invalid_client");
        assert_eq!(house.attempts.failures(&id), expected);
    }
    assert_eq!(house.ask(&client, "").await.error(), "");
    assert_eq!(house.attempts.failures(&id), 0);
    // Of assertions too: a client with a secret has none, and an unreadable one names no client.
    let signing = house.signing_client(Algorithm::Es256).await;
    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    let forged = Program {
        key: Some(key),
        ..house.client(JWT).await
    };
    let forged_id = forged.id.to_string();
    for program in [&forged, &signing] {
        let proof = program.assertion(&program.claims(&house));
        ask(&house, &[], &proof).await;
    }
    assert_eq!(house.attempts.failures(&forged_id), 1);
    assert_eq!(house.attempts.failures(&signing.id.to_string()), 0);
    ask(&house, &[], &assertion("a.b.c")).await;
    assert_eq!(house.attempts.failures(""), 1);

    house.attempts.close(&id);
    let wrong = Program {
        secret: "wrong".to_owned(),
        ..house.client(JWT).await
    };
    let wrong = Program {
        id: client.id,
        ..wrong
    };
    for path in [PATH, "/oauth2/revoke", "/oauth2/introspect"] {
        let closed = house.call(path, &wrong, &format!("{GRANT}&token=x")).await;
        assert_eq!(closed.status, 429, "{path}");
        assert_eq!(closed.error(), "temporarily_unavailable");
        assert_eq!(closed.header("retry-after"), WAIT_S.to_string());
    }
    // A client with the right secret is not locked out.
    assert_eq!(house.ask(&client, "").await.error(), "");
}

/// RFC 6749, section 2.3.1: both halves are encoded as in a form, then joined by a colon.
#[tokio::test]
async fn both_halves_of_basic_are_decoded_as_in_a_form() {
    use base64::Engine as _;
    let house = House::new().await;
    let client = house.client(JWT).await;
    let encode = |text: &str| text.replace('_', "%5F").replace('t', "%74");
    let pair = format!(
        "{}:{}",
        encode(&client.id.to_string()),
        encode(&client.secret)
    );
    let value = base64::engine::general_purpose::STANDARD.encode(pair);
    for scheme in ["Basic", "basic", "BASIC"] {
        let field = format!("{scheme} {value}");
        let answer = ask(&house, &[("authorization", &field)], "").await;
        assert_eq!(answer.error(), "");
    }
    let broken = base64::engine::general_purpose::STANDARD.encode("cli%zz:secret");
    let field = format!("Basic {broken}");
    let answer = ask(&house, &[("authorization", &field)], "").await;
    assert_eq!(answer.error(), "invalid_client");
}

#[tokio::test]
async fn an_unusable_client_gets_the_same_answer_as_an_unknown_one() {
    let house = House::new().await;
    let stranger = Program {
        id: Id::from_raw(77),
        application: Id::from_raw(78),
        secret: house.client(JWT).await.secret,
        key: None,
    };
    let expected = house.ask(&stranger, "").await;
    assert_eq!(expected.error(), "invalid_client");
    let [revoked, suspended, expired, early, guessed] = [
        house.client(JWT).await,
        house.client(JWT).await,
        house.client(JWT).await,
        house.client(JWT).await,
        house.client(JWT).await,
    ];
    let mut ended = change(grant(JWT));
    ended.terms.expires_us = Some(NOW_US);
    let mut to_come = change(grant(JWT));
    to_come.terms.not_before_us = Some(NOW_US + 1);
    house
        .write(async |tx| {
            credentials::revoke(tx, revoked.id, NOW_US).await?;
            credentials::suspend(tx, suspended.id, Some(NOW_US)).await?;
            clients::update(tx, expired.id, &ended).await?;
            clients::update(tx, early.id, &to_come).await
        })
        .await;
    let guessed = Program {
        secret: stranger.secret.clone(),
        ..guessed
    };
    for client in [&revoked, &suspended, &expired, &early, &guessed] {
        let answer = house.ask(client, "").await;
        assert_eq!(
            (answer.status, &answer.body),
            (expected.status, &expected.body)
        );
    }
    house
        .write(async |tx| credentials::suspend(tx, suspended.id, None).await)
        .await;
    house.wait(1);
    house.token(&suspended).await;
    house.token(&early).await;
    // An invalid id.
    let form = format!("{GRANT}&client_id=somebody&client_secret=x");
    let answer = house.post(PATH, &[], &form).await;
    assert_eq!(answer.body, expected.body);
}

#[tokio::test]
async fn the_previous_secret_is_accepted_only_during_its_grace_period() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let made = generated::client_secret(random::bytes().unwrap());
    let secret = NewSecret {
        digest: made.digest,
        hint: made.hint,
        previous_until_us: Some(NOW_US + 10),
    };
    house
        .write(async |tx| clients::rotate(tx, client.id, &secret).await)
        .await;
    let renewed = Program {
        secret: made.text,
        ..house.client(JWT).await
    };
    let renewed = Program {
        id: client.id,
        ..renewed
    };
    house.wait(9);
    house.token(&client).await;
    house.token(&renewed).await;
    house.wait(1);
    assert_eq!(house.ask(&client, "").await.error(), "invalid_client");
    house.token(&renewed).await;
}

#[tokio::test]
async fn a_client_authenticates_by_an_assertion_in_every_algorithm() {
    let house = House::new().await;
    for algorithm in Algorithm::ALL {
        let client = house.signing_client(algorithm).await;
        let endpoint = format!("{ISSUER}/oauth2/token");
        for audience in [json!(ISSUER), json!(endpoint), json!([ISSUER, endpoint])] {
            let mut claims = client.claims(&house);
            claims["aud"] = audience;
            let proof = client.assertion(&claims);
            assert_eq!(ask(&house, &[], &proof).await.error(), "");
            let replayed = ask(&house, &[], &proof).await;
            assert_eq!(replayed.error(), "invalid_client");
        }
        let proof = client.assertion(&client.claims(&house));
        let named = format!("{proof}&client_id={}", client.id);
        assert_eq!(ask(&house, &[], &named).await.error(), "");
    }
}

fn with(claims: &Value, name: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    match value {
        Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
        value => claims[name] = value,
    }
    claims
}

#[tokio::test]
async fn an_assertion_with_other_claims_is_refused() {
    let house = House::new().await;
    let client = house.signing_client(Algorithm::Es256).await;
    let other = house.signing_client(Algorithm::Es256).await;
    let secretive = house.client(JWT).await;
    let now_s = NOW_US / SECOND_US;
    let wrong = [
        ("aud", json!("https://gateway.example")),
        ("aud", json!(null)),
        ("aud", json!(["x", ISSUER])),
        ("aud", json!([ISSUER, "https://other.example"])),
        ("aud", json!([ISSUER, 1])),
        ("exp", json!(null)),
        ("exp", json!(now_s - 31)),
        ("exp", json!(now_s + 3_631)),
        ("exp", json!("1")),
        ("nbf", json!(now_s + 31)),
        ("iat", json!(now_s + 600)),
        ("jti", json!(null)),
        ("jti", json!("")),
        ("jti", json!(1)),
        ("sub", json!(null)),
        ("sub", json!(other.id)),
        ("iss", json!(other.id)),
        ("iss", json!(null)),
    ];
    for (name, value) in wrong {
        let claims = with(&client.claims(&house), name, value.clone());
        let answer = ask(&house, &[], &client.assertion(&claims)).await;
        assert_eq!(answer.error(), "invalid_client", "{name} {value}");
    }
    // Clocks may differ a little.
    for exp in [now_s - 29, now_s + 3_629] {
        let claims = with(&client.claims(&house), "exp", json!(exp));
        assert_eq!(
            ask(&house, &[], &client.assertion(&claims)).await.error(),
            ""
        );
    }
    // A client registered with a secret, and an unknown one.
    let mut claims = client.claims(&house);
    for id in [
        json!(secretive.id),
        json!(other.id),
        json!("cli_00000000001"),
    ] {
        claims["iss"] = id.clone();
        claims["sub"] = id;
        let answer = ask(&house, &[], &client.assertion(&claims)).await;
        assert_eq!(answer.error(), "invalid_client");
        let stranger = Refused::from(Code::InvalidClient);
        assert!(format!("{stranger:?}").contains("no such client"));
        assert!(answer.body.to_string().contains("no such client"));
    }
    let form = format!("&client_id={}&client_secret=x", client.id);
    assert_eq!(ask(&house, &[], &form).await.error(), "invalid_client");
    let proof = client.assertion(&client.claims(&house));
    let named = format!("{proof}&client_id={}", other.id);
    assert_eq!(ask(&house, &[], &named).await.error(), "invalid_request");
    let foreign = proof.replace("jwt-bearer", "saml2-bearer");
    assert_eq!(ask(&house, &[], &foreign).await.error(), "invalid_client");
}

/// openid-client writes the fully-specified name since 6.9.
#[tokio::test]
async fn an_assertion_may_name_ed25519_as_rfc_9864_does() {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let house = House::new().await;
    let client = house.signing_client(Algorithm::EdDsa).await;
    let key = client.key.as_ref().unwrap();
    for (alg, error) in [
        ("EdDSA", ""),
        ("Ed25519", ""),
        ("ed25519", "invalid_client"),
    ] {
        let parts = [json!({"alg": alg, "kid": "its-key"}), client.claims(&house)];
        let mut token = parts
            .map(|it| URL_SAFE_NO_PAD.encode(it.to_string()))
            .join(".");
        let signature = URL_SAFE_NO_PAD.encode(key.sign(token.as_bytes()));
        token = format!("{token}.{signature}");
        let answer = ask(&house, &[], &assertion(&token)).await;
        assert_eq!(answer.error(), error, "{alg}");
    }
}

#[tokio::test]
async fn an_assertion_with_another_signature_is_refused() {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let house = House::new().await;
    let client = house.signing_client(Algorithm::Rs256).await;
    let claims = client.claims(&house);
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let payload = encode(&claims);
    for header in [
        json!({"alg": "none"}),
        json!({"alg": "NONE"}),
        json!({"alg": "HS256", "kid": "its-key"}),
        json!({"alg": "PS256", "kid": "its-key"}),
        json!({"alg": "RS256", "kid": "its-key", "crit": ["x"]}),
    ] {
        for signature in ["", "c2lnbmF0dXJl"] {
            let token = format!("{}.{payload}.{signature}", encode(&header));
            let answer = ask(&house, &[], &assertion(&token)).await;
            assert_eq!(answer.error(), "invalid_client", "{header}");
        }
    }
    let foreign = SigningKey::generate(Algorithm::Rs256).unwrap();
    let own = client.key.as_ref().unwrap();
    for (key, kid, typ, code) in [
        (&foreign, "its-key", "JWT", "invalid_client"),
        (own, "another", "JWT", "invalid_client"),
        (own, "its-key", "at+jwt", "invalid_client"),
        (own, "its-key", "client-authentication+jwt", ""),
    ] {
        let token = sign(key, kid, typ, &claims);
        assert_eq!(ask(&house, &[], &assertion(&token)).await.error(), code);
    }
    let long = with(&client.claims(&house), "x", json!("x".repeat(17 * 1_024)));
    let answer = ask(&house, &[], &client.assertion(&long)).await;
    assert_eq!(answer.error(), "invalid_client");
}

/// A client's keys are found for its assertions: by `kid`, or as one of two without.
#[tokio::test]
async fn the_signing_key_is_found_among_several() {
    let house = House::new().await;
    let client = house.signing_client(Algorithm::Es256).await;
    let others = [(); 19].map(|()| SigningKey::generate(Algorithm::Es256).unwrap());
    let own = client.key.as_ref().unwrap();
    let unnamed = |key: &SigningKey| {
        let mut key = key.public().jwk("");
        key.as_object_mut().unwrap().remove("kid");
        key
    };
    let named = others.iter().enumerate();
    let mut many: Vec<_> = named
        .map(|(index, key)| key.public().jwk(&index.to_string()))
        .collect();
    many.push(own.public().jwk("its-key"));
    let before = unnamed(&others[0]);
    for keys in [
        many,
        vec![before.clone(), unnamed(own)],
        vec![unnamed(own), before],
    ] {
        let change = ClientChange {
            jwks: Some(json!({ "keys": keys }).to_string()),
            ..change(grant(JWT))
        };
        house
            .write(async |tx| clients::update(tx, client.id, &change).await)
            .await;
        let proof = client.assertion(&client.claims(&house));
        assert_eq!(ask(&house, &[], &proof).await.error(), "");
        let stranger = SigningKey::generate(Algorithm::Es256).unwrap();
        let forged = sign(&stranger, "its-key", "JWT", &client.claims(&house));
        let answer = ask(&house, &[], &assertion(&forged)).await;
        assert_eq!(answer.error(), "invalid_client");
    }
}

/// The printed private halves of the public keys authenticate no client (RFC 8037, appendix A.1).
#[tokio::test]
async fn keys_of_unknown_clients_authenticate_no_client() {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    const PKCS8: [u8; 16] = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];
    let seed = URL_SAFE_NO_PAD.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A");
    let key = [&PKCS8[..], &seed.unwrap()].concat();
    let key = SigningKey::from_pkcs8(Algorithm::EdDsa, &key).unwrap();
    let nobodys = tollgate_tokens::jwk::usable(assertion::NOBODYS_KEYS.as_bytes()).unwrap();
    let algorithms = nobodys.iter().map(|it| it.key.algorithm());
    assert!(algorithms.eq([
        Algorithm::Es256,
        Algorithm::EdDsa,
        Algorithm::Rs256,
        Algorithm::Ps256
    ]));
    assert_eq!(&nobodys[1].key, key.public());

    let house = House::new().await;
    let client = house.signing_client(Algorithm::EdDsa).await;
    let mut claims = client.claims(&house);
    for id in [client.id.to_string(), "cli_00000000001".to_owned()] {
        claims["iss"] = json!(id);
        claims["sub"] = json!(id);
        let forged = sign(&key, "its-key", "JWT", &claims);
        let answer = ask(&house, &[], &assertion(&forged)).await;
        assert_eq!(answer.error(), "invalid_client", "{id}");
    }
}

#[tokio::test]
async fn of_one_assertion_sent_concurrently_one_is_accepted() {
    let house = House::new().await;
    house.server.begin().await.unwrap();
    let client = house.signing_client(Algorithm::Es256).await;
    let proof = client.assertion(&client.claims(&house));
    let [a, b, c, d] = [(); 4].map(|()| ask(&house, &[], &proof));
    let answers = tokio::join!(a, b, c, d);
    let answers = [answers.0, answers.1, answers.2, answers.3];
    let taken = answers.iter().filter(|answer| answer.error().is_empty());
    assert_eq!(taken.count(), 1);
}

#[tokio::test]
async fn a_full_memory_of_assertions_gives_503_until_one_expires() {
    let house = House::new().await;
    let client = house.signing_client(Algorithm::Es256).await;
    let other = house.signing_client(Algorithm::Es256).await;
    let replay = &house.server.assertions.replay;
    let mut taken = 0_u64;
    loop {
        let mut digest = NO_DIGEST;
        digest[..8].copy_from_slice(&taken.to_be_bytes());
        let until_us = NOW_US + 60 * SECOND_US;
        if replay
            .first_time(client.id, digest, until_us, NOW_US)
            .is_err()
        {
            break;
        }
        taken += 1;
    }
    let proof = client.assertion(&client.claims(&house));
    let answer = ask(&house, &[], &proof).await;
    assert_eq!(answer.error(), "temporarily_unavailable");
    assert!(!answer.header("retry-after").is_empty());
    let proof = other.assertion(&other.claims(&house));
    assert_eq!(ask(&house, &[], &proof).await.error(), "", "another client");
    house.wait(60 * SECOND_US);
    let proof = client.assertion(&client.claims(&house));
    assert_eq!(ask(&house, &[], &proof).await.error(), "");
}

/// An assertion is accepted by every endpoint.
#[tokio::test]
async fn every_endpoint_for_clients_accepts_every_authentication() {
    let house = House::new().await;
    let signing = house.signing_client(Algorithm::EdDsa).await;
    let secretive = house.client(JWT).await;
    for path in ["/oauth2/revoke", "/oauth2/introspect"] {
        let proof = signing.assertion(&signing.claims(&house));
        let named = format!("&client_id={}", secretive.id);
        let in_body = format!("{named}&client_secret={}", secretive.secret);
        for proof in [proof, in_body] {
            let answer = house.post(path, &[], &format!("token=x{proof}")).await;
            assert_eq!(answer.error(), "");
        }
        assert_eq!(house.call(path, &secretive, "token=x").await.error(), "");
    }
}

#[tokio::test]
async fn a_used_assertion_stays_used_after_a_restart() {
    let house = House::new().await;
    let client = house.signing_client(Algorithm::EdDsa).await;
    let proof = client.assertion(&client.claims(&house));
    assert_eq!(ask(&house, &[], &proof).await.error(), "");
    let house = house.restarted();
    assert_eq!(ask(&house, &[], &proof).await.error(), "invalid_client");
    let next = client.assertion(&client.claims(&house));
    assert_eq!(ask(&house, &[], &next).await.error(), "");
    house.server.turn().await.unwrap();
    let is_kept = async |now_us| {
        let expired = tollgate_store::assertions::has_expired(&house.store, now_us);
        expired.await.unwrap()
    };
    assert!(is_kept(i64::MAX).await);
    house.wait(120 * SECOND_US);
    house.server.turn().await.unwrap();
    assert!(!is_kept(i64::MAX).await);
}
