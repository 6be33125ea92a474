use super::*;
use crate::api::Configuration;
use crate::policies::Policies;

fn cors(json: &str) -> Cors {
    serde_json::from_str(json).unwrap()
}

fn faults(json: &str) -> Vec<String> {
    let faults = cors(json).faults().into_iter();
    faults
        .map(|fault| format!("{} {}", fault.field, fault.code))
        .collect()
}

#[test]
fn defaults_are_those_of_an_empty_object() {
    let empty = cors("{}");
    assert_eq!(empty, Cors::default());
    assert!(empty.portal && !empty.credentials && empty.origins.is_empty());
    assert_eq!(empty.max_age_s, 600);
    assert_eq!(empty.faults(), []);
}

#[test]
fn a_configuration_of_an_earlier_release_has_no_policies() {
    let stored = r#"{"operations":[]}"#;
    let configuration: Configuration = serde_json::from_str(stored).unwrap();
    assert_eq!(configuration.policies, Policies::default());
    assert_eq!(serde_json::to_string(&configuration).unwrap(), stored);
}

#[test]
fn origins_are_listed_as_browsers_send_them() {
    for origin in [
        "https://shop.example",
        "http://localhost:3000",
        "https://shop.example:8443",
        "http://[::1]:8080",
        "*",
    ] {
        assert_eq!(faults(&format!(r#"{{"origins":["{origin}"]}}"#)), [""; 0]);
    }
    for origin in [
        "null",
        "https://*.shop.example",
        "https://shop.example/",
        "https://Shop.example",
        "HTTPS://shop.example",
        "https://shop.example:443",
        "shop.example",
        "",
    ] {
        let origins = format!(r#"{{"origins":["https://a.example","{origin}"]}}"#);
        assert_eq!(faults(&origins), ["/origins/1 cors.origins"], "{origin}");
    }
}

#[test]
fn every_fault_is_reported_with_its_place() {
    let json = r#"{
        "origins": ["https://a.example", "null", "*", "https://a.example"],
        "methods": ["GET", "TRACE", "GET"],
        "headers": ["X-Mine", "x-mine", "Cookie", "Sec-Mine", "a b", "*"],
        "expose": ["Set-Cookie", "X-Own", "x-own"],
        "credentials": true,
        "max_age_s": 86401}"#;
    assert_eq!(
        faults(json),
        [
            "/origins/1 cors.origins",
            "/origins/2 cors.origins",
            "/origins/3 cors.origins",
            "/methods/1 cors.methods",
            "/methods/2 cors.methods",
            "/headers/1 cors.headers",
            "/headers/2 cors.headers",
            "/headers/3 cors.headers",
            "/headers/4 cors.headers",
            "/headers/5 cors.headers",
            "/expose/0 cors.expose",
            "/expose/2 cors.expose",
            "/credentials cors.credentials",
            "/max_age_s cors.max_age_s",
        ]
    );
}

#[test]
fn lists_are_bounded() {
    let origins = |count: usize| (0..count).map(|it| format!("https://a{it}.example"));
    let mut cors = Cors {
        origins: origins(ORIGINS_MAX).collect(),
        headers: Some((0..HEADERS_MAX).map(|it| format!("x-{it}")).collect()),
        ..Cors::default()
    };
    assert_eq!(cors.faults(), []);
    cors.origins = origins(ORIGINS_MAX + 50).collect();
    cors.expose = (0..=HEADERS_MAX).map(|it| format!("x-{it}")).collect();
    let fields = cors.faults().into_iter().map(|fault| fault.field);
    assert_eq!(fields.collect::<Vec<_>>(), ["/origins", "/expose"]);
}
