use serde_json::{Value, json};
use tollgate_http1::head::RequestHead;
use tollgate_http1::parse::{self, Bounds};

use super::*;

const BOUNDS: Bounds = Bounds {
    head_bytes_max: 8_192,
    fields_max: 20,
    target_bytes_max: 4_096,
};
const PRODUCTION: Environment = Environment::Production;

fn compiled(condition: Value) -> Compiled {
    let condition: Condition = serde_json::from_value(condition).unwrap();
    Compiled::new(&condition).unwrap()
}

/// Judges a call with this target and these field lines, where keys are in `X-Key` and `key`.
fn judge(condition: &Compiled, target: &str, fields: &[&str]) -> bool {
    let fields: String = fields.iter().map(|it| format!("{it}\r\n")).collect();
    let bytes = format!("GET {target} HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
    let mut head = RequestHead::default();
    parse::request(bytes.as_bytes(), BOUNDS, &mut head).unwrap();
    condition.matches(Facts {
        head: Request::new(&head, bytes.as_bytes()),
        address: "192.0.2.7".parse().unwrap(),
        environment: PRODUCTION,
        key_header: Some(b"x-key"),
        key_query: Some(b"key"),
    })
}

/// Asserts that a list is passed, or not, and that its negation is judged the other way.
fn assert_judged(place: &str, name: &str, list: &[&str], is_in: bool, call: (&str, &[&str])) {
    for (test, expected) in [(json!(list), is_in), (json!({ "not": list }), !is_in)] {
        let condition = json!({ place: { name: test } });
        let judged = judge(&compiled(condition.clone()), call.0, call.1);
        assert_eq!(judged, expected, "{condition}: {call:?}");
    }
}

#[test]
fn values_of_header_fields_are_compared_whole_or_by_their_beginning() {
    let rows: [(&str, &[&str], &[&str], bool); 24] = [
        ("x-kind", &["batch"], &["x-kind: batch"], true),
        // Names ignore case, values do not.
        ("X-Kind", &["batch"], &["x-KIND: batch"], true),
        ("x-kind", &["batch"], &["x-kind: Batch"], false),
        ("x-kind", &["batch"], &["x-kind: batches"], false),
        ("x-kind", &["batch"], &["x-kind: bat"], false),
        ("x-kind", &["batch"], &["x-kind:  \t batch \t "], true),
        ("x-kind", &["a", "batch", "c"], &["x-kind: batch"], true),
        ("x-kind", &["c", "b", "a"], &["x-kind: a"], true),
        ("x-kind", &["b", "a"], &["x-kind: c"], false),
        // A beginning is marked by an asterisk at the end only.
        ("x-kind", &["bat*"], &["x-kind: batch"], true),
        ("x-kind", &["bat*"], &["x-kind: bat"], true),
        ("x-kind", &["bat*"], &["x-kind: Batch"], false),
        ("x-kind", &["*ch"], &["x-kind: batch"], false),
        ("x-kind", &["*ch"], &["x-kind: *ch"], true),
        ("x-kind", &["b*h"], &["x-kind: batch"], false),
        ("x-kind", &["z", "b**"], &["x-kind: b*atch"], true),
        ("x-kind", &["*"], &["x-kind: anything"], true),
        // An absent value is in no list; an empty one can be.
        ("x-kind", &["*"], &[], false),
        ("x-kind", &["", "batch"], &[], false),
        ("x-kind", &["*"], &["x-kind:"], true),
        ("x-kind", &[""], &["x-kind:"], true),
        // Any line can match; a line is one value, whatever its commas.
        ("x-kind", &["b"], &["x-kind: a", "X-Kind: b"], true),
        ("x-kind", &["b"], &["x-kind: a, b"], false),
        ("x-kind", &["b"], &["x-kind: a", "x-kinds: b"], false),
    ];
    for (name, list, fields, is_in) in rows {
        assert_judged("headers", name, list, is_in, ("/", fields));
    }
}

#[test]
fn parameters_are_compared_decoded() {
    let rows: [(&str, &[&str], &str, bool); 22] = [
        ("kind", &["batch"], "/?kind=batch", true),
        ("kind", &["batch"], "/?a=b&kind=batch&c", true),
        ("kind", &["batch"], "/?Kind=batch", false),
        ("kind", &["batch"], "/kind=batch", false),
        ("kind", &["batch"], "/", false),
        ("kind", &["batch"], "/?", false),
        ("kind", &["batch"], "/?kind=%62at%63h", true),
        ("kind", &["batch"], "/?%6Bin%64=batch", true),
        ("a kind", &["two words"], "/?a+kind=two+words", true),
        ("a kind", &["two words"], "/?a%20kind=two%20words", true),
        ("kind", &["1+1"], "/?kind=1%2B1", true),
        ("kind", &["1 1"], "/?kind=1%2B1", false),
        // Decoded once.
        ("kind", &["%41"], "/?kind=%2541", true),
        ("kind", &["A"], "/?kind=%2541", false),
        // Malformed encodings are compared as they are.
        ("kind", &["100%"], "/?kind=100%", true),
        ("kind", &["b*"], "/?kind=batch", true),
        ("kind", &["a=b"], "/?kind=a=b", true),
        ("kind", &[""], "/?kind", true),
        ("kind", &["*"], "/?kind=", true),
        ("kind", &["*"], "/?other=kind", false),
        ("kind", &["b"], "/?kind=a&kind=b", true),
        ("ki&nd", &["a&b"], "/?ki%26nd=a%26b", true),
    ];
    for (name, list, target, is_in) in rows {
        assert_judged("query", name, list, is_in, (target, &[]));
    }
}

#[test]
fn what_carries_a_credential_counts_as_absent() {
    for name in [
        "Authorization",
        "Cookie",
        "Proxy-Authorization",
        "X-Tollgate-Try-It",
        "X-Key",
    ] {
        let line = format!("{name}: a");
        assert_judged("headers", name, &["a", "*"], false, ("/", &[&line]));
    }
    for target in ["/?key=a", "/?%6bey=a"] {
        assert_judged("query", "key", &["a", "*"], false, (target, &[]));
    }
    // Names are those of their place only.
    assert_judged("headers", "key", &["a"], true, ("/", &["key: a"]));
    assert_judged("query", "x-key", &["a"], true, ("/?x-key=a", &[]));
}

#[test]
fn networks_contain_their_addresses_of_either_form() {
    let rows: [(&[&str], &[&str], &[&str]); 9] = [
        (
            &["192.0.2.7"],
            &["192.0.2.7", "::ffff:192.0.2.7"],
            &["192.0.2.6", "192.0.2.8"],
        ),
        (
            &["::ffff:192.0.2.7"],
            &["192.0.2.7", "::ffff:192.0.2.7"],
            &["192.0.2.8"],
        ),
        (
            &["10.0.0.0/8"],
            &["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
            &["9.255.255.255", "11.0.0.0", "a00::"],
        ),
        (
            &["::ffff:10.0.0.0/104"],
            &["10.0.0.0", "10.255.255.255"],
            &["11.0.0.0", "::"],
        ),
        (
            &["0.0.0.0/0"],
            &["0.0.0.0", "255.255.255.255"],
            &["::", "::1", "ffff::"],
        ),
        // All of IPv6 is none of IPv4, mapped or not.
        (
            &["::/0"],
            &["::", "2001:db8::1", "ffff::"],
            &["10.0.0.1", "::ffff:10.0.0.1"],
        ),
        (
            &["2001:db8::/32", "2001:db8:1::/48"],
            &["2001:db8::", "2001:db8:1::7", "2001:db8:ffff::"],
            &["2001:db7:ffff::", "2001:db9::"],
        ),
        // Nested, equal and adjacent ones, in any order.
        (
            &[
                "10.1.0.0/16",
                "10.0.0.0/8",
                "10.0.0.0/8",
                "10.2.0.1",
                "11.0.0.0/8",
            ],
            &[
                "10.0.0.0",
                "10.1.5.5",
                "10.2.0.2",
                "10.255.255.255",
                "11.0.0.0",
            ],
            &["9.255.255.255", "12.0.0.0"],
        ),
        (
            &["10.0.0.1", "10.0.0.3"],
            &["10.0.0.1", "10.0.0.3"],
            &["10.0.0.0", "10.0.0.2"],
        ),
    ];
    for (networks, inside, outside) in rows {
        let positive = compiled(json!({ "addresses": networks }));
        let negative = compiled(json!({ "addresses": { "not": networks } }));
        let sides = [(inside, true), (outside, false)];
        for (address, is_inside) in sides
            .iter()
            .flat_map(|(of, is)| of.iter().map(|it| (it, *is)))
        {
            let address = address.parse().unwrap();
            let place = format!("{address} in {networks:?}");
            assert_eq!(positive.matches_address(address), is_inside, "{place}");
            assert_eq!(negative.matches_address(address), !is_inside, "{place}");
        }
    }
}

#[test]
fn what_is_no_network_is_not_prepared() {
    for text in [
        "",
        "a",
        "10.0.0.0/33",
        "::/129",
        "10.0.0.0/",
        "10.0.0/8",
        "10.0.0.0/8/8",
    ] {
        let condition: Condition = serde_json::from_value(json!({ "addresses": [text] })).unwrap();
        assert!(Compiled::new(&condition).is_none(), "{text}");
    }
}

#[test]
fn every_test_must_be_passed() {
    let passed = json!({
        "addresses": ["192.0.2.0/24"],
        "environment": ["production"],
        "headers": { "x-kind": ["a"], "x-other": { "not": ["b"] } },
        "query": { "page": ["1*"] },
    });
    let call = |condition: &Value| judge(&compiled(condition.clone()), "/?page=12", &["x-kind: a"]);
    assert!(call(&passed));
    assert!(call(&json!({})));
    for (pointer, failed) in [
        ("/addresses", json!({ "not": ["192.0.2.7"] })),
        ("/environment", json!(["sandbox"])),
        ("/environment", json!({ "not": ["production"] })),
        ("/headers/x-kind", json!(["b"])),
        ("/headers/x-other", json!(["b"])),
        ("/query/page", json!(["2*"])),
    ] {
        let mut condition = passed.clone();
        *condition.pointer_mut(pointer).unwrap() = failed;
        assert!(!call(&condition), "{condition}");
    }
}
