use tollgate_model::path::{EncodedSlash, MethodOverride, Paths, Semicolon};

use super::*;
use crate::escape::push_percent_encoded;

/// Judges a path of a prefix, a value and a suffix.
fn judged(
    (prefix, value, suffix): (&str, &str, &str),
    (encoded_slash, semicolon): (EncodedSlash, Semicolon),
) -> Result<(), Stop> {
    let mut path = prefix.as_bytes().to_vec();
    push_percent_encoded(&mut path, value);
    let range = prefix.len()..path.len();
    path.extend_from_slice(suffix.as_bytes());
    let reading = Reading {
        encoded_slash,
        semicolon,
        paths: Paths::Exact,
        method_override: MethodOverride::Refuse,
    };
    judge(&path, &[range], reading)
}

#[test]
fn a_value_is_judged_like_a_parameter_of_the_callers_path() {
    use EncodedSlash::{Data, Pass, Refuse};
    // What a path passes with: refuse, pass, data.
    let rows = [
        (("/public/", "a", ""), [true, true, true]),
        (("/public/", "a b+ä&=", "/x"), [true, true, true]),
        (("/public/", "100%", "/x"), [true, true, true]),
        (("/public/", "a/b", ""), [false, true, true]),
        (("/public/", "a\\b", ""), [false, true, true]),
        (("/public/", "a%2Fb", ""), [false, true, true]),
        (("/public/", "a%252fb", ""), [false, true, true]),
        (("/public/", "../../admin/users", ""), [false, false, true]),
        (("/public/", "..\\admin", ""), [false, false, false]),
        (("/public/", "%2e%2e%2fadmin", ""), [false, false, true]),
        (
            ("/public/", "%252e%252e%252fadmin", ""),
            [false, false, true],
        ),
        (("/public/", "..", ""), [false, false, false]),
        (("/public/", ".", "/x"), [false, false, false]),
        (("/public/", "%2e.", "/x"), [false, false, false]),
        (("/public/.", ".", "/x"), [false, false, false]),
        (("/public/", "..;a=b", "/x"), [false, false, false]),
        (("/public/", "\0", "/x"), [false, false, false]),
        (("/public/", "%00", "/x"), [false, false, false]),
        (("/public/", "%2500", "/x"), [false, false, false]),
        (("/public/", "%25252541", ""), [false, false, false]),
        (("/public/%", "2Fx", ""), [false, true, true]),
        (("/public/%2", "Fx", ""), [false, true, true]),
        (("/public/", "%", "2Fx"), [false, true, true]),
        (("/pub%2Flic/", "a", ""), [true, true, true]),
        (("/public/", "...", "/x"), [true, true, true]),
    ];
    for (path, passes) in rows {
        for (encoded_slash, passes) in [Refuse, Pass, Data].into_iter().zip(passes) {
            let judged = judged(path, (encoded_slash, Semicolon::Check));
            assert_eq!(
                judged.is_ok(),
                passes,
                "{path:?} {encoded_slash:?}: {judged:?}"
            );
        }
    }
    let uncut = judged(("/public/", "..;a=b", "/x"), (Pass, Semicolon::Pass));
    assert_eq!(uncut, Ok(()));
}
