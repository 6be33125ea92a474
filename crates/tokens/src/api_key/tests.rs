use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::base62;

fn environment() -> impl Strategy<Value = Environment> {
    prop_oneof![Just(Environment::Production), Just(Environment::Sandbox)]
}

prop_compose! {
    fn key()(
        environment in environment(),
        id in 1..i64::MAX,
        secret in any::<[u8; 16]>(),
    ) -> (String, (ApiKeyId, Digest), String) {
        let id = ApiKeyId::from_raw(id);
        let key = make(environment, id, secret);
        (key.text, (id, key.digest), key.hint)
    }
}

proptest! {
    #[test]
    fn a_made_key_reads_back_as_its_id_and_digest((text, kept, hint) in key()) {
        prop_assert!(text.len() == 47 && text.ends_with(&hint) && hint.len() == 4);
        prop_assert_eq!(parse(text.as_bytes()), Some(kept));
    }

    #[test]
    fn any_single_changed_byte_is_refused(
        (text, ..) in key(),
        at in 0..KEY_BYTES,
        to in any::<u8>(),
    ) {
        let mut text = text.into_bytes();
        prop_assume!(text[at] != to);
        text[at] = to;
        prop_assert_eq!(parse(&text), None);
    }

    #[test]
    fn guessed_digits_are_refused(digits in "tg_(live|test)_[0-9A-Za-z]{39}") {
        prop_assert_eq!(parse(digits.as_bytes()), None);
    }
}

#[test]
fn a_key_has_the_written_form() {
    let live = make(Environment::Production, ApiKeyId::from_raw(62), [0; 16]);
    assert!(
        live.text
            .starts_with("tg_live_000000000100000000000000000000000")
    );
    let test = make(
        Environment::Sandbox,
        ApiKeyId::from_raw(i64::MAX),
        [0xff; 16],
    );
    // 2^128 - 1 in base62, and the CRC-32 of the first 41 bytes as computed by zlib.
    assert_eq!(test.text, "tg_test_AzL8n0Y58m77n42DGM5Tflk9n8mt7Fhc71axHIP");
    assert_eq!(
        crc32fast::hash(b"123456789"),
        0xCBF4_3926,
        "the IEEE polynomial"
    );
}

#[test]
fn shorter_longer_and_other_texts_are_refused() {
    let text = make(Environment::Production, ApiKeyId::from_raw(1), [7; 16]).text;
    for end in 0..text.len() {
        assert_eq!(parse(&text.as_bytes()[..end]), None);
    }
    assert_eq!(parse(format!("{text}0").as_bytes()), None);
    assert_eq!(parse(text.replace("tg_live_", "tg_prod_").as_bytes()), None);
    // Valid check digits do not help a text of another form.
    for prefix in ["tg_prod_", "TG_live_", "tgp_live"] {
        let mut foreign = format!("{prefix}{}", "0".repeat(33));
        base62::push_crc(&mut foreign);
        assert_eq!(foreign.len(), KEY_BYTES);
        assert_eq!(parse(foreign.as_bytes()), None, "{prefix}");
    }
    let mut spaced = format!("tg_live_{} {}", "0".repeat(16), "0".repeat(16));
    base62::push_crc(&mut spaced);
    assert_eq!(parse(spaced.as_bytes()), None);
}

#[test]
fn every_bit_of_the_secret_counts() {
    let id = ApiKeyId::from_raw(1);
    let texts: HashSet<String> = (0..128)
        .map(|bit| make(Environment::Production, id, (1_u128 << bit).to_be_bytes()).text)
        .collect();
    assert_eq!(texts.len(), 128);
}
