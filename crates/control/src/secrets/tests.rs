use serde_json::{Value, json};
use tollgate_model::upstream::Upstream;

use super::*;

fn configuration(back_end: &Value) -> Configuration {
    let rest = json!({ "resources": [], "back_end": back_end });
    let soap = json!({ "contract": "c", "service": "s", "port": "p", "rest": rest });
    serde_json::from_value(json!({ "soap": soap })).unwrap()
}

fn both(token: &str, basic: &str) -> Value {
    json!({
        "username_token": { "name": "us", "password": token },
        "basic": { "name": "us", "password": basic },
    })
}

#[test]
fn secrets_are_masked_wherever_they_are_shown() {
    let configuration = configuration(&both("s3cr3t-one", "s3cr3t-two"));
    assert!(!format!("{configuration:?}").contains("s3cr3t"));
    let shown = serde_json::to_value(Shown::from(configuration)).unwrap();
    assert!(!shown.to_string().contains("s3cr3t"), "{shown}");
    assert_eq!(
        shown["soap"]["rest"]["back_end"]["basic"]["password"],
        "***"
    );
}

#[test]
fn only_a_mask_keeps_the_previous_secret() {
    let before = configuration(&both("one", "two"));
    let mut now = configuration(&both("***", "new"));
    assert_eq!(unmask(&mut now, before), []);
    assert_eq!(now, configuration(&both("one", "new")));
    let mut now = configuration(&both("***", "***"));
    let basic_only = json!({ "basic": { "name": "us", "password": "two" } });
    assert_eq!(unmask(&mut now, configuration(&basic_only)), []);
    let faults = now.soap.unwrap().rest.unwrap().faults();
    let faults: Vec<_> = faults.iter().map(|it| (&*it.field, &*it.code)).collect();
    assert_eq!(
        faults,
        [("/back_end/username_token/password", "soap.password")]
    );
}

#[test]
fn a_secret_stays_with_the_addresses_that_it_was_given_for() {
    let rows = [
        // Before, after, whether a mask may stay.
        (("http://a", None), ("http://A:80/other/path", None), true),
        (
            ("http://a", Some("http://b:81")),
            ("http://b:81", Some("http://a")),
            true,
        ),
        (
            ("http://a", Some("http://b:81")),
            ("http://b:81", None),
            true,
        ),
        (
            ("http://a", None),
            ("http://a", Some("http://a:80/sandbox")),
            true,
        ),
        (("http://a", None), ("", None), true),
        (("http://a", None), ("http://b", None), false),
        (("http://a", None), ("http://a:81", None), false),
        (("http://a", None), ("http://a.", None), false),
        (("http://a", None), ("http://a", Some("http://b")), false),
        (("http://a", None), ("https://a", None), false),
        (("http://[::1]:8", None), ("http://[::2]:8", None), false),
        (("", None), ("http://b", None), false),
        (("", None), ("", Some("http://b")), false),
    ];
    let at = |password: &str, (upstream, sandbox): (&str, Option<&str>)| {
        let mut configuration = configuration(&both(password, password));
        configuration.upstream = (!upstream.is_empty()).then(|| Upstream::at(upstream));
        configuration.sandbox_upstream = sandbox.map(Upstream::at);
        configuration
    };
    for (before, now, may_stay) in rows {
        let faults = unmask(&mut at("***", now), at("one", before));
        let fields: Vec<_> = faults.iter().map(|fault| &*fault.field).collect();
        let refused = [
            "/soap/rest/back_end/username_token/password",
            "/soap/rest/back_end/basic/password",
        ];
        let expected: &[&str] = if may_stay { &[] } else { &refused };
        assert_eq!(fields, expected, "{before:?} to {now:?}");
        // A secret that is sent again goes wherever the configuration points.
        assert_eq!(unmask(&mut at("one", now), at("one", before)), []);
    }
    let moved = unmask(
        &mut at("***", ("http://b", None)),
        at("one", ("http://a", None)),
    );
    assert_eq!(
        moved[0].detail,
        "a secret is only sent to the address it was entered for: this one was entered for \
         http://a:80; enter it again to send it to http://b:80"
    );
}

#[test]
fn an_upstreams_secret_stays_with_its_own_address() {
    let at = |value: &str, (upstream, sandbox): (&str, &str)| -> Configuration {
        let header = json!({ "header": { "name": "X-Key", "value": value } });
        serde_json::from_value(json!({
            "upstream": { "url": upstream, "credential": header },
            "sandbox_upstream": { "url": sandbox, "credential": header },
        }))
        .unwrap()
    };
    let before = ("https://a", "http://b");
    let rows: [((&str, &str), &[&str]); 5] = [
        (("https://a:443/base", "http://B"), &[]),
        (
            ("https://a", "http://c"),
            &["/sandbox_upstream/credential/header/value"],
        ),
        (
            ("http://a", "http://b"),
            &["/upstream/credential/header/value"],
        ),
        (
            ("https://a:8443", "http://b"),
            &["/upstream/credential/header/value"],
        ),
        (
            // Each upstream has a secret of its own.
            ("http://b", "https://a"),
            &[
                "/upstream/credential/header/value",
                "/sandbox_upstream/credential/header/value",
            ],
        ),
    ];
    for (now, refused) in rows {
        let faults = unmask(&mut at("***", now), at("one", before));
        let fields: Vec<_> = faults.iter().map(|fault| &*fault.field).collect();
        assert_eq!(fields, refused, "{now:?}");
        let codes = faults
            .iter()
            .all(|it| it.code == "upstream.credential_address");
        assert!(codes, "{faults:?}");
        assert_eq!(unmask(&mut at("one", now), at("one", before)), []);
    }
    // Nor does it stay if the address is verified less strictly, or the header changes.
    let header = |name: &str| json!({ "header": { "name": name, "value": "***" } });
    let changes = [
        json!({ "url": "https://a", "credential": header("X-Other") }),
        json!({ "url": "https://a", "credential": header("x-key"), "ca": "another" }),
        json!({ "url": "https://a", "credential": header("X-Key"), "verify_certificate": false }),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let now: Upstream = serde_json::from_value(change).unwrap();
        let mut now = Configuration {
            upstream: Some(now),
            ..at("***", before)
        };
        let faults = unmask(&mut now, at("one", before));
        let expected = ["in x-other", "with the authorities", "without a check"];
        assert!(faults[0].detail.contains(expected[index]), "{faults:?}");
    }
    let mut kept = at("***", before);
    assert_eq!(unmask(&mut kept, at("one", before)), []);
    assert_eq!(kept, at("one", before));
    let shown = serde_json::to_string(&Shown::from(at("s3cr3t", before))).unwrap();
    assert!(!shown.contains("s3cr3t"), "{shown}");
    // Another kind of credential has no previous secret for a mask to keep.
    let basic = json!({ "url": "https://a", "credential":
        { "basic": { "name": "us", "password": "***" } } });
    let mut other: Configuration = serde_json::from_value(json!({ "upstream": basic })).unwrap();
    assert_eq!(unmask(&mut other, at("one", before)), []);
    let faults = other.faults(tollgate_model::api::Kind::Rest);
    assert_eq!(faults[0].field, "/upstream/credential/basic/password");
}
