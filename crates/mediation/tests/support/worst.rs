//! Programs that do much work of one kind: each took the longest for its units among those that
//! were found by hand or by the search of `tests/bodies/work.rs`.

use serde_json::{Value, json};

use crate::steps::Head;

/// Steps of a request or a response, and a message that they do much work on.
pub(crate) struct Worst {
    pub(crate) name: &'static str,
    /// `request` or `response`.
    pub(crate) list: &'static str,
    pub(crate) steps: Value,
    /// Number of field lines before that of the media type.
    pub(crate) lines: usize,
    pub(crate) body: String,
}

impl Worst {
    /// Returns a step of a response.
    pub(crate) fn new(name: &'static str, step: Value, body: String) -> Self {
        Self {
            name,
            list: "response",
            steps: Value::Array(vec![step]),
            lines: 0,
            body,
        }
    }

    /// Returns the head of the message.
    pub(crate) fn head(&self) -> Head {
        Head {
            lines: self.lines,
            ..Head::JSON
        }
    }
}

/// Returns all programs; the work of each is in proportion to `scale`.
pub(crate) fn programs(scale: usize) -> Vec<Worst> {
    let make = Make { scale };
    [
        make.on_values(),
        make.on_names(),
        make.on_heads(),
        make.on_doubles(),
        make.on_changes(),
        make.on_texts(),
        make.on_bodies(),
        make.on_made_bodies(),
        make.on_xml(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

struct Make {
    scale: usize,
}

/// Returns `count` copies of a JSON value as an array.
fn array(value: &str, count: usize) -> String {
    format!("[{}]", vec![value; count].join(","))
}

/// Returns `count` copies of a text as a JSON string; the text is escaped already.
fn string(text: &str, count: usize) -> String {
    format!("\"{}\"", text.repeat(count))
}

/// Returns an object with `count` members, the names of which begin alike.
fn object(count: usize) -> String {
    let members = (0..count).map(|index| format!("\"member-{index:06}\":{index}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

impl Make {
    /// Returns a program that evaluates an expression for each of some items.
    fn row(&self, name: &'static str, expression: &str, members: &str) -> Worst {
        let each = array("1", 10 * self.scale);
        let template = json!({ "$each": "body.each", "$as": "x",
            "$do": format!("{{{{ {expression} }}}}") });
        let step = json!({ "policy": "json_template", "template": template });
        Worst::new(name, step, format!("{{\"each\":{each},{members}}}"))
    }

    /// Numbers, lists, objects and names.
    fn on_values(&self) -> Vec<Worst> {
        let count = 100 * self.scale;
        let long = format!("2.2250738585072011{}e-308", "3".repeat(700));
        let numbers = format!("\"a\":{}", array("1234567", count));
        let decimals = format!("\"a\":{}", array("-12345.6789e-5", count));
        let longs = format!("\"a\":{}", array(&long, self.scale));
        let shorts = format!("\"a\":{}", array("1", count));
        let texts = format!("\"a\":{0},\"b\":{0}", array("\"0123456789\"", count));
        let nested = format!("\"a\":{0},\"b\":{0}", array("[[[]]]", count));
        let members = format!("\"a\":{}", object(count));
        let sum = format!("[{}]", ["x + x * x - x % 7 > 1"; 8].join(", "));
        vec![
            self.row("integers in a list", "7 in body.a", &numbers),
            self.row("decimals in a list", "7 in body.a", &decimals),
            self.row("long numbers in a list", "7 in body.a", &longs),
            self.row("a text in a list of numbers", "'a' in body.a", &shorts),
            self.row(
                "a text in a list of texts",
                "'0123456780' in body.a",
                &texts,
            ),
            self.row("equal lists", "body.a == body.b", &texts),
            self.row("nested lists", "body.a == body.b", &nested),
            self.row("joined lists", "size(body.a + body.a)", &shorts),
            self.row(
                "an item by its index",
                "body.a[string(x) == '' ? 0 : 99999]",
                &shorts,
            ),
            self.row("the size of a list", "size(body.a)", &shorts),
            self.row("the size of an object", "size(body.a)", &members),
            self.row("a missing member", "has(body.a.none)", &members),
            self.row("a missing name", "'member-none00' in body.a", &members),
            self.row(
                "a number that is written",
                "string(x * 1.0 + 1e308)",
                "\"a\":1",
            ),
            self.row("arithmetic", &sum, "\"a\":1"),
            self.row("a header", "request.headers['x-none']", "\"a\":1"),
            self.row(
                "names of the head",
                "[caller.plan, now, api.name]",
                "\"a\":1",
            ),
            self.row("an array that is written", "body.a", &nested),
            self.row("numbers that are written", "body.a", &shorts),
        ]
    }

    /// Names of members.
    fn on_names(&self) -> Vec<Worst> {
        let long = "n".repeat(900 * self.scale);
        let members = (0..9).map(|last| format!("\"{long}{last}\":0"));
        let members = members.collect::<Vec<_>>().join(",");
        let alike = format!("\"a\":{{{members}}},\"k\":\"{long}9\"");
        vec![
            self.row("names that begin alike", "body.a[body.k]", &alike),
            self.names_of_a_template("names of a large template", "m", 3_000),
            self.names_of_a_template(
                "names of a template that begin alike",
                &"m".repeat(100),
                200,
            ),
        ]
    }

    /// A template that reads many names, and items with five times as many other names.
    fn names_of_a_template(&self, row: &'static str, begin: &str, names: usize) -> Worst {
        let name = |index: usize| format!("{begin}{index:05}");
        let field = |index| (name(index), json!(format!("{{{{ x.{} }}}}", name(index))));
        let fields = Value::Object((0..names).map(field).collect());
        let template = json!({ "$each": "body", "$as": "x", "$do": fields });
        let members = (names..6 * names).map(|index| format!("\"{}\":0", name(index)));
        let item = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        Worst::new(
            row,
            json!({ "policy": "json_template", "template": template }),
            array(&item, (self.scale / 20).max(1)),
        )
    }

    /// Heads of many lines, and parameters that a step sets.
    fn on_heads(&self) -> Vec<Worst> {
        let long = |name, expression| Worst {
            lines: 255,
            ..self.row(name, expression, "\"a\":1")
        };
        let set =
            json!({ "policy": "set_query", "name": "q", "value": "%é".repeat(100 * self.scale) });
        let mut parameter = self.row(
            "a parameter that is set",
            "size(request.query['q'])",
            "\"a\":1",
        );
        parameter.list = "request";
        parameter.steps = json!([set, parameter.steps[0]]);
        vec![
            long("a header of many lines", "request.headers['x-a']"),
            long(
                "a header behind many lines",
                "request.headers['content-type']",
            ),
            parameter,
        ]
    }

    /// Doubles that the standard library reads and writes with long arithmetic.
    fn on_doubles(&self) -> Vec<Worst> {
        let between = array("4.6759319687447766686e297", self.scale);
        let longer = format!("4.6759319687447766686{}e297", "1".repeat(700));
        let around = array("1234567890.12345678901234567890", 10 * self.scale);
        let list = |numbers: &str| format!("\"a\":{numbers}");
        let doubles = ["x * 3.913463331784245e-299"; 8].join(", ");
        vec![
            self.row(
                "numbers between two doubles",
                "7 in body.a",
                &list(&between),
            ),
            self.row(
                "longer numbers between two doubles",
                "7 in body.a",
                &list(&array(&longer, self.scale)),
            ),
            self.row("numbers of many digits", "7 in body.a", &list(&around)),
            self.row(
                "a small double that is written",
                "string(x * 3.913463331784245e-299)",
                "\"a\":1",
            ),
            self.row(
                "doubles that are written",
                &format!("[{doubles}]"),
                "\"a\":1",
            ),
        ]
    }

    /// What many steps change of heads, and members of items that do not exist.
    fn on_changes(&self) -> Vec<Worst> {
        let name = |step: usize, index: usize| format!("x-{}{step:02}-{index:02}", "n".repeat(50));
        let removals = (0..60).map(|step| {
            let names: Vec<_> = (0..64).map(|index| name(step, index)).collect();
            json!({ "policy": "remove_header", "names": names })
        });
        let variables = (0..60)
            .map(|index| json!({ "policy": "let", "name": format!("v{index:02}"), "value": "1" }));
        let header = format!("request.headers['{}']", name(60, 0));
        let mut removed = self.row("a name among removed ones", &header, "\"a\":1");
        removed.list = "request";
        removed.steps = removals.chain([removed.steps[0].take()]).collect();
        let mut variable = self.row("a variable among others", "var.v00", "\"a\":1");
        variable.steps = variables.chain([variable.steps[0].take()]).collect();
        let members = (0..2_000).map(|index| (format!("m{index}"), json!("{{ x.none }}")));
        let places =
            (0..2_000).map(|index| (format!("m{index}"), json!(format!("{{{{ x.m{index} }}}}"))));
        let each = |fields: Value| json!({ "$each": "body.none", "$as": "y", "$do": fields });
        let mut unread = self.row("members that no item has", "x", "\"a\":1");
        let fields = members.chain(places).collect();
        unread.steps[0]["template"]["$do"] = each(Value::Object(fields));
        vec![removed, variable, unread]
    }

    /// Texts and patterns.
    fn on_texts(&self) -> Vec<Worst> {
        let count = 1_000 * self.scale;
        let plain = format!("\"a\":{0},\"b\":{0}", string("a", count));
        let mixed = format!("\"a\":{}", string("é<", count / 3));
        let digits = format!("\"a\":{}", string("0", count));
        let fraction = format!("\"a\":\"0.{}\"", "3".repeat(700));
        let two = format!("\"a\":{}", string("ab", count / 2));
        let marks = format!("\"a\":{}", string("\\u0001\\\"", count / 2));
        let words = format!("\"a\":{}", string("1 a", count / 3));
        let search = format!("body.a.contains('{0}b{0}')", "a".repeat(60));
        vec![
            self.row("equal texts", "body.a == body.b", &plain),
            self.row("ordered texts", "body.a <= body.b", &plain),
            self.row("a prefix", "body.a.startsWith(body.b)", &plain),
            self.row("a text in another", "body.a.contains(body.b)", &plain),
            self.row("a short text in another", &search, &plain),
            self.row("upper case", "size(body.a.upperAscii())", &plain),
            self.row("joined texts", "size(body.a + body.b)", &plain),
            self.row("the size of a text", "size(body.a)", &mixed),
            self.row("an integer of a text", "int(body.a)", &digits),
            self.row("a double of a text", "double(body.a)", &fraction),
            self.row("base64", "size(base64(body.a))", &mixed),
            self.row("percent-encoding", "size(urlEncode(body.a))", &mixed),
            self.row("a small pattern", "body.a.matches('[0-9]+x')", &words),
            self.row(
                "a pattern of both cases",
                r"body.a.matches('(?i)<scr|uni\\s+sel')",
                &two,
            ),
            self.row(
                "a large pattern",
                "body.a.matches('(a|b)*a(a|b){60}c')",
                &two,
            ),
            self.row("a Unicode pattern", r"body.a.matches('\\w+@\\w+$')", &mixed),
            self.row("a text that is escaped", "[body.a]", &marks),
            self.row("a text within a text", "body.a }} {{ x.none", &marks),
            self.row(
                "a pattern of words",
                r"body.a.matches('\\b[a-z]+\\b[0-9]+x')",
                &words,
            ),
            self.row(
                "ends of words beyond ASCII",
                r"body.a.matches('\\B\\B\\B\\B\\B\\B\\B\\B[a-z]')",
                &format!("\"a\":{}", string("漢字", count / 6)),
            ),
        ]
    }

    /// Steps on whole bodies, and templates of text.
    fn on_bodies(&self) -> Vec<Worst> {
        let items = array(r#"{"a":[1,[2]],"b":{"c":"d"},"e":"f"}"#, 100 * self.scale);
        let deep = array(
            &format!("{}1{}", "[".repeat(60), "]".repeat(60)),
            10 * self.scale,
        );
        let marks = format!("{{\"a\":{}}}", string("<\\\"&'a", 1_000 * self.scale));
        let mask = |paths: Value| json!({ "policy": "mask", "paths": paths, "with": "null" });
        let wide: Vec<_> = (0..8).map(|index| format!("$..x{index}..y..z")).collect();
        let names: Vec<_> = (0..16).map(|index| format!("'n{index}'")).collect();
        let sets: Vec<_> = (0..20)
            .map(|value| json!({ "set": "$[0].e", "value": value.to_string() }))
            .collect();
        let renames = json!([{ "rename": "$..e", "to": "b" }, { "rename": "$..b", "to": "a" }]);
        let edit = |edits: Value| json!({ "policy": "json_edit", "edits": edits });
        let header = json!({ "policy": "set_header", "name": "x-a", "value": "{{ body.a }}" });
        let replace = json!({ "policy": "replace_text", "pairs":
            [{ "from": format!("{}b", "ab".repeat(100)), "to": "" }] });
        let row = |name, step: Value, body: &str| Worst::new(name, step, body.to_owned());
        vec![
            row("a path", mask(json!(["$..none"])), &items),
            row("paths at any depth", mask(json!(wide)), &items),
            row(
                "a path of wildcards",
                mask(json!([format!("$..x{}.y", "..*".repeat(13))])),
                &deep,
            ),
            row(
                "names of a segment",
                mask(json!([format!("$..[{}]", names.join(","))])),
                &items,
            ),
            row("items from the end", mask(json!(["$..[-1]..none"])), &deep),
            row("edits of a small part", edit(json!(sets)), &items),
            row("names that are taken", edit(renames), &items),
            row(
                "values that are set",
                edit(json!([{ "set": "$..e", "value": "'x'" }])),
                &items,
            ),
            row("values that are masked", mask(json!(["$..*"])), &items),
            row("a header of a text", header, &marks),
            row(
                "texts that begin alike",
                replace,
                &array(&string("ab", 200), self.scale),
            ),
        ]
    }

    /// Bodies that steps make and others read.
    fn on_made_bodies(&self) -> Vec<Worst> {
        let row = |name, steps: Vec<Value>, body: String| Worst {
            steps: Value::Array(steps),
            ..Worst::new(name, Value::Null, body)
        };
        let text = format!("{{\"e\":0,\"a\":{}}}", string("é", 1_000 * self.scale));
        let edits = |count: usize, edit: &dyn Fn(usize) -> Value| {
            let edits: Vec<_> = (0..count).map(edit).collect();
            json!({ "policy": "json_edit", "edits": edits, "bytes_max": 10 << 20 })
        };
        let set = |index: usize| json!({ "set": "$.e", "value": index.to_string() });
        let remove = |_| json!({ "remove": "$.none" });
        let fields: Vec<_> = (0..9).map(|_| "{{ body.a }}").collect();
        let template =
            json!({ "policy": "json_template", "template": fields, "bytes_max": 10 << 20 });
        let mask = json!({ "policy": "mask", "paths": ["$.none"], "bytes_max": 10 << 20 });
        let nodes = |value: &str| format!("{{\"a\":{}}}", array(value, 1_000 * self.scale));
        let grown = |name, value: &str| {
            let steps = std::iter::once(template.clone()).chain(vec![mask.clone(); 20]);
            row(name, steps.collect(), nodes(value))
        };
        let packed = json!({ "e": 0 }).to_string();
        let items = format!("{{\"e\":0,\"a\":{}}}", array(&packed, 1_000 * self.scale));
        vec![
            row("edits of a text", vec![edits(40, &set)], text.clone()),
            row("edits that match nothing", vec![edits(64, &remove)], text),
            row("edits of many members", vec![edits(40, &set)], items),
            grown("numbers of a body that grew", "1"),
            grown("arrays of a body that grew", "[]"),
            grown("texts of a body that grew", "\"éééé\""),
        ]
    }

    /// JSON that becomes XML, and JSON again.
    fn on_xml(&self) -> Vec<Worst> {
        let prefix = |index: usize| format!("p{:03}x", index % 120);
        let names = (0..120).map(|index| format!("\"@xmlns:{}\":\"urn:{index}\"", prefix(index)));
        let names: Vec<_> = names.collect();
        let attribute = |index| format!("\"@{}:a{index:x}\":\"\"", prefix(index));
        let attributes = |count: usize| (0..count).map(attribute).collect::<Vec<_>>().join(",");
        let elements = array(&format!("{{{}}}", attributes(240)), 2 * self.scale);
        let few = array(&format!("{{{}}}", attributes(8)), 60 * self.scale);
        let declared = |members: &str| format!("{{{},{members}}}", names.join(","));
        let steps = json!([
            { "policy": "json_to_xml", "bytes_max": 10 << 20 },
            { "policy": "xml_to_json", "bytes_max": 10 << 20 },
        ]);
        let row = |name, body: String| Worst {
            steps: steps.clone(),
            ..Worst::new(name, Value::Null, body)
        };
        let tags = |value: &str| format!("{{\"a\":{}}}", array(value, 900 * self.scale));
        let many = declared(&attributes(500 * self.scale));
        vec![
            Worst::new("attributes of one element", steps[0].clone(), many),
            row(
                "attributes of elements",
                declared(&format!("\"e\":{elements}")),
            ),
            row(
                "a few attributes of elements",
                declared(&format!("\"e\":{few}")),
            ),
            row("elements", tags("{\"b\":{\"c\":1}}")),
            row(
                "elements of text",
                tags("\"<&éabcdefghijklmnopqrstuvwxyz\""),
            ),
        ]
    }
}
