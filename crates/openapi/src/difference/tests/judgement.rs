//! Changes that are easily misjudged, in both directions.

use super::*;

const OK: &str = "ok";
const SAME: &str = "";
const UNJUDGED: &str = "unjudged";
const NARROWER_TYPE: &str = "request_type_narrower";
const WIDER_TYPE: &str = "response_type_wider";
const NARROWER_BOUND: &str = "request_bound_narrower";

/// Checks rows: a change of a schema, how it is judged in requests, and how in responses.
fn check(rows: &[(&str, &str, &str, &str)]) {
    for &(old, new, request, response) in rows {
        let expected = (request.to_owned(), response.to_owned());
        assert_eq!(judged(old, new), expected, "{old} -> {new}");
    }
}

/// The verdicts of a change of a path item, each once.
fn verdicts(old: &str, new: &str) -> String {
    let difference = between(Of::PathItem, old, new);
    words(&difference)
}

/// Checks rows: a change of a path item and its verdicts.
fn check_items(rows: &[(&str, &str, &str)]) {
    for &(old, new, expected) in rows {
        assert_eq!(verdicts(old, new), expected, "{old} -> {new}");
    }
}

#[test]
fn a_keyword_counts_for_values_of_its_type_alone() {
    check(&[
        (
            "{type: string}",
            "{maxLength: 5}",
            "ok request_bound_narrower",
            "ok response_null_added response_type_wider",
        ),
        (
            "{maxLength: 5}",
            "{type: string}",
            "ok request_null_removed request_type_narrower",
            "ok response_bound_wider",
        ),
        (
            "{type: string}",
            "{type: [string, integer], minimum: 3}",
            OK,
            WIDER_TYPE,
        ),
        (
            "{type: [string, integer], minimum: 3}",
            "{type: string}",
            NARROWER_TYPE,
            OK,
        ),
        (
            "{type: [string, integer]}",
            "{type: [string, integer], maxLength: 3}",
            NARROWER_BOUND,
            OK,
        ),
        (
            "{type: [object, string], properties: {a: {}}, required: [a]}",
            "{type: string}",
            NARROWER_TYPE,
            OK,
        ),
        (
            "{type: string}",
            "{type: [string, integer], format: date}",
            "ok request_type_narrower",
            "ok response_type_wider",
        ),
        (
            "{type: number, format: double}",
            "{type: integer, format: int64}",
            NARROWER_TYPE,
            OK,
        ),
        (
            "{type: string}",
            "{type: string, format: password}",
            SAME,
            SAME,
        ),
    ]);
}

#[test]
fn other_properties_match_all_schemas_of_a_merged_one() {
    let merged = "{allOf: [{additionalProperties: {type: string}}, \
                  {additionalProperties: {maxLength: 5}}]}";
    check(&[
        (
            merged,
            "{type: object, additionalProperties: {type: string, maxLength: 5}}",
            SAME,
            SAME,
        ),
        (
            merged,
            "{type: object, additionalProperties: {maxLength: 5}}",
            OK,
            "response_null_added response_type_wider",
        ),
        (
            "{type: object}",
            "{type: object, additionalProperties: {description: any}}",
            OK,
            OK,
        ),
        (
            "{type: object}",
            "{type: object, additionalProperties: {type: string}}",
            NARROWER_TYPE,
            OK,
        ),
        (
            "{type: object, additionalProperties: {type: string}}",
            "{type: object}",
            OK,
            WIDER_TYPE,
        ),
    ]);
}

#[test]
fn alternatives_that_both_changed_are_compared_with_each_other() {
    let of = |cat: &str, dog: &str| {
        format!(
            "{{oneOf: [{{type: object, properties: {{cat: {{type: {cat}}}}}}}, {{type: object, \
             properties: {{dog: {{type: {dog}}}}}}}]}}"
        )
    };
    let titled = |one: &str, other: &str| {
        let alternative = |it| format!("{{type: object, title: {it}, properties: {{{it}: {{}}}}}}");
        let one_of = format!("{{oneOf: [{}, {}]}}", alternative(one), alternative(other));
        one_of.replace("{}}}", "{}, more: {}}}")
    };
    check(&[
        (
            &of("integer", "integer"),
            &of("number", "number"),
            OK,
            WIDER_TYPE,
        ),
        (
            &of("number", "number"),
            &of("integer", "integer"),
            NARROWER_TYPE,
            OK,
        ),
        (
            &titled("a", "b").replace(", more: {}", ""),
            &titled("b", "a"),
            OK,
            OK,
        ),
        (
            "{type: object, properties: {k: {}}, oneOf: [{properties: {x: {type: string}}}, \
             {properties: {y: {}}}]}",
            "{type: object, properties: {k: {}, x: {type: integer}}}",
            "ok unjudged",
            "ok response_type_wider",
        ),
    ]);
}

#[test]
fn encodings_of_content_are_not_judged() {
    check(&[
        (
            "{type: string, contentEncoding: base64}",
            "{type: string, contentEncoding: base64url}",
            "ok unjudged",
            "response_type_wider unjudged",
        ),
        (
            "{type: string, contentMediaType: image/png}",
            "{type: string, contentMediaType: image/jpeg}",
            UNJUDGED,
            UNJUDGED,
        ),
    ]);
}

#[test]
fn schemas_are_found_by_anchor() {
    let with = |kind: &str, word: &str| {
        with_item(&item_with(Of::Response, &format!("{{{word}: '#node'}}")))
            + &format!("  schemas: {{A: {{$anchor: node, type: {kind}}}}}\n")
    };
    for word in ["$ref", "$dynamicRef"] {
        let difference = of(&with("integer", word), &with("number", word));
        assert_eq!(words(&difference), WIDER_TYPE, "{word}");
    }
}

