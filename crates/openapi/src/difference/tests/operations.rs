//! Operations, without their schemas.

use super::*;

fn paths(paths: &str) -> String {
    format!("openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths: {paths}\n")
}

fn names<'o>(operations: impl IntoIterator<Item = &'o NamedOperation>) -> Vec<String> {
    let named = operations.into_iter();
    named
        .map(|it| format!("{} {}", it.method, it.path))
        .collect()
}

#[test]
fn operations_are_matched_by_method_and_shape_of_path() {
    let difference = of(
        &paths("{'/a/{x}': {get: {}, delete: {}}, /b: {get: {}}, /é: {get: {}}}"),
        &paths("{'/a/{y}': {get: {}, put: {}}, /c: {get: {}}, /%C3%A9: {get: {}}}"),
    );
    let alone = |all: &[LoneOperation]| names(all.iter().map(|it| &it.operation));
    assert_eq!(alone(&difference.removed), ["DELETE /a/{x}", "GET /b"]);
    assert_eq!(alone(&difference.added), ["PUT /a/{y}", "GET /c"]);
    let changed = difference.changed.iter().map(|it| &it.operation);
    assert_eq!(names(changed), ["GET /a/{y}", "GET /%C3%A9"]);
    assert_eq!(
        sentences(&difference)[4],
        "The path is `/a/{y}` instead of `/a/{x}`; existing calls are not affected."
    );
    let removed = &difference.removed[0];
    assert_eq!(removed.operation.pointer, "/paths/~1a~1{x}/delete");
    assert_eq!(removed.change.document, Which::Old);
    assert_eq!(removed.change.breaking, Some(Rule::OperationRemoved));
    assert!(difference.renames.is_empty());
}

#[test]
fn the_rest_of_a_path_is_no_segment() {
    let rest = |path: &str, sign: &str| {
        let parameter = "parameters: [{name: p, in: path, required: true}]";
        format!("'{path}': {{get: {{}}, x-tollgate-rest: '{sign}', {parameter}}}")
    };
    let any = rest("/files/{p}", "*");
    for (old, new, expected) in [
        // Deeper paths are gone.
        (
            any.clone(),
            "'/files/{p}': {get: {}}".to_owned(),
            "GET /files/{p*} is removed and its path now matches GET /files/{p}; calls that need \
             it fail. | GET /files/{p} is new and answers calls that GET /files/{p*} answered; \
             check whether existing calls are affected.",
        ),
        (
            format!("{any}, /files/a/b: {{get: {{}}}}"),
            any.clone(),
            "GET /files/a/b is removed and its path now matches GET /files/{p*}; calls that need \
             it fail.",
        ),
        // The sign may have become necessary; the parameter has it, too.
        (
            any,
            rest("/files/{p*}", "*").replace("name: p,", "name: 'p*',"),
            "",
        ),
        // Before there were rests, these were a star and one segment.
        (
            "/*: {get: {}}, '/b/{p+}': {get: {}}".to_owned(),
            format!("{}, {}", rest("/{rest}", "*"), rest("/b/{p}", "+")),
            "The path is `/{rest*}` instead of `/*`; existing calls are not affected.",
        ),
        (
            rest("/b/{p}", "+"),
            "'/b/{p+}': {get: {}}".to_owned(),
            "GET /b/{p+} is removed and its path now matches GET /b/{p%2B}; calls that need it \
             fail.",
        ),
    ] {
        let (old, new) = (format!("{{{old}}}"), format!("{{{new}}}"));
        let difference = of(&paths(&old), &paths(&new));
        let found = sentences(&difference).join(" | ");
        let is_found = found.starts_with(expected) && found.is_empty() == expected.is_empty();
        assert!(is_found, "{old} {new}: {found}");
    }
}

#[test]
fn a_path_parameter_with_another_name_is_the_same_parameter() {
    let old = "{'/a/{x}': {parameters: [{name: x, in: path, required: true, \
               schema: {type: integer}}], get: {}}}";
    let new = old.replace("{x}", "{y}").replace("name: x", "name: y");
    let difference = of(&paths(old), &paths(&new));
    assert_eq!(sentences(&difference).len(), 1, "{difference:#?}");
    let narrower = new.replace("integer", "integer, minimum: 5");
    let difference = of(&paths(old), &paths(&narrower));
    assert_eq!(
        broken(&difference),
        BTreeSet::from(["request_bound_narrower"])
    );
    assert_eq!(
        difference.changed[0].changes[0].sentence,
        "The path parameter `y` has a minimum of 5; calls that were valid may be rejected."
    );
    let pointer = "/paths/~1a~1{y}/parameters/0/schema";
    assert_eq!(difference.changed[0].changes[0].pointer, pointer);
}

