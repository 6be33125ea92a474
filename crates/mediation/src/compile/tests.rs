use serde_json::{Value, json};
use tollgate_model::api::{Configuration, Kind, Method};
use tollgate_model::fault::Fault;
use tollgate_model::template::PathTemplate;

use super::{compile, compile_saved, compile_with_examples};
use crate::mock::{Example, Examples, NoExamples};
use crate::program::Action;

fn configuration(policies: &Value) -> Configuration {
    let configuration = json!({
        "operations": [
            { "method": "GET", "path": "/pets/{pet}" },
            { "method": "POST", "path": "/orders" },
        ],
        "security": { "api_key": { "header": "x-key", "query": "key" }, "oauth2": {} },
        "upstream": {
            "url": "http://a", "credential": { "header": { "name": "x-secret", "value": "s" } },
        },
        "policies": policies,
    });
    serde_json::from_value(configuration).unwrap()
}

fn faults(policies: &Value, kind: Kind) -> Vec<(String, String)> {
    let faults = compile(&configuration(policies), kind).err();
    let faults = faults.unwrap_or_default().into_iter();
    let parts = |Fault { field, code, .. }| (field, code);
    faults.map(parts).collect()
}

#[test]
fn every_wrong_step_is_a_fault_at_its_field() {
    let set =
        |name: &str, value: &str| json!({ "policy": "set_header", "name": name, "value": value });
    let rows = [
        (
            "request",
            set("x-a", "{{ request.nothing }}"),
            "/value",
            "policy.template",
        ),
        ("request", set("x-a", "a\r\nb"), "/value", "policy.template"),
        (
            "request",
            set("x-a", "{{ response.status }}"),
            "/value",
            "policy.template",
        ),
        (
            "request",
            set("x-a", "{{ path.other }}"),
            "",
            "policy.expression",
        ),
        (
            "request",
            set("x-a", "{{ var.other }}"),
            "",
            "policy.expression",
        ),
        ("request", set("host", "a"), "/name", "policy.header"),
        (
            "request",
            set("Content-Length", "a"),
            "/name",
            "policy.header",
        ),
        (
            "request",
            set("x-forwarded-for", "a"),
            "/name",
            "policy.header",
        ),
        (
            "request",
            set("x_tollgate.identity", "a"),
            "/name",
            "policy.header",
        ),
        ("request", set("RateLimit", "a"), "/name", "policy.header"),
        (
            "request",
            set("transfer_encoding", "a"),
            "/name",
            "policy.header",
        ),
        (
            "request",
            set("X_Forwarded.For", "a"),
            "/name",
            "policy.header",
        ),
        ("request", set("x.key", "a"), "/name", "policy.header"),
        ("request", set("X_Secret", "a"), "/name", "policy.header"),
        (
            "request",
            set("Authorization", "a"),
            "/name",
            "policy.header",
        ),
        ("request", set("X-Key", "a"), "/name", "policy.header"),
        ("request", set("x-secret", "a"), "/name", "policy.header"),
        ("request", set("cookie", "a"), "/name", "policy.header"),
        ("request", set("a b", "a"), "/name", "policy.header"),
        (
            "request",
            json!({ "policy": "remove_header", "names": ["*"] }),
            "/names/0",
            "policy.value",
        ),
        (
            "request",
            json!({ "policy": "remove_header", "names": ["host"] }),
            "/names/0",
            "policy.header",
        ),
        (
            "request",
            json!({ "policy": "remove_header", "names": [] }),
            "/names",
            "policy.value",
        ),
        (
            "request",
            json!({ "policy": "rename_header", "from": "x-a", "to": "via" }),
            "/to",
            "policy.header",
        ),
        (
            "request",
            json!({ "policy": "set_query", "name": "key", "value": "a" }),
            "/name",
            "policy.value",
        ),
        (
            "request",
            json!({ "policy": "rewrite_path", "path": "pets" }),
            "/path",
            "policy.path",
        ),
        (
            "request",
            json!({ "policy": "rewrite_path", "path": "/a?b" }),
            "/path",
            "policy.path",
        ),
        (
            "request",
            json!({ "policy": "rewrite_path", "path": "/a/%2E./b" }),
            "/path",
            "policy.path",
        ),
        (
            "request",
            json!({ "policy": "set_method", "method": "HEAD" }),
            "/method",
            "policy.value",
        ),
        (
            "request",
            json!({ "policy": "set_status", "status": 200 }),
            "/policy",
            "policy.place",
        ),
        (
            "response",
            json!({ "policy": "set_method", "method": "GET" }),
            "/policy",
            "policy.place",
        ),
        (
            "response",
            json!({ "policy": "set_status", "status": 199 }),
            "/status",
            "policy.value",
        ),
        (
            "response",
            json!({ "policy": "set_status", "status": 204 }),
            "/status",
            "policy.value",
        ),
        (
            "request",
            json!({ "policy": "let", "name": "a-b", "value": "1" }),
            "/name",
            "policy.value",
        ),
        (
            "request",
            json!({ "policy": "let", "name": "a", "value": "1 +" }),
            "/value",
            "policy.expression",
        ),
        (
            "request",
            json!({ "policy": "let", "name": "a", "value": "x.matches(\"(?=a)\")" }),
            "/value",
            "policy.expression",
        ),
        (
            "request",
            json!({ "policy": "let", "name": "a", "value": "request.path.matches(request.id)" }),
            "/value",
            "policy.expression",
        ),
        (
            "request",
            json!({ "policy": "respond", "status": 200, "body": "a" }),
            "/content_type",
            "policy.value",
        ),
        (
            "request",
            json!({ "policy": "respond", "status": 204, "body": "a", "content_type": "a/b" }),
            "/body",
            "policy.value",
        ),
        (
            "request",
            json!({ "policy": "respond", "status": 200, "headers": { "via": "a" } }),
            "/headers/via",
            "policy.header",
        ),
        (
            "request",
            json!({ "policy": "mock" }),
            "/status",
            "policy.example",
        ),
        (
            "response",
            json!({ "policy": "json_to_xml", "root": "1" }),
            "/root",
            "policy.value",
        ),
        (
            "response",
            json!({ "policy": "xml_to_json", "attributes": "_" }),
            "/attributes",
            "policy.value",
        ),
        (
            "response",
            json!({ "policy": "xml_to_json", "text": "@text" }),
            "/text",
            "policy.value",
        ),
        (
            "response",
            json!({ "policy": "xml_to_json", "arrays": ["a", "a//b"] }),
            "/arrays/1",
            "policy.value",
        ),
        (
            "response",
            json!({ "policy": "compress", "min_bytes": 0 }),
            "/min_bytes",
            "policy.value",
        ),
        (
            "error",
            json!({ "if": "error.code", "policy": "let", "name": "a", "value": "1" }),
            "/policy",
            "policy.place",
        ),
    ];
    for (list, step, field, code) in rows {
        let fields = faults(&json!({ list: [step] }), Kind::Rest);
        let expected = (format!("/policies/{list}/0{field}"), code.to_owned());
        assert_eq!(fields, [expected], "{step}");
    }
}

