use serde_json::{Value as Json, json};

use super::*;
use crate::key::SigningKey;

fn public(algorithm: Algorithm) -> PublicKey {
    SigningKey::generate(algorithm).unwrap().public().clone()
}

fn read(keys: &[Json]) -> Result<Vec<Jwk>, Vec<Fault>> {
    parse(json!({ "keys": keys }).to_string().as_bytes())
}

/// Returns field and sentence of the only fault, for a key that is the second of its set.
fn fault(key: &Json) -> (String, String) {
    let good = public(Algorithm::EdDsa).jwk("good");
    let faults = read(&[good, key.clone()]).expect_err("a fault");
    let [fault] = faults.as_slice() else {
        panic!("{faults:?}");
    };
    assert!(fault.field.starts_with("/keys/1"), "{fault:?}");
    let detail = fault.detail.strip_prefix("key 2: ").expect("the place");
    (fault.code.clone(), detail.to_owned())
}

/// Returns a key with one member changed, or removed by `null`.
fn with(key: &Json, name: &str, value: Json) -> Json {
    let mut key = key.clone();
    match value {
        Json::Null => drop(key.as_object_mut().unwrap().remove(name)),
        value => key[name] = value,
    }
    key
}

#[test]
fn keys_of_all_algorithms_are_read_as_they_are_shown() {
    let keys: Vec<_> = Algorithm::ALL.map(public).into();
    let shown: Vec<_> = keys
        .iter()
        .map(|key| key.jwk(key.algorithm().word()))
        .collect();
    let read = read(&shown).unwrap();
    for (key, jwk) in keys.iter().zip(&read) {
        assert_eq!(&jwk.key, key);
        assert_eq!(jwk.kid.as_deref(), Some(key.algorithm().word()));
    }
}

#[test]
fn optional_members_of_a_key_can_be_absent() {
    let bare = |algorithm| {
        let key = public(algorithm).jwk("k");
        ["alg", "use", "kid"]
            .iter()
            .fold(key, |key, name| with(&key, name, Json::Null))
    };
    let ops = with(
        &bare(Algorithm::Ps256),
        "key_ops",
        json!(["sign", "verify"]),
    );
    let keys = [
        bare(Algorithm::Es256),
        bare(Algorithm::EdDsa),
        bare(Algorithm::Ps256),
        ops,
    ];
    let read: Vec<_> = keys
        .chunks(UNNAMED_MAX)
        .flat_map(|keys| read(keys).unwrap())
        .collect();
    let algorithms: Vec<_> = read.iter().map(|jwk| jwk.key.algorithm()).collect();
    assert_eq!(algorithms[..2], [Algorithm::Es256, Algorithm::EdDsa]);
    assert_eq!(
        algorithms[2..],
        [Algorithm::Rs256; 2],
        "an RSA key without alg"
    );
    assert!(read.iter().all(|jwk| jwk.kid.is_none()));
}

#[test]
fn a_private_or_symmetric_key_is_refused_by_name() {
    let key = public(Algorithm::Es256).jwk("k");
    for member in PRIVATE {
        let (code, detail) = fault(&with(&key, member, json!("AQAB")));
        assert_eq!(code, "jwks.private");
        assert!(detail.starts_with("this is a private key: "), "{detail}");
        assert!(!detail.contains("AQAB"));
    }
    for symmetric in [json!({"kty": "oct", "k": "AQAB"}), json!({"kty": "oct"})] {
        let (code, detail) = fault(&symmetric);
        assert_eq!(code, "jwks.symmetric");
        assert!(detail.starts_with("this is a symmetric key: "), "{detail}");
    }
}

#[test]
fn a_key_for_another_purpose_is_refused() {
    let ec = public(Algorithm::Es256).jwk("k");
    let rsa = public(Algorithm::Rs256).jwk("k");
    for (key, name, value, said) in [
        (&ec, "use", json!("enc"), "use must be sig or absent"),
        (&ec, "use", json!(1), "use must be a string"),
        (&ec, "key_ops", json!(["encrypt"]), "key_ops must be"),
        (&ec, "key_ops", json!("verify"), "key_ops must be"),
        (&ec, "key_ops", json!(["verify", 1]), "key_ops must be"),
        (
            &ec,
            "alg",
            json!("ES384"),
            "alg of such a key must be ES256",
        ),
        (
            &ec,
            "alg",
            json!("HS256"),
            "alg of such a key must be ES256",
        ),
        (&ec, "alg", json!(256), "alg must be a string"),
        (
            &rsa,
            "alg",
            json!("RS512"),
            "alg of an RSA key must be RS256, PS256",
        ),
        (&rsa, "alg", json!("RSA-OAEP"), "alg of an RSA key must be"),
        (&ec, "kty", json!("RSA"), "alg of an RSA key"),
        (&ec, "kty", json!("AKP"), "kty must be EC, OKP or RSA"),
        (&ec, "kty", Json::Null, "kty must be EC, OKP or RSA"),
        (&ec, "kid", json!(1), "kid must be a string"),
        (&ec, "crv", json!("P-384"), "crv of an EC key must be P-256"),
        (&ec, "crv", Json::Null, "crv of an EC key must be P-256"),
    ] {
        let (code, detail) = fault(&with(key, name, value));
        assert_eq!(code, "jwks.key");
        assert!(detail.starts_with(said), "{detail}");
    }
}