#[test]
fn another_path_with_the_same_operation_id_is_proposed_as_a_rename() {
    let difference = of(
        &paths("{/a: {get: {operationId: list}, post: {operationId: make}}}"),
        &paths(
            "{/b: {get: {operationId: list, parameters: [{name: p, in: query, \
             required: true}]}, put: {operationId: make}}}",
        ),
    );
    let [rename] = &*difference.renames else {
        panic!("{:#?}", difference.renames);
    };
    assert_eq!((&*rename.from.path, &*rename.to.path), ("/a", "/b"));
    let rules: Vec<_> = rename.changes.iter().filter_map(|it| it.breaking).collect();
    assert_eq!(rules, [Rule::ParameterRequired]);
    assert_eq!(broken(&difference), BTreeSet::from(["operation_removed"]));
}

#[test]
fn operations_that_import_leaves_out_are_not_compared() {
    let difference = of(
        &paths(
            "{'/a/{x}': {get: {}}, '/a/{y}': {get: {deprecated: true}, put: {}}, \
             x-a: {get: {}}, 'no': {get: {}}}",
        ),
        &paths("{'/a/{x}': {get: {}, GET: {}}, '/a/{y}': {put: {}}}"),
    );
    assert!(difference.is_empty(), "{difference:#?}");
}

#[test]
fn path_items_are_followed() {
    let new = "{/a: {$ref: '#/components/pathItems/A'}}\ncomponents: {pathItems: {A: {get: \
               {parameters: [{$ref: '#/components/parameters/P'}]}}}, parameters: {P: {name: p, \
               in: query, required: true}}}";
    let difference = of(&paths("{/a: {get: {}}}"), &paths(new));
    assert_eq!(broken(&difference), BTreeSet::from(["parameter_required"]));
    assert_eq!(
        difference.changed[0].changes[0].pointer,
        "/components/parameters/P"
    );
}

#[test]
fn parameters_are_judged_by_place_and_name() {
    let judge = |old: &str, new: &str| {
        let item = |list| format!("{{get: {{parameters: [{list}]}}}}");
        let difference = between(Of::PathItem, &item(old), &item(new));
        let broken = broken(&difference)
            .into_iter()
            .collect::<Vec<_>>()
            .join(" ");
        (broken, difference.changes().count())
    };
    let is = |rule: &str, count| (rule.to_owned(), count);
    let header = "{name: X-A, in: header, schema: {type: string}}";
    assert_eq!(judge(header, &header.replace("X-A", "x-a")), is("", 0));
    assert_eq!(
        judge(header, &header.replace("header", "query")),
        is("parameter_removed", 2)
    );
    assert_eq!(
        judge(header, "{name: Accept, in: header}"),
        is("parameter_removed", 1)
    );
    let list = "{name: a, in: query, schema: {type: array, items: {type: string}}}";
    assert_eq!(
        judge(
            list,
            &list.replace("query,", "query, style: form, explode: true,")
        ),
        is("", 0)
    );
    assert_eq!(
        judge(list, &list.replace("query,", "query, explode: false,")),
        is("request_type_narrower", 1)
    );
    let text = "{name: a, in: query, schema: {type: string}}";
    assert_eq!(
        judge(text, &text.replace("query,", "query, explode: false,")),
        is("", 0)
    );
    assert_eq!(
        judge(text, &text.replace("query,", "query, deprecated: true,")),
        is("", 1)
    );
    assert_eq!(
        judge(
            text,
            "{name: a, in: query, content: {application/json: {schema: {type: string}}}}"
        ),
        is("request_type_narrower", 1)
    );
}