#[test]
fn every_wrong_step_on_bodies_is_a_fault_at_its_field() {
    let template = |template: Value| json!({ "policy": "json_template", "template": template });
    let each = |inner: Value| json!({ "$each": "body", "$as": "x", "$do": inner });
    let named = |name: &str, inner: Value| json!({ "$each": "body", "$as": name, "$do": inner });
    let deep = named("a", named("b", named("c", named("d", json!(1)))));
    let nested = (0..33).fold(json!(1), |inner, _| json!([inner]));
    let edit = |edit: Value| json!({ "policy": "json_edit", "edits": [edit] });
    let remove = |path: &str| edit(json!({ "remove": path }));
    let mask = |paths: Value| json!({ "policy": "mask", "paths": paths });
    let threats =
        |field: &str, value: Value| json!({ "policy": "threat_protection", field: value });
    let patterns = |value: &str| threats("patterns", json!([value]));
    let long = format!("$.{}", "a".repeat(255));
    let rows = [
        (
            template(json!({ "a": ["{{ 1 + }}"] })),
            "/template/a/0",
            "policy.template",
        ),
        (
            template(json!({ "a/b": "{{ x }}" })),
            "/template/a~1b",
            "policy.template",
        ),
        (
            template(json!({ "a": "{{ body" })),
            "/template/a",
            "policy.template",
        ),
        (
            template(json!({ "a": 1e300 })),
            "/template/a",
            "policy.template",
        ),
        (
            template(json!(vec![1; 10_000])),
            "/template",
            "policy.template",
        ),
        (template(nested), &"/0".repeat(33), "policy.template"),
        (
            template(json!({ "$each": "body", "$as": "x", "$do": 1, "b": 2 })),
            "/template/b",
            "policy.template",
        ),
        (
            template(json!({ "$each": "body", "$do": 1 })),
            "/template/$as",
            "policy.template",
        ),
        (
            template(json!({ "$each": "body", "$as": "x" })),
            "/template",
            "policy.template",
        ),
        (
            template(json!({ "$each": 1, "$as": "x", "$do": 1 })),
            "/template/$each",
            "policy.template",
        ),
        (
            template(json!({ "$each": "1 +", "$as": "x", "$do": 1 })),
            "/template/$each",
            "policy.expression",
        ),
        (
            template(named("a-b", json!(1))),
            "/template/$as",
            "policy.value",
        ),
        (
            template(named("body", json!(1))),
            "/template/$as",
            "policy.template",
        ),
        (
            template(named("true", json!(1))),
            "/template/$as",
            "policy.template",
        ),
        (
            template(each(each(json!(1)))),
            "/template/$do/$as",
            "policy.template",
        ),
        (template(deep), "/template/$do/$do/$do", "policy.template"),
        (
            template(json!([each(json!(1)), "{{ x }}"])),
            "/template/1",
            "policy.template",
        ),
        (
            json!({ "policy": "json_template", "template": 1, "bytes_max": 0 }),
            "/bytes_max",
            "policy.value",
        ),
        (
            json!({ "policy": "json_template", "template": 1, "bytes_max": 10_485_761 }),
            "/bytes_max",
            "policy.value",
        ),
        (
            json!({ "policy": "json_edit", "edits": [] }),
            "/edits",
            "policy.value",
        ),
        (
            json!({ "policy": "json_edit", "edits": vec![json!({ "remove": "$.a" }); 65] }),
            "/edits",
            "policy.value",
        ),
        (
            edit(json!({ "set": "$.a", "value": "1 +" })),
            "/edits/0/value",
            "policy.expression",
        ),
        (
            edit(json!({ "set": "a", "value": "1" })),
            "/edits/0/set",
            "policy.path",
        ),
        (
            edit(json!({ "rename": "$.a", "to": "a" })),
            "/edits/0/to",
            "policy.value",
        ),
        (
            edit(json!({ "rename": "$.a", "to": "a".repeat(257) })),
            "/edits/0/to",
            "policy.value",
        ),
        (
            edit(json!({ "rename": "$.*", "to": "a" })),
            "/edits/0/rename",
            "policy.path",
        ),
        (
            edit(json!({ "rename": "$['a','b']", "to": "c" })),
            "/edits/0/rename",
            "policy.path",
        ),
        (remove("$"), "/edits/0/remove", "policy.path"),
        (remove("$.a[1:2]"), "/edits/0/remove", "policy.path"),
        (remove("$.a[?@.b]"), "/edits/0/remove", "policy.path"),
        (remove("$.1"), "/edits/0/remove", "policy.path"),
        (remove("$a"), "/edits/0/remove", "policy.path"),
        (remove("$."), "/edits/0/remove", "policy.path"),
        (remove("$.[0]"), "/edits/0/remove", "policy.path"),
        (remove("$[01]"), "/edits/0/remove", "policy.path"),
        (remove("$[-0]"), "/edits/0/remove", "policy.path"),
        (
            remove("$[9007199254740992]"),
            "/edits/0/remove",
            "policy.path",
        ),
        (remove("$['a"), "/edits/0/remove", "policy.path"),
        (remove("$['\\ud800']"), "/edits/0/remove", "policy.path"),
        (remove("$['\\\"']"), "/edits/0/remove", "policy.path"),
        (remove(&long), "/edits/0/remove", "policy.path"),
        (
            remove(&format!("${}", ".a".repeat(17))),
            "/edits/0/remove",
            "policy.path",
        ),
        (mask(json!([])), "/paths", "policy.value"),
        (mask(json!(["$.a", "$.b["])), "/paths/1", "policy.path"),
        (
            mask(json!(vec![format!("${}", ".a".repeat(16)); 9])),
            "/paths",
            "policy.value",
        ),
        (threats("depth", json!(65)), "/depth", "policy.value"),
        (threats("items", json!(0)), "/items", "policy.value"),
        (
            threats("patterns", json!(vec!["a"; 17])),
            "/patterns",
            "policy.value",
        ),
        (patterns(""), "/patterns/0", "policy.value"),
        (patterns(&"a".repeat(257)), "/patterns/0", "policy.value"),
        (patterns("(?=a)"), "/patterns/0", "policy.pattern"),
        (patterns("("), "/patterns/0", "policy.pattern"),
    ];
    for (step, field, code) in rows {
        let list = match step["policy"] == "mask" {
            true => "response",
            false => "request",
        };
        let field = match field.starts_with("/0/0") {
            true => format!("/policies/{list}/0/template{field}"),
            false => format!("/policies/{list}/0{field}"),
        };
        let fields = faults(&json!({ list: [step] }), Kind::Rest);
        assert_eq!(fields, [(field, code.to_owned())], "{step}");
    }
}

