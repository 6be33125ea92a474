use super::*;

#[test]
fn names_and_values_are_decoded_strictly() {
    for (text, expected) in [
        ("a+b%20c", Some("a b c")),
        ("%C3%a9%2b", Some("é+")),
        ("", Some("")),
        ("%", None),
        ("%4", None),
        ("%4g", None),
        ("%+4", None),
        ("%ff", None),
        ("%C3", None),
    ] {
        assert_eq!(decoded(text.as_bytes()).as_deref(), expected, "{text}");
    }
    assert_eq!(decoded(b"\xff"), None);
}

fn parse(text: &str) -> Result<Form, Refused> {
    Form::parse(text.as_bytes())
}

#[test]
fn empty_parameters_count_as_omitted_and_unknown_ones_are_ignored() {
    let form = parse("&&scope=&scope=a&x=1&x=2&client%5Fid=c=d&token&=&resource=").unwrap();
    assert_eq!(form.parameter("scope"), Some("a"));
    assert_eq!(form.parameter("client_id"), Some("c=d"));
    assert_eq!(form.parameter("token"), None);
    assert!(form.required("token").is_err());
    assert!(form.resources().is_empty());
}

#[test]
fn only_resource_may_be_repeated() {
    for name in KNOWN {
        assert!(parse(&format!("{name}=1&{name}=1")).is_err(), "{name}");
    }
    let form = parse("resource=1&resource=2").unwrap();
    assert_eq!(form.resources(), ["1", "2"]);
}