#[test]
fn responses_are_covered_by_ranges_and_the_default() {
    let judge = |old: &str, new: &str| {
        let item = |responses| format!("{{get: {{responses: {responses}}}}}");
        let difference = between(Of::PathItem, &item(old), &item(new));
        broken(&difference)
            .into_iter()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let json = |schema: &str| format!("{{content: {{application/json: {{schema: {schema}}}}}}}");
    let (text, number) = (json("{type: string}"), json("{type: integer}"));
    let one = |status: &str, it: &str| format!("{{'{status}': {it}}}");
    assert_eq!(judge(&one("200", &text), &one("2XX", &text)), "");
    assert_eq!(judge(&one("200", &text), &one("default", &text)), "");
    assert_eq!(
        judge(&one("200", &text), &one("2xx", &number)),
        "response_type_wider"
    );
    assert_eq!(judge(&one("200", &text), "{}"), "response_removed");
    assert_eq!(judge(&one("404", &text), "{}"), "");
    assert_eq!(
        judge(&one("200", &text), &one("200", "{}")),
        "media_type_removed"
    );
    let old = one("default", &text);
    let new = format!("{{default: {text}, '404': {number}}}");
    assert_eq!(judge(&old, &new), "response_type_wider");
    let new = format!("{{default: {text}, '201': {number}}}");
    assert_eq!(judge(&old, &new), "");
    let header = |it: &str| one("200", &format!("{{headers: {it}}}"));
    let old = header("{X-A: {required: true, schema: {type: string}}, X-B: {}}");
    assert_eq!(
        judge(
            &old,
            &header("{x-a: {required: true, schema: {type: string}}}")
        ),
        ""
    );
    assert_eq!(
        judge(&old, &header("{X-A: {schema: {type: string}}}")),
        "response_property_removed"
    );
    assert_eq!(judge(&old, &header("{}")), "response_property_removed");
}

#[test]
fn media_types_are_compared_as_ranges_without_charset() {
    let judge = |usage, old: &str, new: &str| {
        let item = |name| match usage {
            Of::Response => {
                format!("{{get: {{responses: {{'200': {{content: {{{name}: {{}}}}}}}}}}}}")
            }
            _ => format!("{{post: {{requestBody: {{content: {{{name}: {{}}}}}}}}}}"),
        };
        let difference = between(Of::PathItem, &item(old), &item(new));
        let words = difference.changes().map(|it| match it.breaking {
            Some(rule) => rule.word(),
            None if it.judged => "ok",
            None => "unjudged",
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let json = "application/json";
    assert_eq!(
        judge(Of::Request, json, "'application/JSON; charset=utf-8'"),
        ""
    );
    assert_eq!(judge(Of::Request, json, "'*/*'"), "ok");
    assert_eq!(judge(Of::Request, "'*/*'", json), "media_type_removed");
    assert_eq!(judge(Of::Response, "'*/*'", json), "unjudged");
    assert_eq!(
        judge(Of::Response, json, "text/csv"),
        "media_type_removed ok"
    );
}

#[test]
fn security_is_compared_by_what_callers_send() {
    let judge = |old: &str, new: &str| {
        let item = |list| format!("{{get: {{security: {list}}}}}");
        let difference = between(Of::PathItem, &item(old), &item(new));
        let broken = broken(&difference)
            .into_iter()
            .collect::<Vec<_>>()
            .join(" ");
        (broken, difference.changes().count())
    };
    let is = |rule: &str, count| (rule.to_owned(), count);
    assert_eq!(judge("[]", "[{}]"), is("", 0));
    assert_eq!(judge("[]", "[{key: []}]"), is("security_required", 1));
    assert_eq!(judge("[]", "[{key: []}, {}]"), is("", 1));
    assert_eq!(judge("[{key: []}]", "[]"), is("", 1));
    assert_eq!(
        judge("[{key: []}]", "[{key: [], oauth2: []}]"),
        is("security_required", 1)
    );
    assert_eq!(
        judge("[{key: [], oauth2: [a]}]", "[{oauth2: [a]}]"),
        is("", 1)
    );
    assert_eq!(
        judge("[{oauth2: [a]}]", "[{oauth2: [a, b]}, {oauth2: [a]}]"),
        is("", 1)
    );
    let old = with_item("{get: {security: [{key: []}]}}");
    let other_name = old.replace("key:", "other:");
    assert!(of(&old, &other_name).is_empty());
    let shared = with_item("{get: {}}").replace("paths:", "security: [{key: []}]\npaths:");
    assert!(of(&old, &shared).is_empty());
    let other_header = old.replace("X-Key", "X-Other");
    assert_eq!(
        broken(&of(&old, &other_header)),
        BTreeSet::from(["security_required"])
    );
}

#[test]
fn descriptions_are_one_change_and_examples_none() {
    let old = "{get: {summary: a, description: b, responses: {'200': {description: c, content: \
               {application/json: {schema: {description: d, type: string, example: e}}}}}}}";
    let new = old
        .replace(": a", ": f")
        .replace(": d,", ": g,")
        .replace(": c", ": h");
    let difference = between(Of::PathItem, old, &new);
    assert_eq!(
        sentences(&difference),
        ["Descriptions changed; existing calls are not affected."]
    );
    assert_eq!(
        difference.changed[0].changes[0].pointer,
        "/paths/~1pets/get"
    );
    let new = old.replace("example: e", "examples: [f], x-a: 1");
    assert!(between(Of::PathItem, old, &new).is_empty());
}

#[test]
fn callbacks_webhooks_and_urls_of_schemes_are_reported_unjudged() {
    let unjudged = |difference: &Difference| {
        let changes: Vec<_> = difference.changes().collect();
        changes.len() == 1 && !changes[0].judged && changes[0].breaking.is_none()
    };
    let callbacks = "{get: {callbacks: {on: {'{$request.body#/url}': {post: {description: a}}}}}}";
    assert!(between(Of::PathItem, callbacks, &callbacks.replace(": a", ": b")).is_empty());
    let other = callbacks.replace("post", "put");
    assert!(unjudged(&between(Of::PathItem, callbacks, &other)));
    let old = with_item("{get: {}}");
    let new = format!("{old}webhooks: {{a: {{post: {{}}}}}}\n");
    assert!(unjudged(&of(&old, &new)) && unjudged(&of(&new, &old)));
    let flows = |url: &str| {
        let flows = format!("flows: {{clientCredentials: {{tokenUrl: '{url}'}}}}");
        old.replace("flows: {}", &flows)
    };
    assert!(unjudged(&of(&flows("https://a"), &flows("https://b"))));
}