#[test]
fn all_faults_are_returned_at_once() {
    let wrong = json!({ "policy": "set_header", "if": "1 +", "name": "host", "value": "{{" });
    let policies = json!({
        "request": [wrong], "response": vec![wrong.clone(); 65],
        "operations": [
            { "operations": ["GET /pets/{pet}", "GET /gone"], "request": [wrong] },
            { "operations": ["GET /pets/{pet}"] },
            { "operations": [] },
        ],
    });
    let fields: Vec<_> = faults(&policies, Kind::Rest)
        .into_iter()
        .map(|it| it.0)
        .collect();
    let expected = [
        "/policies/request/0/if",
        "/policies/request/0/name",
        "/policies/request/0/value",
        "/policies/response",
        "/policies/operations/0/operations/1",
        "/policies/operations/1/operations/0",
        "/policies/operations/2/operations",
        "/policies/operations/0/request/0/if",
        "/policies/operations/0/request/0/name",
        "/policies/operations/0/request/0/value",
    ];
    assert_eq!(fields, expected);
}

#[test]
fn a_back_end_with_one_target_has_no_steps_for_targets() {
    for kind in [Kind::Soap, Kind::SoapToRest] {
        let policies = json!({ "request": [
            { "policy": "set_query", "name": "a", "value": "b" },
            { "policy": "set_method", "method": "GET" },
            { "policy": "set_header", "name": "x-a", "value": "b" },
        ] });
        let fields = faults(&policies, kind);
        let at = |index| {
            (
                format!("/policies/request/{index}/policy"),
                "policy.kind".to_owned(),
            )
        };
        assert_eq!(fields, [at(0), at(1)], "{kind:?}");
    }
}