/// RFC 9864, section 2.2.
#[test]
fn a_key_of_ed25519_has_either_name() {
    let key = public(Algorithm::EdDsa);
    for alg in ["EdDSA", "Ed25519"] {
        let jwk = with(&key.jwk("k"), "alg", json!(alg));
        assert_eq!(read(&[jwk]).unwrap()[0].key, key);
    }
    let other = with(&key.jwk("k"), "alg", json!("Ed448"));
    let said = "alg of such a key must be EdDSA, Ed25519 or absent";
    assert_eq!(fault(&other).1, said);
    let other = with(&public(Algorithm::Es256).jwk("k"), "alg", json!("Ed25519"));
    assert_eq!(fault(&other).1, "alg of such a key must be ES256 or absent");
}

#[test]
fn a_point_must_lie_on_its_curve() {
    let key = PublicKey::new(Algorithm::EdDsa, vec![2; 32])
        .unwrap()
        .jwk("k");
    assert!(fault(&key).1.starts_with("x is not a point of Ed25519"));
    let key = PublicKey::new(Algorithm::EdDsa, vec![0; 32])
        .unwrap()
        .jwk("k");
    assert!(
        fault(&key).1.starts_with("x is not a point of Ed25519"),
        "of small order"
    );
    let key = with(&key, "x", json!(URL_SAFE_NO_PAD.encode([1; 31])));
    assert!(
        fault(&key)
            .1
            .starts_with("x of an Ed25519 key must have 32 bytes")
    );

    let key = public(Algorithm::Es256).jwk("k");
    let swapped = with(&with(&key, "x", key["y"].clone()), "y", key["x"].clone());
    assert!(fault(&swapped).1.contains("not a point of the curve P-256"));
    let short = with(&key, "y", json!("AQAB"));
    assert!(
        fault(&short)
            .1
            .starts_with("x and y of a P-256 key must have 32 bytes each")
    );
    for broken in [
        json!(format!("{}=", key["y"].as_str().unwrap())),
        json!("+/"),
        json!(""),
    ] {
        assert!(
            fault(&with(&key, "y", broken))
                .1
                .starts_with("y must be bytes in base64url")
        );
    }
}

#[test]
fn an_rsa_key_has_bounds() {
    let key = public(Algorithm::Rs256).jwk("k");
    let number = |bytes: &[u8]| json!(URL_SAFE_NO_PAD.encode(bytes));
    let modulus = |bytes: usize| number(&vec![0xff; bytes]);
    for (name, value, said) in [
        ("n", modulus(255), "an RSA key must have 2048 to 8192 bits"),
        (
            "n",
            modulus(1_025),
            "an RSA key must have 2048 to 8192 bits",
        ),
        (
            "n",
            number(&[0xfe; 256]),
            "the modulus of an RSA key must be odd",
        ),
        (
            "n",
            number(&[&[0], &[0xff; 256][..]].concat()),
            "n must not have leading zero bytes",
        ),
        ("n", Json::Null, "n must be bytes in base64url"),
        (
            "e",
            number(&[1]),
            "the exponent of an RSA key must be an odd number from 3",
        ),
        (
            "e",
            number(&[4]),
            "the exponent of an RSA key must be an odd number from 3",
        ),
        (
            "e",
            number(&[1, 0, 0, 0, 1]),
            "the exponent of an RSA key must be an odd number",
        ),
        ("e", number(&[0, 3]), "e must not have leading zero bytes"),
    ] {
        let (_, detail) = fault(&with(&key, name, value));
        assert!(detail.starts_with(said), "{detail}");
    }
    assert!(read(&[with(&key, "e", number(&[3]))]).is_ok());
    assert!(read(&[with(&key, "e", number(&[0xff; 4]))]).is_ok());
    assert!(read(&[with(&key, "n", modulus(1_024))]).is_ok());
}

