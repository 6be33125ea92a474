use proptest::prelude::*;

use super::*;

fn encoded(credentials: &str) -> String {
    STANDARD.encode(credentials)
}

fn read(credentials: &str) -> Option<(String, String)> {
    let basic = Basic::parse(encoded(credentials).as_bytes())?;
    Some((basic.user().to_owned(), basic.password().to_owned()))
}

proptest! {
    #[test]
    fn encoded_credentials_read_back(user in "[^:\\pC]{0,32}", password in "\\PC{0,64}") {
        let text = encoded(&format!("{user}:{password}"));
        let basic = Basic::parse(text.as_bytes()).unwrap();
        prop_assert_eq!((basic.user(), basic.password()), (&user[..], &password[..]));
        prop_assert_eq!(basic.digest(), digest(&user, &password));
    }

    #[test]
    fn no_bytes_break_it(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        if let Some(basic) = Basic::parse(&bytes) {
            let both = format!("{}:{}", basic.user(), basic.password());
            prop_assert_eq!(encoded(&both).into_bytes(), bytes);
        }
    }
}

#[test]
fn the_examples_of_rfc_7617_are_read() {
    let basic = Basic::parse(b"QWxhZGRpbjpvcGVuIHNlc2FtZQ==").unwrap();
    assert_eq!((basic.user(), basic.password()), ("Aladdin", "open sesame"));
    let basic = Basic::parse("dGVzdDoxMjPCow==".as_bytes()).unwrap();
    assert_eq!((basic.user(), basic.password()), ("test", "123£"));
}

#[test]
fn the_first_colon_divides() {
    let halves = |user: &str, password: &str| Some((user.to_owned(), password.to_owned()));
    assert_eq!(read("a:b:c"), halves("a", "b:c"));
    assert_eq!(read("a:"), halves("a", ""));
    assert_eq!(read(":"), halves("", ""));
    assert_eq!(read("a"), None);
    assert_eq!(read(""), None);
}

#[test]
fn lengths_are_bounded() {
    let of = |user: usize, password: usize| {
        read(&format!("{}:{}", "u".repeat(user), "p".repeat(password))).is_some()
    };
    assert!(of(128, 256) && of(1, 256) && of(128, 1));
    assert!(!of(129, 1) && !of(1, 257) && !of(129, 256) && !of(128, 257) && !of(9_000, 1));
}

#[test]
fn anything_but_strict_base64_of_printable_text_is_refused() {
    for text in [
        "QWxhZGRpbjpvcGVuIHNlc2FtZQ", // without padding
        "QWxhZGRpbjpvcGVuIHNlc2FtZQ=",
        "QWxhZGRpbjpvcGVuIHNlc2FtZR==", // bits behind the last byte
        "QWxhZGRpbjpvcGVuIHNlc2FtZQ===",
        " QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        "QWxhZGRpbjpvcGVuIHNlc2FtZQ== ",
        "dGVzdDoxMjPCow_=", // the other alphabet
        "YTr/",             // a:\xff
        "====",
    ] {
        assert!(Basic::parse(text.as_bytes()).is_none(), "{text}");
    }
    for control in ["a:\0", "a\n:b", "a:b\r", "a:\u{7f}", "a:\u{85}"] {
        assert_eq!(read(control), None, "{control:?}");
    }
}

#[test]
fn reading_allocates_nothing() {
    let text = encoded(&format!("{}:{}", "u".repeat(128), "p".repeat(256)));
    let measured = allocation_counter::measure(|| {
        let basic = Basic::parse(text.as_bytes()).unwrap();
        assert_ne!(basic.digest(), [0; 32]);
        assert_eq!((basic.user().len(), basic.password().len()), (128, 256));
    });
    assert_eq!(measured.count_total, 0);
}