#[test]
fn messages_of_a_soap_service_have_no_steps_that_need_the_body() {
    let rows = [
        ("request", json!({ "policy": "threat_protection" })),
        (
            "request",
            json!({ "policy": "json_edit", "edits": [{ "remove": "$.a" }] }),
        ),
        (
            "request",
            json!({ "policy": "let", "name": "a", "value": "body.a" }),
        ),
        (
            "request",
            json!({
                "if": "body.a == 1", "policy": "set_header", "name": "x-a", "value": "b",
            }),
        ),
        ("response", json!({ "policy": "mask", "paths": ["$.a"] })),
        ("response", json!({ "policy": "xml_to_json" })),
        ("response", json!({ "policy": "compress" })),
    ];
    for (list, step) in rows {
        let policies = json!({ list: [step] });
        let field = format!("/policies/{list}/0/policy");
        assert_eq!(
            faults(&policies, Kind::Soap),
            [(field, "policy.kind".to_owned())],
            "{step}"
        );
        assert_eq!(faults(&policies, Kind::SoapToRest), [], "{step}");
    }
}

#[test]
fn lists_of_operations_follow_or_precede_those_of_the_version() {
    let set = |value: &str| json!({ "policy": "set_header", "name": "x-a", "value": value });
    let policies = json!({
        "request": [set("version")], "response": [set("version")],
        "operations": [
            { "operations": ["POST /orders"], "request": [set("own")], "response": [set("own")] },
            { "operations": ["GET /pets/{pet}"], "mode": "replace", "request": [set("own")] },
        ],
    });
    let compiled = compile(&configuration(&policies), Kind::Rest).unwrap();
    let bytes = compiled.to_bytes().unwrap();
    assert_eq!(
        super::Compiled::from_bytes(&bytes).unwrap(),
        Some(compiled.clone())
    );
    let [version, appended, replaced] = &compiled.programs[..] else {
        panic!("{compiled:?}");
    };
    assert_eq!(appended.request.len(), 2);
    assert_eq!(appended.request[0], version.request[0]);
    assert_eq!(appended.response[1], version.response[0]);
    assert_eq!((replaced.request.len(), replaced.response.len()), (1, 0));
    let named: Vec<_> = compiled
        .of_operations
        .iter()
        .map(|it| (&*it.1, it.2))
        .collect();
    assert_eq!(named, [("/orders", 1), ("/pets/{pet}", 2)]);
}

