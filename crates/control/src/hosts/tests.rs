use super::*;

#[test]
fn a_public_url_is_a_scheme_and_a_host() {
    for good in [
        "https://gate.example",
        "http://gate.example:9000/",
        "https://[::1]:9000",
    ] {
        assert!(Hosts::of(good).is_ok(), "{good}");
    }
    for wrong in [
        "gate.example",
        "ftp://gate.example",
        "https://gate.example/portal",
        "https://gate.example?a=b",
        "https://gate.example#a",
        "https://us:er@gate.example",
        "https://gate.example:99999",
        "https://:9000",
        "",
        "/",
    ] {
        let error = Hosts::of(wrong).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{wrong:?} is not a public URL")),
            "{error}"
        );
    }
}
