use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn made_secrets_read_back_as_their_digests(random in any::<[u8; 32]>()) {
        let [session, secure] = [false, true].map(|secure| make_session(random, secure));
        prop_assert_eq!(digest(&session.text), Some(session.digest));
        prop_assert_eq!(digest(&secure.text), Some(secure.digest));
        prop_assert!(is_secure(&secure.text) && !is_secure(&session.text));
        // Neither can be derived from the other.
        prop_assert_eq!(&secure.text[4..], &session.text);
        prop_assert_ne!(secure.digest, session.digest);
        let token = make_access_token(random);
        prop_assert!(token.text.starts_with("tgp_") && token.text.len() == 53);
        prop_assert_eq!(digest(&token.text), Some(token.digest));
    }

    #[test]
    fn a_changed_access_token_is_refused(
        random in any::<[u8; 32]>(),
        at in 0..53_usize,
        to in "[ -~]",
    ) {
        let mut text = make_access_token(random).text;
        prop_assume!(text[at..=at] != to);
        text.replace_range(at..=at, &to);
        prop_assert_eq!(digest(&text), None);
    }

    #[test]
    fn a_session_has_one_csrf_token(random in any::<[u8; 32]>(), other in any::<[u8; 32]>()) {
        prop_assume!(random != other);
        let (session, other) = (make_session(random, true), make_session(other, true));
        let token = csrf(&session.digest);
        prop_assert!(csrf_matches(&session.digest, &token));
        prop_assert!(!csrf_matches(&other.digest, &token));
        prop_assert!(!csrf_matches(&session.digest, &token[1..]));
        prop_assert_ne!(token, session.text);
    }
}

#[test]
fn texts_of_another_form_are_refused() {
    let session = make_session([7; 32], false).text;
    let spaced = session.replacen(&session[3..4], " ", 1);
    for text in [
        "",
        "tgp_",
        "tgs_",
        &format!("tgs_{}", &session[1..]),
        &format!("tgs_tgs_{session}"),
        &session[1..],
        &format!("{session}0"),
        &spaced,
        "ü",
    ] {
        assert_eq!(digest(text), None, "{text:?}");
    }
    let session_as_token = format!("tgp_{session}");
    assert_eq!(digest(&session_as_token), None);
}

#[test]
fn the_largest_number_needs_all_43_digits() {
    let text = make_session([0xff; 32], false).text;
    assert_eq!(text.len(), 43);
    assert_ne!(text, make_session([0x7f; 32], false).text);
}
