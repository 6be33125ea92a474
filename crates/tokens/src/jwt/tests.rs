use std::sync::LazyLock;

use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P256_SHA256_FIXED, EcdsaKeyPair, ParsedPublicKey,
    RSA_PKCS1_2048_8192_SHA256, VerificationAlgorithm,
};
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::Value;
use tollgate_model::algorithm::Algorithm;

use super::*;
use crate::jwk;

const SECOND_US: i64 = 1_000_000;
const NOW: i64 = 1_800_000_000;
const LEEWAY: i64 = 30;
const ISSUER: &str = "https://control.example";
const AUDIENCE: &str = "https://gateway.example";
const KID: &str = "k1";

static KEY: LazyLock<SigningKey> = LazyLock::new(|| made(Algorithm::Es256));
static RSA: LazyLock<SigningKey> = LazyLock::new(|| made(Algorithm::Rs256));
static AUDIENCES: LazyLock<Vec<String>> =
    LazyLock::new(|| vec!["https://other.example".into(), AUDIENCE.into()]);

fn made(algorithm: Algorithm) -> SigningKey {
    SigningKey::generate(algorithm).expect("a key")
}

fn verifier(key: &SigningKey) -> Verifier {
    Verifier::new(key.public()).expect("a valid key")
}

fn access_token() -> Value {
    json!({
        "iss": ISSUER, "aud": AUDIENCE, "exp": NOW + 900, "iat": NOW, "jti": "t1",
        "sub": "cli_00000000001", "client_id": "cli_00000000001", "scope": "read write",
    })
}

