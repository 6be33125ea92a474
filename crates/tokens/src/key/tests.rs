use proptest::prelude::*;

use super::*;

/// RFC 7638, section 3.1.
const RFC_7638_N: &str = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aP\
    FFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65\
    YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4\
    vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";

fn verifier(key: &SigningKey) -> Verifier {
    Verifier::new(key.public()).unwrap()
}

#[test]
fn a_key_of_each_algorithm_signs_verifiably_and_reads_back() {
    for algorithm in Algorithm::ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let (message, signature) = (b"message", key.sign(b"message"));
        let bytes = match algorithm {
            Algorithm::Es256 | Algorithm::EdDsa => 64,
            Algorithm::Rs256 | Algorithm::Ps256 => 256,
        };
        assert_eq!(signature.len(), bytes, "{algorithm:?}");
        assert!(verifier(&key).verify(message, &signature));
        assert!(!verifier(&key).verify(b"massage", &signature));
        assert!(!verifier(&key).verify(message, &signature[1..]));
        assert!(!verifier(&key).verify(message, &[]));
        assert!(!verifier(&SigningKey::generate(algorithm).unwrap()).verify(message, &signature));

        let again = SigningKey::from_pkcs8(algorithm, key.pkcs8().as_ref()).unwrap();
        assert_eq!(again.public(), key.public());
        assert!(verifier(&key).verify(message, &again.sign(message)));
    }
}

#[test]
fn a_private_key_works_with_its_algorithm_only() {
    let pkcs8 = SigningKey::generate(Algorithm::Es256).unwrap().pkcs8();
    for algorithm in [Algorithm::EdDsa, Algorithm::Rs256, Algorithm::Ps256] {
        let refused = SigningKey::from_pkcs8(algorithm, pkcs8.as_ref());
        assert_eq!(refused.err(), Some(NoKey::Private(algorithm)));
    }
    let refused = SigningKey::from_pkcs8(Algorithm::Es256, &pkcs8.as_ref()[1..]);
    assert_eq!(refused.err(), Some(NoKey::Private(Algorithm::Es256)));
}

#[test]
fn an_rsa_signature_with_the_other_padding_is_refused() {
    let key = SigningKey::generate(Algorithm::Rs256).unwrap();
    let other = SigningKey::from_pkcs8(Algorithm::Ps256, key.pkcs8().as_ref()).unwrap();
    assert_eq!(key.public().bytes(), other.public().bytes());
    assert_ne!(key.public(), other.public());
    assert!(!verifier(&key).verify(b"message", &other.sign(b"message")));
    assert!(!verifier(&other).verify(b"message", &key.sign(b"message")));
}

#[test]
fn a_public_key_survives_postcard_and_json() {
    for algorithm in Algorithm::ALL {
        let key = SigningKey::generate(algorithm).unwrap();
        let bytes = postcard::to_allocvec(key.public()).unwrap();
        let again: PublicKey = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(&again, key.public());
        let json = serde_json::to_string(key.public()).unwrap();
        let again: PublicKey = serde_json::from_str(&json).unwrap();
        assert_eq!(again.jwk("k"), key.public().jwk("k"));
    }
}

#[test]
fn bytes_of_another_form_do_not_read_back_as_a_public_key() {
    let point = SigningKey::generate(Algorithm::Es256).unwrap();
    let point = point.public().bytes();
    let compressed = [&[2], &point[1..33]].concat();
    let (n, e) = ([0xff_u8; 256], [1_u8, 0, 1]);
    let rsa = pkcs1::encode(&n, &e);
    for (algorithm, bytes) in [
        (Algorithm::Es256, point[1..].to_vec()),
        (Algorithm::Es256, [point, &[0]].concat()),
        (Algorithm::Es256, compressed),
        (Algorithm::EdDsa, vec![0; 31]),
        (Algorithm::EdDsa, point.to_vec()),
        (Algorithm::Rs256, Vec::new()),
        (Algorithm::Rs256, [rsa.as_slice(), &[0]].concat()),
        (Algorithm::Rs256, rsa[..rsa.len() - 1].to_vec()),
        (Algorithm::Rs256, pkcs1::encode(&n[1..], &e)),
        (Algorithm::Rs256, pkcs1::encode(&[0xff; 1_025], &e)),
        (
            Algorithm::Rs256,
            pkcs1::encode(&[&[1], &n[..]].concat(), &[1]),
        ),
        (Algorithm::Rs256, pkcs1::encode(&n, &[1, 0, 0])),
        (Algorithm::Rs256, pkcs1::encode(&n, &[1, 0, 0, 0, 1])),
        (Algorithm::Rs256, pkcs1::encode(&n, &[])),
        (
            Algorithm::Rs256,
            pkcs1::encode(&[&n[1..], &[2]].concat(), &e),
        ),
    ] {
        let bytes = postcard::to_allocvec(&(algorithm, &bytes)).unwrap();
        assert!(
            postcard::from_bytes::<PublicKey>(&bytes).is_err(),
            "{bytes:?}"
        );
    }
    assert!(PublicKey::new(Algorithm::Ps256, rsa).is_ok());
}

#[test]
fn a_point_off_the_curve_makes_no_verifier() {
    let mut point = SigningKey::generate(Algorithm::Es256)
        .unwrap()
        .public()
        .bytes()
        .to_vec();
    point[64] ^= 1;
    let key = PublicKey::new(Algorithm::Es256, point).unwrap();
    let refused = Verifier::new(&key).err();
    assert_eq!(refused, Some(NoKey::Public(Algorithm::Es256)));
}

#[test]
fn thumbprints_are_those_of_rfc_7638_and_rfc_8037() {
    let set = format!(r#"{{"keys":[{{"kty":"RSA","n":"{RFC_7638_N}","e":"AQAB"}}]}}"#);
    let keys = crate::jwk::parse(set.as_bytes()).unwrap();
    let thumbprint = keys[0].key.thumbprint();
    assert_eq!(thumbprint, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");

    let set = r#"{"keys":[{"kty":"OKP","crv":"Ed25519",
        "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
    let keys = crate::jwk::parse(set.as_bytes()).unwrap();
    let thumbprint = keys[0].key.thumbprint();
    assert_eq!(thumbprint, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
}

proptest! {
    #[test]
    fn der_reads_back(modulus in "[\\x01-\\xff][\\x00-\\xff]{0,300}", exponent in 1_u32..) {
        let modulus: Vec<u8> = modulus.chars().map(|c| u8::try_from(c).unwrap()).collect();
        let exponent = exponent.to_be_bytes();
        let zeros = exponent.iter().take_while(|byte| **byte == 0).count();
        let der = pkcs1::encode(&modulus, &exponent[zeros..]);
        let (n, e) = pkcs1::components(&der).unwrap();
        prop_assert_eq!((n, e), (&modulus[..], &exponent[zeros..]));
    }

    #[test]
    fn der_that_is_read_equals_der_that_is_written(
        der in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        if let Some((n, e)) = pkcs1::components(&der) {
            prop_assert_eq!(pkcs1::encode(n, e), der);
        }
    }
}
