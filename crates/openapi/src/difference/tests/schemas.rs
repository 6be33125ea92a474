//! Schemas, each change judged in requests and in responses.

use super::*;

/// A change of a schema, how it is judged in requests, and how in responses.
type Row = (&'static str, &'static str, &'static str, &'static str);

fn check(rows: &[Row]) {
    for &(old, new, request, response) in rows {
        let expected = (request.to_owned(), response.to_owned());
        assert_eq!(judged(old, new), expected, "{old} -> {new}");
    }
}

const OK: &str = "ok";
const SAME: &str = "";
const UNJUDGED: &str = "unjudged";
const NARROWER_TYPE: &str = "request_type_narrower";
const WIDER_TYPE: &str = "response_type_wider";
const NARROWER_BOUND: &str = "request_bound_narrower";
const WIDER_BOUND: &str = "response_bound_wider";

#[test]
fn types_and_formats() {
    check(&[
        (
            "{type: string}",
            "{type: integer}",
            NARROWER_TYPE,
            WIDER_TYPE,
        ),
        ("{type: integer}", "{type: number}", OK, WIDER_TYPE),
        ("{type: number}", "{type: integer}", NARROWER_TYPE, OK),
        ("{}", "{type: string}", NARROWER_TYPE, OK),
        ("{type: string}", "{}", OK, WIDER_TYPE),
        ("{}", "true", SAME, SAME),
        ("{}", "false", NARROWER_TYPE, OK),
        ("{type: string}", "{type: [string]}", SAME, SAME),
        (
            "{type: object}",
            "{properties: {}, type: object, title: A}",
            OK,
            OK,
        ),
        (
            "{properties: {a: {}}}",
            "{type: object, properties: {a: {}}}",
            SAME,
            SAME,
        ),
        ("{enum: [a]}", "{type: string, enum: [a]}", SAME, SAME),
        ("{items: {}}", "{type: array, items: true}", SAME, SAME),
        (
            "{type: integer, format: int32}",
            "{type: integer, format: int64}",
            OK,
            WIDER_TYPE,
        ),
        (
            "{type: number, format: double}",
            "{type: number, format: float}",
            NARROWER_TYPE,
            OK,
        ),
        (
            "{type: string}",
            "{type: string, format: date}",
            NARROWER_TYPE,
            OK,
        ),
        (
            "{type: string, format: date}",
            "{type: string, format: uuid}",
            NARROWER_TYPE,
            WIDER_TYPE,
        ),
        (
            "{type: string, format: byte}",
            "{type: string, contentEncoding: base64}",
            SAME,
            SAME,
        ),
    ]);
}

#[test]
fn null() {
    let (removed, added) = ("request_null_removed", "response_null_added");
    check(&[
        (
            "{type: string, nullable: true}",
            "{type: [string, 'null']}",
            SAME,
            SAME,
        ),
        (
            "{type: string, nullable: true}",
            "{anyOf: [{type: string}, {type: 'null'}]}",
            SAME,
            SAME,
        ),
        (
            "{type: string, nullable: true, enum: [a, null]}",
            "{enum: [a, null]}",
            SAME,
            SAME,
        ),
        ("{type: string}", "{type: [string, 'null']}", OK, added),
        (
            "{type: string, nullable: true}",
            "{type: string, nullable: false}",
            removed,
            OK,
        ),
        (
            "{type: object}",
            "{oneOf: [{type: object}, {type: 'null'}]}",
            OK,
            added,
        ),
        (
            "{nullable: true, allOf: [{type: object}]}",
            "{oneOf: [{type: object}, {type: 'null'}]}",
            SAME,
            SAME,
        ),
        (
            "{oneOf: [{type: object, title: A}, {type: string, format: date}]}",
            "{oneOf: [{type: object, title: A}, {type: string, format: date}, {type: 'null'}]}",
            OK,
            added,
        ),
    ]);
}