#[test]
fn nothing_reads_a_compressed_body() {
    let replace = json!({ "policy": "replace_text", "pairs": [{ "from": "a", "to": "b" }] });
    let compress = json!({ "policy": "compress" });
    let header = json!({ "policy": "set_header", "name": "x-a", "value": "1" });
    let of_operation =
        |steps: Value| json!([{ "operations": ["POST /orders"], "response": steps }]);
    let place = |at: &str| vec![(format!("{at}/response"), "policy.place".to_owned())];
    let rows = [
        (
            json!({ "response": [replace, compress, header, compress] }),
            Vec::new(),
        ),
        (
            json!({ "response": [compress, replace] }),
            place("/policies"),
        ),
        (
            json!({ "response": [replace], "operations": of_operation(json!([compress])) }),
            place("/policies/operations/0"),
        ),
        (
            json!({ "response": [compress], "operations": of_operation(json!([replace])) }),
            Vec::new(),
        ),
    ];
    for (policies, expected) in rows {
        assert_eq!(faults(&policies, Kind::Rest), expected, "{policies}");
    }
}

/// A document with an example of one operation.
struct OneExample;

impl Examples for OneExample {
    fn find(
        &self,
        method: Method,
        _: &PathTemplate,
        status: u16,
        _: Option<&str>,
    ) -> Option<Example> {
        let is_it = method == Method::Get && status == 200;
        is_it.then(Example::default)
    }
}