#[test]
fn parameters_are_texts() {
    let parameter = |it: &str| format!("{{get: {{parameters: [{{name: a, in: query, {it}}}]}}}}");
    let rows = [
        ("schema: {type: integer}", "schema: {type: string}", OK),
        (
            "schema: {type: integer}",
            "schema: {type: string, maxLength: 1}",
            NARROWER_TYPE,
        ),
        (
            "schema: {type: string}",
            "schema: {type: integer}",
            NARROWER_TYPE,
        ),
        (
            "content: {application/json: {schema: {type: integer}}}",
            "content: {application/json: {schema: {type: string}}}",
            NARROWER_TYPE,
        ),
        (
            "schema: {type: array, items: {type: string}}",
            "schema: {type: string}",
            NARROWER_TYPE,
        ),
        (
            "schema: {type: string}",
            "explode: false, schema: {type: string}",
            SAME,
        ),
        ("schema: {}", "explode: false, schema: {}", NARROWER_TYPE),
        (
            "schema: {oneOf: [{type: string, format: date}, {type: array, items: {}}]}",
            "explode: false, \
             schema: {oneOf: [{type: string, format: date}, {type: array, items: {}}]}",
            NARROWER_TYPE,
        ),
        ("schema: {type: string}", "description: a", OK),
    ];
    for (old, new, expected) in rows {
        assert_eq!(
            verdicts(&parameter(old), &parameter(new)),
            expected,
            "{old} -> {new}"
        );
    }
    let path = |style: &str| {
        format!(
            "{{parameters: [{{name: a, in: path, required: true, style: {style}, \
             schema: {{type: string}}}}], get: {{}}}}"
        )
    };
    assert_eq!(verdicts(&path("simple"), &path("matrix")), NARROWER_TYPE);
    assert_eq!(verdicts(&path("label"), &path("label")), SAME);
}

#[test]
fn ranges_of_media_types_and_statuses_are_compared_with_what_they_cover() {
    let request = |content: &str| format!("{{post: {{requestBody: {{content: {content}}}}}}}");
    let responses = |it: &str| format!("{{get: {{responses: {it}}}}}");
    let response = |content: &str| responses(&format!("{{'200': {{content: {content}}}}}"));
    let text = "{schema: {type: string}}";
    let number = "{schema: {type: integer}}";
    let any = format!("{{'*/*': {text}}}");
    let any_and_json = format!("{{'*/*': {text}, application/json: {number}}}");
    let json = format!("{{application/json: {text}}}");
    let ranges = format!("{{'*/*': {number}, application/*: {text}}}");
    let of = |status: &str, schema: &str| {
        format!("'{status}': {{content: {{application/json: {schema}}}}}")
    };
    let (success, error) = (of("200", text), of("default", text));
    let both = format!("{{{success}, {error}}}");
    let range = format!("{{{}}}", of("2XX", text));
    let range_and_other = format!("{{{}, {}}}", of("2XX", text), of("201", number));
    check_items(&[
        (&request(&any), &request(&any_and_json), NARROWER_TYPE),
        (&response(&any), &response(&any_and_json), WIDER_TYPE),
        (&request(&json), &request(&ranges), OK),
        (&response(&json), &response(&any), UNJUDGED),
        (
            &responses(&range),
            &responses(&range_and_other),
            "ok response_type_wider",
        ),
        (
            &responses(&both),
            &responses(&format!("{{{error}}}")),
            UNJUDGED,
        ),
        (
            &responses(&format!("{{{error}}}")),
            &responses(&format!("{{{error}, {}}}", of("200", number))),
            UNJUDGED,
        ),
        (
            &responses(
                "{'200': {headers: {A: {content: {text/plain: {schema: {type: integer}}}}}}}",
            ),
            &responses(
                "{'200': {headers: {A: {content: {text/plain: {schema: {type: number}}}}}}}",
            ),
            WIDER_TYPE,
        ),
        (
            &responses("{'200': {headers: {A: {schema: {type: integer}}}}}"),
            &responses(
                "{'200': {headers: {A: {content: {text/plain: {schema: {type: integer}}}}}}}",
            ),
            UNJUDGED,
        ),
    ]);
}

#[test]
fn two_schemes_of_one_kind_have_the_scopes_of_both() {
    let with = |security: &str| {
        with_item(&format!("{{get: {{security: {security}}}}}"))
            + "    other: {type: oauth2, flows: {}}\n"
    };
    let old = with("[{oauth2: [a], other: [b]}]");
    assert_eq!(
        words(&of(&old, &with("[{oauth2: [a, c], other: [b]}]"))),
        "scope_added"
    );
    assert_eq!(words(&of(&old, &with("[{oauth2: [b], other: [a]}]"))), SAME);
}

#[test]
fn a_scheme_with_another_name_and_other_urls_is_reported() {
    let with = |name: &str, url: &str| {
        format!(
            "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths: {{/a: {{get: {{}}}}}}\n\
             security: [{{{name}: []}}]\ncomponents: {{securitySchemes: {{{name}: {{type: oauth2, \
             flows: {{clientCredentials: {{tokenUrl: '{url}'}}}}}}}}}}\n"
        )
    };
    assert_eq!(
        words(&of(&with("a", "https://a"), &with("b", "https://a"))),
        SAME
    );
    assert_eq!(
        words(&of(&with("a", "https://a"), &with("b", "https://b"))),
        UNJUDGED
    );
}