#[test]
fn enumerations() {
    let (narrower, wider) = ("request_enumeration_narrower", "response_enumeration_wider");
    check(&[
        ("{type: string}", "{type: string, enum: [a]}", narrower, OK),
        ("{type: string, enum: [a]}", "{type: string}", OK, wider),
        ("{enum: [a, b]}", "{enum: [b, a]}", SAME, SAME),
        (
            "{enum: [a, b]}",
            "{enum: [b, c]}",
            "ok request_enumeration_narrower",
            "ok response_enumeration_wider",
        ),
        ("{enum: [a]}", "{const: a}", SAME, SAME),
        (
            "{type: number, enum: [1, 2]}",
            "{type: number, enum: [1.0, 2.0]}",
            SAME,
            SAME,
        ),
        (
            "{allOf: [{enum: [a, b]}, {enum: [b, c]}]}",
            "{enum: [b]}",
            SAME,
            SAME,
        ),
    ]);
}

#[test]
fn bounds() {
    check(&[
        (
            "{type: number, minimum: 0, exclusiveMinimum: true}",
            "{type: number, exclusiveMinimum: 0}",
            SAME,
            SAME,
        ),
        (
            "{type: integer, exclusiveMinimum: 0}",
            "{type: integer, minimum: 1}",
            SAME,
            SAME,
        ),
        (
            "{type: number, minimum: 0}",
            "{type: number, exclusiveMinimum: 0}",
            NARROWER_BOUND,
            OK,
        ),
        (
            "{type: number, maximum: 5}",
            "{type: number, exclusiveMaximum: 5}",
            NARROWER_BOUND,
            OK,
        ),
        (
            "{type: number, maximum: 5}",
            "{type: number}",
            OK,
            WIDER_BOUND,
        ),
        ("{type: string, minLength: 0}", "{type: string}", SAME, SAME),
        (
            "{type: string}",
            "{type: string, maxLength: 5}",
            NARROWER_BOUND,
            OK,
        ),
        (
            "{type: array, items: {}}",
            "{type: array, items: {}, minItems: 1}",
            NARROWER_BOUND,
            OK,
        ),
        (
            "{type: array, uniqueItems: true}",
            "{type: array}",
            OK,
            WIDER_BOUND,
        ),
        (
            "{type: string}",
            "{type: string, pattern: a}",
            NARROWER_BOUND,
            OK,
        ),
        (
            "{type: string, pattern: a}",
            "{type: string}",
            OK,
            WIDER_BOUND,
        ),
        (
            "{type: string, pattern: a}",
            "{type: string, pattern: b}",
            UNJUDGED,
            UNJUDGED,
        ),
        (
            "{type: integer, multipleOf: 2}",
            "{type: integer, multipleOf: 6}",
            NARROWER_BOUND,
            OK,
        ),
        (
            "{type: number, multipleOf: 0.1}",
            "{type: number, multipleOf: 0.01}",
            OK,
            WIDER_BOUND,
        ),
        (
            "{type: integer, multipleOf: 2}",
            "{type: integer, multipleOf: 3}",
            NARROWER_BOUND,
            WIDER_BOUND,
        ),
        (
            "{type: object, maxProperties: 2}",
            "{type: object, maxProperties: 1}",
            NARROWER_BOUND,
            OK,
        ),
    ]);
}