#[test]
fn a_mock_has_an_example_of_each_of_its_operations() {
    let faults = |policies: &Value| {
        let compiled = compile_with_examples(&configuration(policies), Kind::Rest, &OneExample);
        let faults = compiled.err().unwrap_or_default().into_iter();
        faults.map(|it| (it.field, it.detail)).collect::<Vec<_>>()
    };
    let own = |mode: &str| {
        let steps = json!([{ "policy": "respond", "status": 200 }]);
        json!([{ "operations": ["POST /orders"], "mode": mode, "request": steps }])
    };
    let missing = |field: &str, what: &str, status: u16| {
        let detail = format!(
            "the version's document has no example{what} of a response with status {status} of "
        );
        (format!("/policies/request/0/{field}"), detail)
    };
    let orders = |(field, detail): (String, String)| (field, detail + "POST /orders");
    let both =
        |(field, detail): (String, String)| (field, detail + "GET /pets/{pet}, POST /orders");
    let mock = json!({ "policy": "mock" });
    let named = json!({ "policy": "mock", "example": "a", "status": 404 });
    let rows = [
        (
            json!({ "request": [mock] }),
            vec![orders(missing("status", "", 200))],
        ),
        (
            json!({ "request": [named] }),
            vec![both(missing("example", " \"a\"", 404))],
        ),
        (
            json!({ "request": [mock], "operations": own("append") }),
            vec![orders(missing("status", "", 200))],
        ),
        (
            json!({ "request": [mock], "operations": own("replace") }),
            Vec::new(),
        ),
    ];
    for (policies, expected) in rows {
        assert_eq!(faults(&policies), expected, "{policies}");
    }
    let policies = json!({ "request": [mock], "operations": own("replace") });
    let configuration = configuration(&policies);
    let compiled = compile_with_examples(&configuration, Kind::Rest, &OneExample).unwrap();
    assert!(compiled.always_responds());
    let Action::Mock(mock) = &compiled.programs[0].request[0].action else {
        panic!("a mock");
    };
    let operations: Vec<_> = mock.examples.iter().map(|it| &*it.0).collect();
    assert_eq!(operations, ["GET /pets/{pet}"]);
}

#[test]
fn steps_that_differ_with_each_call_are_not_part_of_a_stored_response() {
    let set = |value: &str| json!({ "policy": "set_header", "name": "x-a", "value": value });
    let keep = |value: &str| json!({ "policy": "let", "name": "v", "value": value });
    let (id, now) = ("{{ request.id }}", "{{ now }}");
    let respond = json!({ "policy": "respond", "status": 503, "if": "now > 5" });
    let template = json!({ "policy": "json_template", "template": {} });
    let faults_of = |policies: Value| faults(&policies, Kind::Rest);
    let fault = |at: &str| vec![(at.to_owned(), "cache.step".to_owned())];
    let rows = [
        (
            json!({ "cache": {}, "request": [respond, set("{{ request.address }}")] }),
            vec![],
        ),
        (json!({ "request": [set(id), set(now)] }), vec![]),
        (
            json!({ "cache": { "enabled": false }, "request": [set(id)] }),
            vec![],
        ),
        (
            json!({ "cache": {}, "request": [keep("1"), set(id)] }),
            fault("/policies/request/1"),
        ),
        (
            json!({ "cache": {}, "response": [template, set(id)] }),
            vec![],
        ),
        (
            json!({ "cache": {}, "response": [set(id), template] }),
            fault("/policies/response"),
        ),
        (
            json!({
                "cache": {},
                "response": [keep("1"), template, set("{{ request.id + var.v }}")],
            }),
            fault("/policies/response"),
        ),
        (
            json!({ "request": [set(now)], "operations": [
                { "operations": ["GET /pets/{pet}"], "cache": {} },
            ] }),
            fault("/policies/request/0"),
        ),
        (
            json!({ "cache": {}, "operations": [
                { "operations": ["POST /orders"], "request": [set(now)] },
            ] }),
            vec![],
        ),
    ];
    for (policies, expected) in rows {
        assert_eq!(faults_of(policies.clone()), expected, "{policies}");
    }
}