#[test]
fn an_rsa_key_of_a_broken_generator_is_refused() {
    // A power of 65537 is marked like such keys: 128 times itself shifted by two bytes and added.
    let mut modulus = vec![1_u8];
    for _ in 0..128 {
        let shifted = [&modulus[..], &[0, 0]].concat();
        modulus.splice(..0, [0, 0]);
        let mut carry = 0;
        for (byte, added) in modulus.iter_mut().zip(shifted).rev() {
            carry += u16::from(*byte) + u16::from(added);
            [_, *byte] = carry.to_be_bytes();
            carry >>= 8;
        }
    }
    let zeros = modulus.iter().take_while(|byte| **byte == 0).count();
    let modulus = URL_SAFE_NO_PAD.encode(&modulus[zeros..]);
    let key = json!({ "kty": "RSA", "n": modulus, "e": "AQAB" });
    assert!(fault(&key).1.contains("CVE-2017-15361"));
}

#[test]
fn all_faults_are_reported_at_once_and_a_kid_is_unique() {
    let [first, second] = [public(Algorithm::Es256), public(Algorithm::EdDsa)];
    let keys = [
        first.jwk("a"),
        json!(1),
        second.jwk("a"),
        json!({"kty": "oct"}),
    ];
    let faults = read(&keys).unwrap_err();
    let told: Vec<_> = faults
        .iter()
        .map(|it| (&it.field[..], &it.code[..]))
        .collect();
    assert_eq!(
        told,
        [
            ("/keys/1", "jwks.key"),
            ("/keys/2/kid", "jwks.key"),
            ("/keys/3", "jwks.symmetric"),
        ]
    );
    assert_eq!(
        faults[1].detail,
        "key 3: another key of the set has the same kid"
    );
}

#[test]
fn of_more_than_two_keys_each_needs_a_kid() {
    let named = public(Algorithm::Es256).jwk("a");
    let mut unnamed = public(Algorithm::Es256).jwk("b");
    unnamed.as_object_mut().unwrap().remove("kid");
    assert!(read(&[unnamed.clone(), named.clone()]).is_ok());
    let faults = read(&[unnamed, named, public(Algorithm::EdDsa).jwk("c")]).unwrap_err();
    assert_eq!((&*faults[0].field, faults.len()), ("/keys/0/kid", 1));
    assert_eq!(
        faults[0].detail,
        "key 1: with more than 2 keys each must have a kid"
    );
}

#[test]
fn anything_but_a_key_set_is_refused_as_a_whole() {
    let key = public(Algorithm::Es256).jwk("a");
    let numbered = |index: usize| public(Algorithm::Es256).jwk(&index.to_string());
    let many: Vec<_> = (0..=KEYS_MAX).map(numbered).collect();
    assert!(read(&many[1..]).is_ok());
    let padding = " ".repeat(SET_BYTES_MAX);
    for (set, said) in [
        (
            json!({ "keys": many }).to_string(),
            "a key set must have 1 to 20 keys",
        ),
        (
            json!({ "keys": [] }).to_string(),
            "a key set must have 1 to 20 keys",
        ),
        (
            json!({ "keys": key }).to_string(),
            "a key set must have the member keys, a list",
        ),
        (key.to_string(), "this is a single key: "),
        (
            "[]".into(),
            "this is not a key set: it is not a JSON object",
        ),
        (
            "{\"keys\":[}".into(),
            "this is not a key set: it is not JSON from byte 9 on",
        ),
        (
            format!("{{\"keys\":[]}}{padding}"),
            "a key set must have at most 65536 bytes",
        ),
        (
            r#"{"keys":[{"kty":"EC","kty":"EC"}]}"#.into(),
            "this is not a key set: the member \"kty\" occurs twice",
        ),
    ] {
        let faults = parse(set.as_bytes()).unwrap_err();
        assert_eq!(faults.len(), 1);
        assert!(faults[0].detail.starts_with(said), "{:?}", faults[0]);
    }
}

#[test]
fn unusable_keys_of_another_issuer_are_skipped() {
    let good = public(Algorithm::Rs256);
    let keys = [
        with(&good.jwk("enc"), "use", json!("enc")),
        json!({"kty": "EC", "crv": "P-384", "x": "AQAB", "y": "AQAB"}),
        good.jwk("sig"),
        json!(null),
    ];
    let set = json!({ "keys": keys }).to_string();
    let taken = usable(set.as_bytes()).unwrap();
    assert_eq!(
        taken,
        [Jwk {
            kid: Some("sig".into()),
            key: good
        }]
    );
    assert_eq!(usable(b"{\"keys\":[]}"), Ok(Vec::new()));
    assert!(usable(b"{}").is_err());
}