/// Returns a copy with these members replaced; null removes one.
fn with(claims: &Value, members: &Value) -> Value {
    let mut claims = claims.clone();
    for (name, value) in members.as_object().expect("an object") {
        match value {
            Value::Null => drop(claims.as_object_mut().expect("an object").remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims
}

fn expected(kind: Kind<'static>) -> Expected<'static> {
    Expected {
        kind,
        issuer: ISSUER,
        audiences: &AUDIENCES,
        now_us: NOW * SECOND_US,
        leeway_us: LEEWAY * SECOND_US,
        lifetime_us_max: None,
    }
}

/// Takes a token through all steps: `Ok` if it is accepted.
fn check(token: &str, expected: &Expected<'_>, key: &Verifier) -> Result<(), Invalid> {
    let mut space = Vec::new();
    let token = Unverified::parse(token.as_bytes(), &mut space)?;
    token.check(expected)?.verify(key).map(drop)
}

fn check_ours(token: &str) -> Result<(), Invalid> {
    check(token, &expected(Kind::AccessToken), &verifier(&KEY))
}

/// Checks an access token of ours with these claims changed.
fn check_with(members: &Value) -> Result<(), Invalid> {
    let claims = with(&access_token(), members);
    check_ours(&sign(&KEY, KID, "at+jwt", &claims))
}

/// Creates a correctly signed token with these texts as header and claims.
fn signed(header: &str, claims: &str) -> String {
    signed_by(&KEY, header, claims)
}

fn signed_by(key: &SigningKey, header: &str, claims: &str) -> String {
    let input = format!("{}.{}", encoded(header), encoded(claims));
    let signature = key.sign(input.as_bytes());
    format!("{input}.{}", encoded(signature))
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

const HEADER: &str = r#"{"alg":"ES256","typ":"at+jwt","kid":"k1"}"#;

#[test]
fn a_token_of_each_algorithm_is_accepted_and_has_its_claims() {
    for algorithm in Algorithm::ALL {
        let key = made(algorithm);
        let token = sign(&key, KID, "at+jwt", &access_token());
        let mut space = Vec::new();
        let token = Unverified::parse(token.as_bytes(), &mut space)
            .ok()
            .unwrap();
        let header = token.header();
        assert_eq!((header.algorithm(), header.kid()), (algorithm, Some(KID)));
        let checked = token.check(&expected(Kind::AccessToken)).ok().unwrap();
        let verified = checked.verify(&verifier(&key)).ok().unwrap();
        let claims = verified.claims();
        assert_eq!(verified.header().typ(), Some("at+jwt"));
        assert_eq!(claims.issuer(), Some(ISSUER));
        assert_eq!(claims.subject(), Some("cli_00000000001"));
        assert_eq!(claims.client_id(), claims.subject());
        assert_eq!(claims.token_id(), Some("t1"));
        assert_eq!(claims.expires_us(), Some((NOW + 900) * SECOND_US));
        assert_eq!(claims.issued_us(), Some(NOW * SECOND_US));
        assert_eq!(claims.not_before_us(), None);
        assert!(claims.audiences().eq([AUDIENCE]));
        assert!(claims.scopes().eq(["read", "write"]));
    }
}

#[test]
fn claims_of_other_issuers_can_be_read() {
    let claims = r#"{"azp":"c\u0031","scp":["a","b"],"roles":"x  y","n":1,"l":["a",1],
        "aud":["one","tw\u006f"]}"#;
    let claims = Claims::parse(claims.as_bytes()).ok().unwrap();
    assert_eq!(claims.text("azp"), Some("c1"));
    assert_eq!(claims.words("scp"), ["a", "b"]);
    assert_eq!(claims.words("roles"), ["x", "y"]);
    for none in ["n", "l", "absent"] {
        assert!(claims.words(none).is_empty() && claims.text(none).is_none());
    }
    assert!(claims.audiences().eq(["one", "two"]));
}

// Rule 1: the algorithm belongs to the key.

#[test]
fn the_algorithm_of_the_header_must_be_that_of_the_key() {
    let pss = SigningKey::from_pkcs8(Algorithm::Ps256, RSA.pkcs8().as_ref()).unwrap();
    let expected = expected(Kind::AccessToken);
    for (signer, key) in [(&*RSA, &pss), (&pss, &RSA), (&KEY, &RSA), (&RSA, &KEY)] {
        let token = sign(signer, KID, "at+jwt", &access_token());
        assert_eq!(check(&token, &expected, &verifier(signer)), Ok(()));
        let judged = check(&token, &expected, &verifier(key));
        assert_eq!(judged, Err(Invalid::OtherAlgorithm));
    }
}

#[test]
fn algorithm_confusion_with_the_public_key_as_hmac_secret_is_refused() {
    for key in [&*KEY, &*RSA] {
        let public = key.public();
        let primitive: &'static dyn VerificationAlgorithm = match key.algorithm() {
            Algorithm::Es256 => &ECDSA_P256_SHA256_FIXED,
            _ => &RSA_PKCS1_2048_8192_SHA256,
        };
        let der = ParsedPublicKey::new(primitive, public.bytes())
            .unwrap()
            .as_der()
            .unwrap();
        let body = STANDARD.encode(der.as_ref());
        let pem = format!("-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n");
        let jwk = public.jwk(KID).to_string();
        let secrets = [pem.as_bytes(), der.as_ref(), jwk.as_bytes(), public.bytes()];
        for (secret, word) in secrets.iter().flat_map(|secret| {
            ["HS256", "hs256", "HS512", key.algorithm().word()].map(|word| (secret, word))
        }) {
            let header = format!(r#"{{"alg":"{word}","typ":"at+jwt","kid":"{KID}"}}"#);
            let input = format!(
                "{}.{}",
                encoded(header),
                encoded(access_token().to_string())
            );
            let secret = hmac::Key::new(hmac::HMAC_SHA256, secret);
            let tag = hmac::sign(&secret, input.as_bytes());
            let token = format!("{input}.{}", encoded(tag.as_ref()));
            let judged = check(&token, &expected(Kind::AccessToken), &verifier(key));
            let refusal = match word == key.algorithm().word() {
                true => Invalid::Signature,
                false => Invalid::Algorithm,
            };
            assert_eq!(judged, Err(refusal), "{word}");
        }
    }
}

// Rule 2: `none` and HS* are no algorithms of keys.

#[test]
fn none_in_any_case_is_refused_with_and_without_a_signature() {
    for word in [
        "none",
        "None",
        "NONE",
        "nOnE",
        "none ",
        "",
        "ES256\\u0000",
        "es256",
        "ES384",
    ] {
        let header = format!(r#"{{"alg":"{word}","typ":"at+jwt","kid":"k1"}}"#);
        let token = signed(&header, &access_token().to_string());
        assert_eq!(check_ours(&token), Err(Invalid::Algorithm), "{word}");
        let (unsigned, _) = token.rsplit_once('.').unwrap();
        assert_eq!(check_ours(&format!("{unsigned}.")), Err(Invalid::Algorithm));
        assert_eq!(check_ours(unsigned), Err(Invalid::Parts));
    }
    for header in [
        r#"{"typ":"at+jwt"}"#,
        r#"{"alg":null}"#,
        r#"{"alg":["ES256"]}"#,
        "{}",
    ] {
        let token = signed(header, &access_token().to_string());
        assert_eq!(check_ours(&token), Err(Invalid::Algorithm), "{header}");
    }
}

#[test]
fn a_token_without_its_signature_is_refused() {
    let token = sign(&KEY, KID, "at+jwt", &access_token());
    let (unsigned, _) = token.rsplit_once('.').unwrap();
    assert_eq!(check_ours(&format!("{unsigned}.")), Err(Invalid::Signature));
    // A signature in DER, as in certificates, is not valid in JWS (RFC 7518, section 3.4).
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, KEY.pkcs8().as_ref());
    let der = pair
        .unwrap()
        .sign(&SystemRandom::new(), unsigned.as_bytes());
    let token = format!("{unsigned}.{}", encoded(der.unwrap()));
    assert_eq!(check_ours(&token), Err(Invalid::Signature));
    // CVE-2022-21449: r and s of zero are accepted for every message by broken verifiers.
    let zeros = encoded([0; 64]);
    assert_eq!(
        check_ours(&format!("{unsigned}.{zeros}")),
        Err(Invalid::Signature)
    );
}

// Rule 3: a token does not bring its own key.

#[test]
fn a_foreign_kid_and_keys_in_the_header_do_not_help_a_foreign_signer() {
    let stranger = made(Algorithm::Es256);
    let jwk = stranger.public().jwk(KID);
    for members in [
        json!({ "kid": KID }),
        json!({ "kid": "../../dev/null" }),
        json!({ "jwk": jwk }),
        json!({ "jku": "https://evil.example/keys" }),
        json!({ "x5u": "https://evil.example/chain" }),
        json!({ "x5c": ["MIIB"] }),
    ] {
        let header = with(&json!({ "alg": "ES256", "typ": "at+jwt" }), &members).to_string();
        let claims = access_token().to_string();
        let token = signed_by(&stranger, &header, &claims);
        assert_eq!(check_ours(&token), Err(Invalid::Signature), "{header}");
        assert_eq!(check_ours(&signed(&header, &claims)), Ok(()), "ignored");
    }
}

#[test]
fn a_header_with_a_kid_or_typ_that_is_not_a_string_is_refused() {
    for (header, name) in [
        (r#"{"alg":"ES256","typ":"at+jwt","kid":1}"#, "kid"),
        (r#"{"alg":"ES256","typ":"at+jwt","kid":null}"#, "kid"),
        (r#"{"alg":"ES256","typ":["at+jwt"]}"#, "typ"),
    ] {
        let token = signed(header, &access_token().to_string());
        assert_eq!(check_ours(&token), Err(Invalid::Header(name)));
    }
}

// Rule 4: extensions.

#[test]
fn crit_is_refused_with_any_list() {
    for crit in [r#"["exp"]"#, r#"["b64"]"#, "[]", "null", "\"b64\""] {
        let header = format!(r#"{{"alg":"ES256","typ":"at+jwt","b64":false,"crit":{crit}}}"#);
        let token = signed(&header, &access_token().to_string());
        assert_eq!(check_ours(&token), Err(Invalid::Critical), "{crit}");
    }
}

// Rule 5: claims and their types.

#[test]
fn a_time_that_is_negative_or_not_finite_is_refused_and_never_counts_as_absent() {
    let claims = access_token().to_string();
    for name in ["exp", "nbf", "iat"] {
        for value in [
            "\"1800000900\"",
            "\"\"",
            "-1",
            "-0",
            "-1800000900.5",
            "1e400",
            "-1e400",
            "null",
            "true",
            "[1800000900]",
            "{}",
            &"9".repeat(400),
        ] {
            let own = format!("\"{name}\":");
            let rest = claims.replace(&own, "\"x\":");
            let token = signed(HEADER, &format!("{{{own}{value},{}", &rest[1..]));
            assert_eq!(
                check_ours(&token),
                Err(Invalid::Claim(name)),
                "{name} {value}"
            );
        }
        for value in ["NaN", "Infinity", "0x7fffffff", "1_800_000_900", "+1", "01"] {
            let token = signed(HEADER, &format!("{{\"{name}\":{value}}}"));
            assert_eq!(check_ours(&token), Err(Invalid::Json), "{name} {value}");
        }
    }
}

#[test]
fn claims_of_another_type_are_refused() {
    for (name, value) in [
        ("iss", json!(["https://control.example"])),
        ("sub", json!(1)),
        ("jti", json!(7)),
        ("client_id", json!({})),
        ("scope", json!(["read"])),
        ("aud", json!([])),
        ("aud", json!([AUDIENCE, 1])),
        ("aud", json!({ "a": AUDIENCE })),
        ("aud", json!(1)),
        ("aud", json!(true)),
    ] {
        let claims = with(&access_token(), &json!({ name: value }));
        let judged = check_ours(&sign(&KEY, KID, "at+jwt", &claims));
        assert_eq!(judged, Err(Invalid::Claim(name)), "{claims}");
    }
    for name in ["iss", "sub", "aud", "jti", "client_id", "scope"] {
        let rest = access_token()
            .to_string()
            .replace(&format!("\"{name}\":"), "\"x\":");
        let token = signed(HEADER, &format!("{{\"{name}\":null,{}", &rest[1..]));
        assert_eq!(
            check_ours(&token),
            Err(Invalid::Claim(name)),
            "null is a value"
        );
    }
}

#[test]
fn a_token_that_lacks_a_claim_is_refused() {
    for name in ["iss", "aud", "exp", "sub", "client_id", "iat", "jti"] {
        let judged = check_with(&json!({ name: null }));
        assert_eq!(judged, Err(Invalid::Missing(name)));
    }
    assert_eq!(check_with(&json!({ "scope": null })), Ok(()));
}

#[test]
fn times_are_checked_to_the_microsecond_with_the_leeway() {
    let end = NOW - LEEWAY;
    assert_eq!(check_with(&json!({ "exp": end })), Err(Invalid::Expired));
    assert_eq!(check_with(&json!({ "exp": 0 })), Err(Invalid::Expired));
    let soon = f64::from(i32::try_from(end).unwrap()) + 0.001;
    assert_eq!(check_with(&json!({ "exp": soon })), Ok(()));
    assert_eq!(check_with(&json!({ "exp": 1e300 })), Ok(()));
    assert_eq!(check_with(&json!({ "exp": u64::MAX })), Ok(()));

    let latest = NOW + LEEWAY;
    assert_eq!(check_with(&json!({ "nbf": latest, "iat": latest })), Ok(()));
    assert_eq!(
        check_with(&json!({ "nbf": latest + 1 })),
        Err(Invalid::NotYetValid)
    );
    assert_eq!(
        check_with(&json!({ "nbf": 1e300 })),
        Err(Invalid::NotYetValid)
    );
    // A clock that was set back invalidates no token that was issued before.
    assert_eq!(check_with(&json!({ "iat": NOW + 600 })), Ok(()));
    assert_eq!(check_with(&json!({ "iat": 0, "nbf": 0 })), Ok(()));
}

// Rule 6: type, issuer and audience of a token.

#[test]
fn an_id_token_is_not_an_access_token() {
    for typ in [
        "JWT",
        "jwt",
        "at",
        "at+jwt ",
        "text/at+jwt",
        "application/x/at+jwt",
        "",
    ] {
        let judged = check_ours(&sign(&KEY, KID, typ, &access_token()));
        assert_eq!(judged, Err(Invalid::Type), "{typ}");
    }
    let untyped = signed(r#"{"alg":"ES256","kid":"k1"}"#, &access_token().to_string());
    assert_eq!(check_ours(&untyped), Err(Invalid::Type));
    for typ in [
        "at+jwt",
        "AT+JWT",
        "application/at+jwt",
        "Application/At+Jwt",
    ] {
        assert_eq!(
            check_ours(&sign(&KEY, KID, typ, &access_token())),
            Ok(()),
            "{typ}"
        );
    }
}

#[test]
fn a_proof_of_a_trial_is_no_access_token_and_no_assertion() {
    let proof = json!({
        "iss": ISSUER, "sub": "app_1", "aud": AUDIENCE, "exp": NOW + 900, "iat": NOW,
    });
    let check_as = |typ: &str, members: &Value, kind: Kind<'static>| {
        let token = sign(&KEY, KID, typ, &with(&proof, members));
        check(&token, &expected(kind), &verifier(&KEY))
    };
    let rows = [
        (TRIAL, json!({}), Kind::Trial, Ok(())),
        (TRIAL, json!({}), Kind::AccessToken, Err(Invalid::Type)),
        (TRIAL, json!({}), Kind::ClientAssertion, Err(Invalid::Type)),
        ("at+jwt", json!({}), Kind::Trial, Err(Invalid::Type)),
        (
            TRIAL,
            json!({ "sub": null }),
            Kind::Trial,
            Err(Invalid::Missing("sub")),
        ),
        (
            TRIAL,
            json!({ "exp": NOW - LEEWAY }),
            Kind::Trial,
            Err(Invalid::Expired),
        ),
    ];
    for (typ, members, kind, outcome) in rows {
        assert_eq!(check_as(typ, &members, kind), outcome, "{typ} {kind:?}");
    }
}

#[test]
fn a_token_of_another_issuer_or_for_another_audience_is_refused() {
    for issuer in [
        "https://control.example/",
        "https://CONTROL.example",
        "",
        "https://evil",
    ] {
        assert_eq!(check_with(&json!({ "iss": issuer })), Err(Invalid::Issuer));
    }
    for audience in [
        json!("https://gateway.example/orders"),
        json!(""),
        json!(["a", "b"]),
    ] {
        assert_eq!(
            check_with(&json!({ "aud": audience })),
            Err(Invalid::Audience)
        );
    }
    assert_eq!(check_with(&json!({ "aud": ["a", AUDIENCE] })), Ok(()));
}

#[test]
fn an_assertion_has_no_other_audience() {
    let client = "cli_00000000001";
    let check = |aud: Value| {
        let claims = with(&access_token(), &json!({ "iss": client, "aud": aud }));
        let expected = Expected {
            issuer: client,
            ..expected(Kind::ClientAssertion)
        };
        check(&sign(&KEY, KID, "JWT", &claims), &expected, &verifier(&KEY))
    };
    for aud in [
        json!(AUDIENCE),
        json!([AUDIENCE]),
        json!([AUDIENCE, AUDIENCE]),
    ] {
        assert_eq!(check(aud), Ok(()));
    }
    for aud in [json!(["a", AUDIENCE]), json!([AUDIENCE, ""])] {
        assert_eq!(check(aud), Err(Invalid::OtherAudience));
    }
    assert_eq!(check(json!(["a", "b"])), Err(Invalid::Audience));
}

#[test]
fn a_token_of_another_issuer_has_the_configured_types() {
    static TYPES: LazyLock<Vec<String>> = LazyLock::new(|| vec!["JWT".into()]);
    let claims = json!({ "iss": ISSUER, "aud": AUDIENCE, "exp": NOW + 1 });
    let untyped = signed(r#"{"alg":"ES256"}"#, &claims.to_string());
    for is_untyped_taken in [true, false] {
        let kind = Kind::Foreign {
            types: &TYPES,
            is_untyped_taken,
        };
        let check = |token: &str| check(token, &expected(kind), &verifier(&KEY));
        assert_eq!(check(&sign(&KEY, KID, "jwt", &claims)), Ok(()));
        assert_eq!(
            check(&sign(&KEY, KID, "at+jwt", &claims)),
            Err(Invalid::Type)
        );
        let refused = (!is_untyped_taken).then_some(Invalid::Type);
        assert_eq!(check(&untyped).err(), refused);
    }
}

#[test]
fn an_assertion_of_a_client_is_about_itself_and_short() {
    let client = "cli_00000000001";
    let expected = Expected {
        issuer: client,
        lifetime_us_max: Some(300 * SECOND_US),
        ..expected(Kind::ClientAssertion)
    };
    let assertion = json!({ "iss": client, "sub": client, "aud": AUDIENCE, "exp": NOW + 300 });
    let check_as = |typ: &str, members: &Value| {
        let token = sign(&KEY, KID, typ, &with(&assertion, members));
        check(&token, &expected, &verifier(&KEY))
    };
    for typ in ["JWT", "jwt", "client-authentication+jwt"] {
        assert_eq!(check_as(typ, &json!({})), Ok(()), "{typ}");
    }
    let untyped = signed(r#"{"alg":"ES256"}"#, &assertion.to_string());
    assert_eq!(check(&untyped, &expected, &verifier(&KEY)), Ok(()));
    assert_eq!(check_as("at+jwt", &json!({})), Err(Invalid::Type));
    assert_eq!(
        check_as("JWT", &json!({ "sub": "cli_2" })),
        Err(Invalid::Subject)
    );
    assert_eq!(check_as("JWT", &json!({ "iat": NOW + LEEWAY })), Ok(()));
    assert_eq!(
        check_as("JWT", &json!({ "iat": NOW + LEEWAY + 1 })),
        Err(Invalid::IssuedInFuture)
    );
    assert_eq!(
        check_as("JWT", &json!({ "sub": null })),
        Err(Invalid::Missing("sub"))
    );
    assert_eq!(
        check_as("JWT", &json!({ "iss": "cli_2" })),
        Err(Invalid::Issuer)
    );
    assert_eq!(
        check_as("JWT", &json!({ "exp": NOW + 330 })),
        Ok(()),
        "the leeway"
    );
    assert_eq!(
        check_as("JWT", &json!({ "exp": NOW + 331 })),
        Err(Invalid::Lifetime)
    );
}

// Rule 7: the form.

#[test]
fn a_token_of_16_kib_is_read_and_one_byte_more_is_refused() {
    let of = |bytes: usize| {
        let claims = json!({ "x": "x".repeat(bytes) });
        sign(&KEY, KID, "at+jwt", &with(&access_token(), &claims))
    };
    let (shortest, longest) = (of(0).len(), TOKEN_BYTES_MAX - 3);
    let mut token = of((longest - shortest) / 4 * 3);
    assert!(
        (16_370..=TOKEN_BYTES_MAX).contains(&token.len()),
        "{}",
        token.len()
    );
    assert_eq!(check_ours(&token), Ok(()));
    token.extend(std::iter::repeat_n('A', TOKEN_BYTES_MAX - token.len()));
    assert_ne!(check_ours(&token), Err(Invalid::TooLong));
    token.push('A');
    assert_eq!(check_ours(&token), Err(Invalid::TooLong));
}

#[test]
fn only_three_parts_of_strict_base64url_are_read() {
    let token = sign(&KEY, KID, "at+jwt", &access_token());
    let parts: Vec<&str> = token.split('.').collect();
    let [header, claims, signature] = parts[..] else {
        panic!("{token}");
    };
    for other in [
        "",
        ".",
        header,
        &format!("{header}.{claims}"),
        &format!("{token}."),
        &format!(".{token}"),
        &format!("{header}.{claims}.{signature}.{signature}.{signature}"),
    ] {
        assert_eq!(check_ours(other), Err(Invalid::Parts), "{other}");
    }
    // A signature of 64 bytes ends with a digit in which four bits are unused.
    let last = signature.chars().last().unwrap();
    let trailing = char::from(last as u8 + 1);
    let short = &signature[..signature.len() - 1];
    for broken in [
        format!("{header}=.{claims}.{signature}"),
        format!("{header}.{claims}.{signature}=="),
        format!("{header}.{claims}.{short}{trailing}"),
        format!("{header}.{claims}.{short}"),
        format!("{header}.{claims}.{signature}\n"),
        format!(" {header}.{claims}.{signature}"),
        format!("{header}.{claims} .{signature}"),
        format!("{header}.{claims}.{short}+"),
        format!("{header}.{claims}.{short}/"),
        format!("{header}.{claims}.{short}\u{fc}"),
    ] {
        assert_eq!(check_ours(&broken), Err(Invalid::Base64), "{broken}");
    }
}

#[test]
fn duplicate_members_are_refused_in_header_and_claims_at_any_depth() {
    let claims = access_token().to_string();
    let twice = [
        r#"{"alg":"none","alg":"ES256","typ":"at+jwt"}"#,
        r#"{"alg":"ES256","typ":"at+jwt","\u0061lg":"ES256"}"#,
        r#"{"alg":"ES256","typ":"at+jwt","x":{"a":1,"a":1}}"#,
    ];
    for header in twice {
        assert_eq!(
            check_ours(&signed(header, &claims)),
            Err(Invalid::Duplicate),
            "{header}"
        );
    }
    for member in [
        r#""exp":1"#,
        r#""\u0073ub":"x""#,
        r#""x":[{"a":{"b":1,"b":2}}]"#,
    ] {
        let claims = format!("{{{member},{}", &claims[1..]);
        assert_eq!(
            check_ours(&signed(HEADER, &claims)),
            Err(Invalid::Duplicate),
            "{member}"
        );
    }
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(16), "]".repeat(16));
    assert_eq!(check_ours(&signed(HEADER, &deep)), Err(Invalid::Depth));
    for other in ["[]", "", "null", "\"x\"", "{}{}", "{'sub':1}"] {
        assert_eq!(
            check_ours(&signed(HEADER, other)),
            Err(Invalid::Json),
            "{other}"
        );
        assert_eq!(
            check_ours(&signed(other, &claims)),
            Err(Invalid::Json),
            "{other}"
        );
    }
}

#[test]
fn the_form_of_a_token_is_checked_with_four_allocations() {
    let token = sign(&KEY, KID, "at+jwt", &access_token());
    let expected = expected(Kind::AccessToken);
    let mut space = Vec::with_capacity(token.len());
    let measured = allocation_counter::measure(|| {
        let token = Unverified::parse(token.as_bytes(), &mut space)
            .ok()
            .unwrap();
        assert!(token.check(&expected).is_ok());
    });
    assert!(measured.count_total <= 4, "{measured:?}");
}

// Rule 8: a token is cached by all its bytes.

#[test]
fn the_digest_is_of_the_whole_token() {
    let token = sign(&KEY, KID, "at+jwt", &access_token());
    let again = sign(&KEY, KID, "at+jwt", &access_token());
    assert_ne!(
        digest(token.as_bytes()),
        digest(again.as_bytes()),
        "another signature"
    );
    assert_eq!(digest(token.as_bytes()), digest(token.clone().as_bytes()));
}

// The examples of the specifications.

/// RFC 7515, appendix A: the claims of A.2 and A.3.
const PAYLOAD: &str = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9p\
    c19yb290Ijp0cnVlfQ";

fn is_good(jwk: &str, token: &str) {
    let set = format!("{{\"keys\":[{jwk}]}}");
    let keys = jwk::parse(set.as_bytes()).unwrap();
    let key = Verifier::new(&keys[0].key).unwrap();
    let mut space = Vec::new();
    let good = Compact::parse(token.as_bytes(), &mut space).ok().unwrap();
    assert_eq!(good.verify(&key), Ok(()));
    let changed = token.replacen(".e", ".f", 1).replacen(".R", ".S", 1);
    let mut space = Vec::new();
    let changed = Compact::parse(changed.as_bytes(), &mut space).ok().unwrap();
    assert_eq!(changed.verify(&key), Err(Invalid::Signature));
}

#[test]
fn the_rs256_example_of_rfc_7515_a_2_is_good() {
    let n = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1\
        Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSX\
        ndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5Ih\
        lJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    let signature = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm\
        4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnby\
        TyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC\
        -eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWk\
        WywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
    let jwk = format!(r#"{{"kty":"RSA","n":"{n}","e":"AQAB"}}"#);
    is_good(&jwk, &format!("eyJhbGciOiJSUzI1NiJ9.{PAYLOAD}.{signature}"));
}

#[test]
fn the_es256_example_of_rfc_7515_a_3_is_good() {
    let jwk = r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#;
    let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3\
        -Kg6NU1Q";
    is_good(jwk, &format!("eyJhbGciOiJFUzI1NiJ9.{PAYLOAD}.{signature}"));
}

#[test]
fn the_eddsa_example_of_rfc_8037_a_4_is_good() {
    let jwk = r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    let token = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPO\
        t7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    is_good(jwk, token);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn signed_tokens_read_back(
        kid in "\\PC{0,20}",
        (subject, scope) in ("\\PC{0,40}", "[ -~]{0,40}"),
        list in proptest::collection::vec("[a-z\"\\\\\u{0}-\u{1f}]{0,8}", 0..4),
        life in 1_u32..,
    ) {
        let audiences: Vec<&str> = list.iter().map(AsRef::as_ref).chain([AUDIENCE]).collect();
        let claims = with(&access_token(), &json!({
            "sub": subject, "scope": scope, "aud": audiences, "exp": NOW + i64::from(life),
        }));
        let token = sign(&KEY, &kid, "at+jwt", &claims);
        let mut space = b"left of another".to_vec();
        let token = Unverified::parse(token.as_bytes(), &mut space).expect("its form");
        prop_assert_eq!(token.header().kid(), Some(&kid[..]));
        let checked = token.check(&expected(Kind::AccessToken)).expect("its claims");
        let verified = checked.verify(&verifier(&KEY)).expect("its signature");
        let read = verified.claims();
        prop_assert_eq!(read.subject(), Some(&subject[..]));
        prop_assert!(read.scopes().eq(scope.split(' ').filter(|word| !word.is_empty())));
        prop_assert!(read.audiences().eq(audiences));
        prop_assert_eq!(read.expires_us(), Some((NOW + i64::from(life)) * SECOND_US));
    }

    #[test]
    fn any_single_changed_byte_is_refused(
        place in any::<prop::sample::Index>(),
        to in any::<u8>(),
    ) {
        let mut token = sign(&KEY, KID, "at+jwt", &access_token()).into_bytes();
        let at = place.index(token.len());
        prop_assume!(token[at] != to);
        token[at] = to;
        let mut space = Vec::new();
        let judged = Unverified::parse(&token, &mut space)
            .and_then(|token| token.check(&expected(Kind::AccessToken)))
            .and_then(|token| token.verify(&verifier(&KEY)));
        prop_assert!(judged.is_err());
    }
}