#[test]
fn properties() {
    check(&[
        (
            "{properties: {a: {}, b: {}}}",
            "{properties: {a: {}}}",
            UNJUDGED,
            UNJUDGED,
        ),
        (
            "{properties: {a: {}}}",
            "{properties: {a: {}, b: {}}}",
            OK,
            OK,
        ),
        (
            "{properties: {a: {}}, required: [a]}",
            "{properties: {a: {}}}",
            OK,
            "response_property_removed",
        ),
        (
            "{properties: {a: {}, b: {}}, required: [a]}",
            "{properties: {b: {}}}",
            UNJUDGED,
            "response_property_removed",
        ),
        (
            "{properties: {a: {}}}",
            "{properties: {a: {}, b: {}}, required: [b]}",
            "property_required",
            OK,
        ),
        (
            "{properties: {a: {}, b: {readOnly: true}}}",
            "{properties: {a: {}, b: {readOnly: true}}, required: [b]}",
            SAME,
            OK,
        ),
        (
            "{properties: {a: {}, b: {writeOnly: true}}, required: [b]}",
            "{properties: {a: {}}}",
            UNJUDGED,
            SAME,
        ),
        (
            "{type: object}",
            "{type: object, additionalProperties: false}",
            NARROWER_BOUND,
            OK,
        ),
        (
            "{type: object, additionalProperties: true}",
            "{type: object, additionalProperties: {}}",
            SAME,
            SAME,
        ),
        (
            "{type: object, additionalProperties: false}",
            "{type: object, additionalProperties: {type: string}}",
            OK,
            WIDER_BOUND,
        ),
        (
            "{type: object, additionalProperties: {type: number}}",
            "{type: object, additionalProperties: {type: integer}}",
            NARROWER_TYPE,
            OK,
        ),
        (
            "{properties: {a: {}, b: {}}, additionalProperties: false}",
            "{properties: {a: {}}, additionalProperties: false}",
            NARROWER_BOUND,
            UNJUDGED,
        ),
        (
            "{properties: {a: {}}, additionalProperties: false}",
            "{properties: {a: {}, b: {}}, additionalProperties: false}",
            OK,
            WIDER_BOUND,
        ),
        (
            "{items: {items: {type: string}}}",
            "{items: {items: {type: [string, integer]}}}",
            OK,
            WIDER_TYPE,
        ),
        (
            "{allOf: [{properties: {a: {type: string}}}, {required: [a]}]}",
            "{properties: {a: {type: string}}, required: [a]}",
            SAME,
            SAME,
        ),
        (
            "{allOf: [{properties: {a: {type: string}}}, {properties: {a: {maxLength: 5}}}]}",
            "{properties: {a: {type: string, maxLength: 4}}}",
            NARROWER_BOUND,
            OK,
        ),
    ]);
}

#[test]
fn alternatives() {
    let (a, b) = ("{type: object, title: A}", "{type: string, format: date}");
    let c = "{type: boolean, title: C}";
    let one_of = |list: &[&str]| format!("{{oneOf: [{}]}}", list.join(", "));
    let check = |old: &str, new: &str, request: &str, response: &str| {
        let expected = (request.to_owned(), response.to_owned());
        assert_eq!(judged(old, new), expected, "{old} -> {new}");
    };
    check(&one_of(&[a, b]), &one_of(&[b, a]), SAME, SAME);
    check(
        &one_of(&[a, b]),
        &one_of(&[a, b]).replace("oneOf", "anyOf"),
        SAME,
        SAME,
    );
    check(&one_of(&[a, b]), &one_of(&[a, b, c]), OK, WIDER_TYPE);
    check(&one_of(&[a, b, c]), &one_of(&[a, c]), NARROWER_TYPE, OK);
    check(a, &one_of(&[a, b]), OK, WIDER_TYPE);
    check(&one_of(&[a, b]), a, NARROWER_TYPE, OK);
    check(&one_of(&[b]), b, SAME, SAME);
    check("{}", &one_of(&[a, b]), NARROWER_TYPE, OK);
    check(&one_of(&[a, b]), "{}", OK, WIDER_TYPE);
    check(
        &one_of(&[a, b]),
        &one_of(&[a, "{type: string}"]),
        OK,
        WIDER_TYPE,
    );
    check(
        "{anyOf: [{type: string}, {type: integer}]}",
        "{type: [integer, string]}",
        SAME,
        SAME,
    );
    check(
        "{type: [string, integer]}",
        &one_of(&[b, c]),
        UNJUDGED,
        UNJUDGED,
    );
    check(
        "{type: object, properties: {a: {}, b: {}}}",
        "{type: object, properties: {a: {}, b: {}}, anyOf: [{required: [a]}, {required: [b]}]}",
        NARROWER_TYPE,
        OK,
    );
}

