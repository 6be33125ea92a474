use serde_json::{Value as Json, json};

use super::*;
use crate::key::SigningKey;

fn public(algorithm: Algorithm) -> PublicKey {
    SigningKey::generate(algorithm).unwrap().public().clone()
}

fn read(keys: &[Json]) -> Result<Vec<Jwk>, Vec<Fault>> {
    parse(json!({ "keys": keys }).to_string().as_bytes())
}

/// The sentence about the only fault of a key that is the second of its set.
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

/// A key with one member changed, or taken away by `null`.
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
fn what_a_key_may_leave_out_it_may() {
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
        "an RSA key that names none"
    );
    assert!(read.iter().all(|jwk| jwk.kid.is_none()));
}

#[test]
fn a_private_or_symmetric_key_is_told_by_name() {
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
fn a_key_that_is_for_something_else_is_refused() {
    let ec = public(Algorithm::Es256).jwk("k");
    let rsa = public(Algorithm::Rs256).jwk("k");
    for (key, name, value, said) in [
        (&ec, "use", json!("enc"), "use must be sig or absent"),
        (&ec, "use", json!(1), "use is a text"),
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
        (&ec, "alg", json!(256), "alg is a text"),
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
        (&ec, "kid", json!(1), "kid is a text"),
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
    assert!(fault(&key).1.starts_with("x is no point of Ed25519"));
    let key = PublicKey::new(Algorithm::EdDsa, vec![0; 32])
        .unwrap()
        .jwk("k");
    assert!(
        fault(&key).1.starts_with("x is no point of Ed25519"),
        "of small order"
    );
    let key = with(&key, "x", json!(URL_SAFE_NO_PAD.encode([1; 31])));
    assert!(
        fault(&key)
            .1
            .starts_with("x of an Ed25519 key has 32 bytes")
    );

    let key = public(Algorithm::Es256).jwk("k");
    let swapped = with(&with(&key, "x", key["y"].clone()), "y", key["x"].clone());
    assert!(fault(&swapped).1.contains("no point of the curve P-256"));
    let short = with(&key, "y", json!("AQAB"));
    assert!(
        fault(&short)
            .1
            .starts_with("x and y of a P-256 key have 32 bytes each")
    );
    for broken in [
        json!(format!("{}=", key["y"].as_str().unwrap())),
        json!("+/"),
        json!(""),
    ] {
        assert!(
            fault(&with(&key, "y", broken))
                .1
                .starts_with("y is bytes in base64url")
        );
    }
}

#[test]
fn an_rsa_key_has_bounds() {
    let key = public(Algorithm::Rs256).jwk("k");
    let number = |bytes: &[u8]| json!(URL_SAFE_NO_PAD.encode(bytes));
    let modulus = |bytes: usize| number(&vec![0xff; bytes]);
    for (name, value, said) in [
        ("n", modulus(255), "an RSA key has 2048 to 8192 bits"),
        ("n", modulus(1_025), "an RSA key has 2048 to 8192 bits"),
        (
            "n",
            number(&[0xfe; 256]),
            "the modulus of an RSA key is odd",
        ),
        (
            "n",
            number(&[&[0], &[0xff; 256][..]].concat()),
            "n has no zero bytes",
        ),
        ("n", Json::Null, "n is bytes in base64url"),
        (
            "e",
            number(&[1]),
            "the exponent of an RSA key is an odd number from 3",
        ),
        (
            "e",
            number(&[4]),
            "the exponent of an RSA key is an odd number from 3",
        ),
        (
            "e",
            number(&[1, 0, 0, 0, 1]),
            "the exponent of an RSA key is an odd number",
        ),
        ("e", number(&[0, 3]), "e has no zero bytes"),
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
    // A power of 65537 has the mark of such keys: 128 times itself shifted by two bytes and added.
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
fn all_faults_are_told_at_once_and_a_kid_is_there_once() {
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
fn of_more_than_two_keys_each_has_a_name() {
    let named = public(Algorithm::Es256).jwk("a");
    let mut unnamed = public(Algorithm::Es256).jwk("b");
    unnamed.as_object_mut().unwrap().remove("kid");
    assert!(read(&[unnamed.clone(), named.clone()]).is_ok());
    let faults = read(&[unnamed, named, public(Algorithm::EdDsa).jwk("c")]).unwrap_err();
    assert_eq!((&*faults[0].field, faults.len()), ("/keys/0/kid", 1));
    assert_eq!(
        faults[0].detail,
        "key 1: of more than 2 keys each has a kid"
    );
}

#[test]
fn what_is_no_key_set_is_refused_as_a_whole() {
    let key = public(Algorithm::Es256).jwk("a");
    let numbered = |index: usize| public(Algorithm::Es256).jwk(&index.to_string());
    let many: Vec<_> = (0..=KEYS_MAX).map(numbered).collect();
    assert!(read(&many[1..]).is_ok());
    let padding = " ".repeat(SET_BYTES_MAX);
    for (set, said) in [
        (
            json!({ "keys": many }).to_string(),
            "a key set has 1 to 20 keys",
        ),
        (
            json!({ "keys": [] }).to_string(),
            "a key set has 1 to 20 keys",
        ),
        (
            json!({ "keys": key }).to_string(),
            "a key set has the member keys, a list",
        ),
        (key.to_string(), "this is a single key: "),
        ("[]".into(), "this is no key set: it is not a JSON object"),
        (
            "{\"keys\":[}".into(),
            "this is no key set: it is not JSON from byte 9 on",
        ),
        (
            format!("{{\"keys\":[]}}{padding}"),
            "a key set has at most 65536 bytes",
        ),
        (
            r#"{"keys":[{"kty":"EC","kty":"EC"}]}"#.into(),
            "this is no key set: the member \"kty\" is there twice",
        ),
    ] {
        let faults = parse(set.as_bytes()).unwrap_err();
        assert_eq!(faults.len(), 1);
        assert!(faults[0].detail.starts_with(said), "{:?}", faults[0]);
    }
}

#[test]
fn keys_of_another_issuer_that_are_not_ours_to_use_are_passed_over() {
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
