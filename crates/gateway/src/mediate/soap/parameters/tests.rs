use super::*;
use crate::snapshot::soap_to_rest::Parameter;

fn parameter(at: At, name: &str, is_array: bool) -> Parameter {
    Parameter {
        at,
        name: name.into(),
        path: vec![name.into()],
        pointer: format!("/{name}"),
        is_array,
    }
}

fn resource() -> Resource {
    Resource {
        operation: 0,
        takes_body: false,
        is_one_way: false,
        parameters: vec![
            parameter(At::Segment(1), "id", false),
            parameter(At::Query, "tag", true),
            parameter(At::Query, "a b", false),
            parameter(At::Header, "X-Soap-Auth", false),
        ],
        fields: Vec::new(),
    }
}

/// The names and values read from a target and a field, and the faults as JSON.
fn values_of(target: &str, field: &[u8]) -> (Vec<(String, String)>, String) {
    let resource = resource();
    let fields = [(&b"x-soap-AUTH"[..], field), (b"x-other", b"y")];
    let read = read_values(&resource, target.as_bytes(), fields.into_iter());
    let values = read.parameters(&resource).into_iter();
    let values = values.map(|it| (it.path[0].clone(), it.text.to_owned()));
    let values = values.collect();
    (values, serde_json::to_string(&read.faults).unwrap())
}

#[test]
fn values_are_decoded_and_repeated_ones_come_in_their_order() {
    let (values, faults) = values_of("/orders/a%2Fb+%C3%A4?tag=1&tag=&&a+b=%2B+%26&tag", b"me");
    let expected = [
        ("id", "a/b+\u{e4}"),
        ("tag", "1"),
        ("tag", ""),
        ("a b", "+ &"),
        ("tag", ""),
        ("X-Soap-Auth", "me"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(values, expected);
    assert_eq!(faults, "[]");
}

#[test]
fn unknown_parameters_and_invalid_text_are_faults_that_name_them() {
    let (values, faults) = values_of("/orders/%zz?Tag=1&tag=%ff&b/c=", b"\xe4");
    assert_eq!(values, []);
    let rows: serde_json::Value = serde_json::from_str(&faults).unwrap();
    let rows = rows.as_array().unwrap().iter();
    let word = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
    let rows: Vec<String> = rows
        .map(|row| {
            let all = ["pointer", "in", "name", "detail"].map(|key| word(row, key));
            all.join(" ")
        })
        .collect();
    assert_eq!(
        rows,
        [
            "/id path id is not text in UTF-8",
            "/Tag query Tag is not known",
            "/tag query tag is not text in UTF-8",
            "/b~1c query b/c is not known",
            "/X-Soap-Auth header X-Soap-Auth is not text in UTF-8",
        ]
    );
}
