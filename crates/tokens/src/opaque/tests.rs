use proptest::prelude::*;
use tollgate_model::id::TokenId;

use super::*;
use crate::{api_key, base62};

proptest! {
    #[test]
    fn a_made_token_reads_back_and_no_changed_one_does(
        id in 1..i64::MAX,
        secret in any::<[u8; 16]>(),
        at in 0..TOKEN_BYTES,
        to in any::<u8>(),
    ) {
        let id = TokenId::from_raw(id);
        let token = make(id, secret);
        prop_assert_eq!((token.text.len(), token.hint.len()), (45, 4));
        prop_assert_eq!(parse(token.text.as_bytes()), Some((id, token.digest)));
        let mut changed = token.text.into_bytes();
        prop_assume!(changed[at] != to);
        changed[at] = to;
        prop_assert_eq!(parse(&changed), None);
    }
}

#[test]
fn a_token_and_a_key_are_distinguished() {
    let id = TokenId::from_raw(62);
    let token = make(id, [0; 16]).text;
    assert!(
        token.starts_with("tg_at_000000000100000000000000000000000"),
        "{token}"
    );
    assert!(is_marked(token.as_bytes()) && !is_marked(b"tg_live_"));
    assert_eq!(api_key::parse(token.as_bytes()), None);
    // Valid check digits do not help a text of another form.
    for foreign in ["tg_cs_", "tg_at__", "TG_at_"] {
        let mut foreign = format!("{foreign}{}", "0".repeat(39 - foreign.len()));
        base62::push_crc(&mut foreign);
        assert_eq!(parse(foreign.as_bytes()), None, "{foreign}");
    }
}

#[test]
fn reading_allocates_nothing() {
    let token = make(TokenId::from_raw(62), [1; 16]).text;
    let measured = allocation_counter::measure(|| {
        assert!(parse(token.as_bytes()).is_some());
        assert!(parse(&token.as_bytes()[1..]).is_none());
    });
    assert_eq!(measured.count_total, 0);
}