#[test]
fn what_stored_steps_read_of_the_request_is_keyed() {
    let set = |value: &str| json!({ "policy": "set_header", "name": "x-a", "value": value });
    let steps = [
        set("{{ caller.plan }}"),
        set("{{ response.status }}"),
        set("{{ request.address }}"),
        set("{{ request.method }}"),
    ];
    let compiled = compile(&configuration(&json!({ "response": steps })), Kind::Rest).unwrap();
    let program = &compiled.programs[0];
    assert_eq!(program.stored, 2);
    let keyed: Vec<_> = program.keyed.iter().map(ToString::to_string).collect();
    assert_eq!(keyed, ["caller.plan"]);
}

#[test]
fn a_step_that_reads_a_whole_value_for_each_item_has_a_note() {
    let in_each = |value: &str| {
        let inner = json!({ "$each": "outer.parts", "$as": "part", "$do": [value] });
        json!({ "$each": "body.items", "$as": "outer", "$do": inner })
    };
    let rows = [
        ("{{ part.sku in body.known }}", Some("body.known")),
        (
            "{{ !(part.sku in body.lists[0].known) }}",
            Some("body.lists[0].known"),
        ),
        ("{{ size(outer.parts) + 1 }}", Some("outer.parts")),
        ("a {{ body.text.matches('a+') ? 1 : 2 }}", Some("body.text")),
        ("{{ var.text.contains(part.sku) }}", Some("var[\"text\"]")),
        (
            "{{ body.text[part.key].upperAscii() }}",
            Some("body.text[…]"),
        ),
        ("{{ 7 in body.known.orValue([]) }}", Some("body.known")),
        ("{{ size(body.known.orValue([])) }}", Some("body.known")),
        (
            "{{ 7 in (part.own ? part.known : body.known) }}",
            Some("body.known"),
        ),
        ("{{ 7 in part.known + body.known }}", Some("body.known")),
        ("{{ body.a == body.b }}", Some("body.a")),
        ("{{ body.a != outer.b || part.c }}", Some("body.a")),
        ("{{ body.a < body.b }}", Some("body.a")),
        ("{{ body.a + body.b }}", Some("body.a")),
        ("{{ body.a.startsWith(body.b) }}", Some("body.a")),
        (
            "{{ int(body.text) + double(part.text) }}",
            Some("body.text"),
        ),
        // An operand that is part of the item, or a constant, ends the comparison.
        ("{{ body.kind == 'a' || body.kind == part.kind }}", None),
        ("{{ part.sku.contains(body.text) }}", None),
        ("{{ part.sku.startsWith(body.text) }}", None),
        ("{{ part.price + body.tax }}", None),
        // What belongs to the item, to the head or to the step is small, or read once.
        ("{{ part.sku in part.known && size(part.known) > 1 }}", None),
        ("{{ part.sku in ['a', body.sku] }}", None),
        ("{{ caller.plan in caller.claims.plans }}", None),
        ("{{ body.currency == part.currency }} {{ body.note }}", None),
    ];
    for (value, expected) in rows {
        let keep = json!({ "policy": "let", "name": "text", "value": "body.note" });
        let template = |template: Value| json!({ "policy": "json_template", "template": template });
        let policies = |step: Value| json!({ "request": [keep, step] });
        let noted = compile(
            &configuration(&policies(template(in_each(value)))),
            Kind::Rest,
        );
        let notes = noted.unwrap().notes.into_iter();
        let notes: Vec<_> = notes.map(|note| (note.field, note.detail)).collect();
        let field = "/policies/request/1/template/$do/$do/0";
        let expected = expected.map(|read| (field.to_owned(), format!("`{read}` is read")));
        assert_eq!(notes.len(), expected.iter().len(), "{value}");
        for ((at, detail), (field, begin)) in notes.iter().zip(expected) {
            assert_eq!(*at, field, "{value}");
            assert!(detail.starts_with(&begin), "{value}: {detail}");
        }
        let outside = template(json!([value
            .replace("part", "body")
            .replace("outer", "body")]));
        let compiled = compile(&configuration(&policies(outside)), Kind::Rest).unwrap();
        assert!(compiled.notes.is_empty(), "{value}");
    }
}

