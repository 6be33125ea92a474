use super::*;

const NOW: &str = "0123456789a";

#[test]
fn tags_of_the_upstream_come_back_from_those_that_callers_got() {
    for (sent, has_forms, expected, back) in [
        (r#""x""#, false, r#""x;r0123456789a""#, r#""x""#),
        (r#"W/"x""#, false, r#"W/"x;w0123456789a""#, r#"W/"x""#),
        (r#""x""#, true, r#"W/"x;r0123456789a""#, r#""x""#),
        (r#""""#, false, r#"";r0123456789a""#, r#""""#),
        (r#""a,b""#, false, r#""a,b;r0123456789a""#, r#""a,b""#),
        (
            r#"W/"x;w0000000000b""#,
            false,
            r#"W/"x;w0000000000b;w0123456789a""#,
            r#"W/"x;w0000000000b""#,
        ),
    ] {
        let mut out = Vec::new();
        assert!(push_revised(&mut out, sent.as_bytes(), NOW, has_forms));
        assert_eq!(out, expected.as_bytes(), "{sent}");
        let mut own = Vec::new();
        Kept::Of(NOW, false).push(&mut own, &out);
        assert_eq!(own, back.as_bytes(), "{sent}");
    }
    for none in ["", "x", "\"x", "\"x\"y", "\"a b\"", "w/\"x\""] {
        let mut out = Vec::new();
        assert!(
            !push_revised(&mut out, none.as_bytes(), NOW, false),
            "{none}"
        );
        assert_eq!(out, b"", "{none}");
    }
}

#[test]
fn conditions_keep_the_tags_that_they_are_about() {
    let (all, own, plain) = (Kept::All, Kept::Of(NOW, false), Kept::Of(NOW, true));
    let list = r#" "a;r0123456789a" ,, W/"b;r0123456789a","c;r0000000000b", "d" ,"#;
    for (kept, list, expected) in [
        (all, list, r#""a", "b", "c", "d""#),
        (own, list, r#""a", "b""#),
        (plain, list, r#""a", "b", "d""#),
        (own, r#""d""#, ""),
        (own, "*", "*"),
        (all, " * ", "*"),
        (all, r#""a" "b""#, r#""a" "b""#),
        (own, r#""a;r0123456789a" x"#, ""),
        (own, r#""a;r0123456789a", "b"#, ""),
        (own, "", ""),
    ] {
        let mut out = b"-".to_vec();
        kept.push(&mut out, list.as_bytes());
        assert_eq!(out, format!("-{expected}").as_bytes(), "{kept:?} {list}");
    }
}
