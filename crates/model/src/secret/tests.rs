use serde_json::{from_value, json};

use super::*;
use crate::api::{Configuration, Kind};

#[test]
fn a_secret_is_never_printed() {
    let secret = Secret("s3cr3t".to_owned());
    assert_eq!(format!("{secret:?}"), "***");
}

#[test]
fn a_fault_of_a_credential_is_reported_at_its_field() {
    let long = "x".repeat(CREDENTIAL_BYTES_MAX + 1);
    let basic =
        |name: &str, password: &str| json!({ "basic": { "name": name, "password": password } });
    let header = |name: &str, value: &str| json!({ "header": { "name": name, "value": value } });
    let rows = [
        (basic("us", ""), vec![]),
        (basic("us", "pä:ss"), vec![]),
        (basic("u:s", "x"), vec!["/basic/name"]),
        (basic("", "a\nb"), vec!["/basic/name", "/basic/password"]),
        (basic("us", "***"), vec!["/basic/password"]),
        (basic("us", &long), vec!["/basic/password"]),
        (header("Authorization", "Bearer a b"), vec![]),
        (header("X-Key", &long[1..]), vec![]),
        (header("X-Key", &long), vec!["/header/value"]),
        (header("X-Key", ""), vec!["/header/value"]),
        (header("X-Key", " a"), vec!["/header/value"]),
        (header("X-Key", "a\r\nhost: b"), vec!["/header/value"]),
        (header("X-Key", "ä"), vec!["/header/value"]),
        (header("X-Key", "***"), vec!["/header/value"]),
        (header("host", "a"), vec!["/header/name"]),
        (header("Content-Length", "1"), vec!["/header/name"]),
        (header("X Key", "a"), vec!["/header/name"]),
        (header("Referer", "a"), vec!["/header/name"]),
        (header("SOAPAction", "a"), vec!["/header/name"]),
        (header("If-None-Match", "a"), vec!["/header/name"]),
    ];
    for (credential, expected) in rows {
        let parsed: Credential = from_value(credential.clone()).unwrap();
        let faults = parsed.faults();
        let fields: Vec<_> = faults.iter().map(|fault| &*fault.field).collect();
        assert_eq!(fields, expected, "{credential}");
    }
    let both = json!({
        "basic": { "name": "a", "password": "b" }, "header": { "name": "c", "value": "d" },
    });
    assert!(from_value::<Credential>(both).is_err(), "not both");
}

#[test]
fn one_header_has_one_value() {
    let rest = json!({
        "resources": [], "back_end": { "basic": { "name": "us", "password": "x" } },
    });
    let soap = json!({ "contract": "ab".repeat(32), "service": "s", "port": "p", "rest": rest });
    let faults = |name: &str| {
        let header = json!({ "name": name, "value": "x" });
        let upstream = json!({ "url": "http://a", "credential": { "header": header } });
        let configuration = json!({ "soap": soap, "sandbox_upstream": upstream });
        let configuration: Configuration = from_value(configuration).unwrap();
        let faults = configuration.faults(Kind::SoapToRest).into_iter();
        faults.map(|fault| fault.field).collect::<Vec<_>>()
    };
    assert_eq!(faults("AUTHORIZATION"), ["/sandbox_upstream/credential"]);
    assert_eq!(faults("X-Key"), [""; 0]);
}