#[test]
fn an_each_of_an_outer_list_within_each_has_a_note() {
    let notes = |of: &str| {
        let inner = json!({ "$each": of, "$as": "part", "$do": "{{ part }}" });
        let template = json!({ "$each": "body.items", "$as": "item", "$do": inner });
        let step = json!({ "policy": "json_template", "template": template });
        let compiled = compile(&configuration(&json!({ "request": [step] })), Kind::Rest);
        let notes = compiled.unwrap().notes.into_iter();
        notes.map(|note| note.field).collect::<Vec<_>>()
    };
    let field = "/policies/request/0/template/$do/$each";
    assert_eq!(notes("body.items"), [field]);
    assert_eq!(notes("item.parts.orValue(body.items)"), [field]);
    assert_eq!(notes("size(body.items) > 1 ? item.parts : []"), [field]);
    assert!(notes("item.parts").is_empty());
}

#[test]
fn the_patterns_of_a_draft_have_a_common_bound() {
    let step = |patterns: &[String]| {
        let matches = patterns
            .iter()
            .map(|it| format!("request.query.a.matches('{it}')"));
        let value = matches.collect::<Vec<_>>().join(" || ");
        json!({ "policy": "let", "name": "v", "value": value })
    };
    let patterns: Vec<_> = (0..200).map(|index| format!("{index}\\\\w{{9}}")).collect();
    let different: Vec<_> = patterns.chunks(10).map(step).collect();
    let equal = vec![step(&patterns[..10]); 20];
    assert_eq!(faults(&json!({ "request": equal }), Kind::Rest), []);

    let configuration = configuration(&json!({ "request": different }));
    let faults = compile(&configuration, Kind::Rest).unwrap_err();
    let first = &faults[0];
    assert_eq!(first.code, "policy.expression");
    let (list, value) = (first.field.strip_prefix("/policies/request/"), "/value");
    assert!(list.is_some_and(|it| it.ends_with(value)), "{first:?}");
    assert!(
        first.detail.contains("more than 16 MiB together"),
        "{first:?}"
    );
    let saved = compile_saved(&configuration, Kind::Rest, &NoExamples).unwrap();
    let bytes = saved.to_bytes().unwrap();
    assert_eq!(super::Compiled::from_bytes(&bytes).unwrap(), Some(saved));
}

#[test]
fn a_name_is_the_rest_in_all_operations_of_a_path_that_is_set_or_in_none() {
    let step = json!({ "policy": "rewrite_path", "path": "/v2/{{ path.x }}" });
    let with = |paths: [&str; 2]| {
        let mut configuration = configuration(&json!({ "request": [step] }));
        let operations = paths.map(|path| json!({ "method": "GET", "path": path }));
        configuration.operations = serde_json::from_value(json!(operations)).unwrap();
        let faults = compile(&configuration, Kind::Rest)
            .err()
            .unwrap_or_default();
        let faults = faults.into_iter().map(|it| (it.field, it.code));
        faults.collect::<Vec<_>>()
    };
    assert_eq!(with(["/a/{x*}", "/b/{x+}"]), []);
    let fault = (
        "/policies/request/0/path".to_owned(),
        "policy.path".to_owned(),
    );
    assert_eq!(with(["/a/{x*}", "/b/{x}"]), [fault]);
}