#[test]
fn what_is_not_judged_is_reported() {
    check(&[
        (
            "{type: string, not: {enum: [a]}}",
            "{type: string, not: {enum: [b]}}",
            UNJUDGED,
            UNJUDGED,
        ),
        (
            "{type: string, not: {enum: [a, b]}}",
            "{type: string, not: {enum: [b, a], description: a}}",
            SAME,
            SAME,
        ),
        (
            "{type: string}",
            "{type: string, xml: {name: a}}",
            UNJUDGED,
            UNJUDGED,
        ),
        (
            "{type: string, xml: {name: a}}",
            "{type: string}",
            UNJUDGED,
            UNJUDGED,
        ),
        (
            "{type: string}",
            "{type: string, default: a}",
            UNJUDGED,
            SAME,
        ),
        ("{$ref: 'a.yaml'}", "{$ref: 'b.yaml'}", UNJUDGED, UNJUDGED),
        ("{$ref: 'a.yaml'}", "{$ref: 'a.yaml'}", SAME, SAME),
    ]);
}

fn with_schemas(schemas: &str, used: &str) -> String {
    let item = format!(
        "{{post: {{requestBody: {{content: {{application/json: {{schema: {used}}}}}}}, responses: \
         {{'200': {{content: {{application/json: {{schema: {used}}}}}}}}}}}, get: {{responses: \
         {{'200': {{content: {{application/json: {{schema: {used}}}}}}}}}}}}}"
    );
    with_item(&item) + "  schemas: " + schemas + "\n"
}

#[test]
fn circles_end_and_shared_schemas_are_judged_at_each_use() {
    let used = "{$ref: '#/components/schemas/Node'}";
    let schemas = "{Node: {type: object, properties: {next: {$ref: '#/components/schemas/Node'}, \
                   other: {$ref: '#/components/schemas/Other'}}}, Other: {type: object, nullable: \
                   true, properties: {nodes: {type: array, items: {allOf: [{$ref: \
                   '#/components/schemas/Node'}], nullable: true}}, size: {type: integer}}}}";
    let old = with_schemas(schemas, used);
    assert!(of(&old, &old).is_empty());
    let new = old.replace("type: integer", "type: number");
    let difference = of(&old, &new);
    assert_eq!(difference.changed.len(), 2);
    let at: Vec<_> = difference
        .changes()
        .map(|it| (&*it.pointer, it.breaking))
        .collect();
    let size = "/components/schemas/Other/properties/size";
    let expected = (size, Some(Rule::ResponseTypeWider));
    assert_eq!(at, [expected, (size, None), expected]);
    assert_eq!(
        sentences(&difference)[0],
        "In responses, `Other.size` is number instead of integer; callers may receive values that \
         they do not expect."
    );
    // Used from the inside of the circle, everything of it is reached too.
    let inside = "{$ref: '#/components/schemas/Other'}";
    let old = with_schemas(schemas, inside);
    let new = old.replace("{next:", "{first: {}, next:");
    assert_eq!(of(&old, &new).changed.len(), 2);
}

#[test]
fn references_to_nothing_and_to_themselves_end() {
    let schemas = "{A: {$ref: '#/components/schemas/B'}, B: {$ref: '#/components/schemas/A'}, \
                   C: {allOf: [{$ref: '#/components/schemas/C'}, {type: object, properties: {c: \
                   {$ref: '#/components/schemas/C', description: x, nullable: true}}}]}}";
    for used in ["A", "C", "Gone", "C/allOf/1", "%"] {
        let used = format!("{{$ref: '#/components/schemas/{used}'}}");
        let old = with_schemas(schemas, &used);
        assert!(of(&old, &old).is_empty(), "{used}");
        let other = with_schemas(&schemas.replace("object", "array"), &used);
        let difference = of(&old, &other);
        assert_eq!(
            difference.is_empty(),
            !used.contains('C'),
            "{used} {difference:#?}"
        );
    }
}

#[test]
fn a_component_with_another_name_is_the_same_schema() {
    let old = with_schemas(
        "{A: {type: object, properties: {a: {type: string}}}, B: {type: string, format: date}}",
        "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}",
    );
    let new = old.replace("schemas/A", "schemas/D").replace("{A:", "{D:");
    assert!(of(&old, &new).is_empty());
}
