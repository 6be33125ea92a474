//! The reference page of expressions.

use std::fmt::Write as _;

use super::function::{FUNCTIONS, OPERATORS};
use crate::name::{Key, NAMES};

/// The message, caller and API of the examples, by name.
pub(super) const SAMPLE: &str = r#"{
  "request": {
    "method": "POST", "path": "/shop/1.0/orders/42", "query": {"lang": "en"},
    "headers": {"accept": "application/json"}, "id": "0f8c2a", "address": "203.0.113.9"
  },
  "path": {"id": "42"},
  "response": {"status": 200, "headers": {"content-type": "application/json"}},
  "body": {
    "items": [{"sku": "A1", "price": 12.50, "count": 2}, {"sku": "B7", "price": 0.99, "count": 3}],
    "note": "salt & pepper", "total": 27.97, "gift": null
  },
  "caller": {
    "application": "app_7", "subscription": "sub_9", "plan": "gold", "environment": "production",
    "claims": {"sub": "ada", "address": {"country": "DE"}}
  },
  "api": {"name": "shop", "version": "1.0", "operation": "POST /orders/{id}"},
  "var": {"total": 25},
  "now": 1798213953,
  "error": {
    "code": "admit.subscription", "status": 429, "detail": "the plan allows 60 calls per minute"
  }
}"#;

const HEAD: &str = "# Expressions

Policies use expressions for conditions (`if`), for values, and in the holes of text templates.
They have the syntax of a part of [CEL](https://cel.dev) (Common Expression Language): literals,
lists, the names, operators and functions below. There are no macros, no maps, no bytes and no
unsigned integers. An expression has at most 1 KiB and is nested at most 64 deep. Errors in it,
unknown names too, are reported when the policy is saved.

## Values

| type | literals |
|---|---|
| text | `\"a\"`, `'a'` with the escapes of CEL, such as `\\n`; `r\"\\d+\"` has no escapes |
| integer, 64 bits | `42`, `-1`, `0xff` |
| double | `1.5`, `1e3` |
| boolean | `true`, `false` |
| null | `null` |
| list | `[1, \"a\"]` |

Values of JSON are of these types too; a number without fraction and exponent is an integer, if it
fits. Numbers of a body keep their digits wherever they are written unchanged: `12.50` stays
`12.50`, and an integer of 40 digits stays exact.

**Evaluation never fails.** Where CEL reports an error, an expression has *no value*: if something
is missing, has the wrong type or is out of range. An operator or function with an operand without
a value has no value either. Exceptions are `&&`, `||`, `?:`, `has` and `orValue`. No value and
`null` count as false in a condition, except where the policy defines otherwise; a header or
parameter with such a value is not set.

`null` is a value: `body.gift == null` is true if the body has `\"gift\": null`, and has no value
if there is no `gift`. To treat both alike, write `body.gift.orValue(null) == null`.

Texts and lists that the expressions of one step make have at most 10 MiB together; so do those of
all steps that run before the body arrives, and those of each edit of `json_edit`. One that would
exceed the bound has no value. `json_template` then refuses the message: 500 `mediate.policy`.

**Work is bounded.** All steps of a message together may do 20 million units of work, and 8 more
for each byte of its body; requests and responses are counted apart. A unit is a few nanoseconds: a
node of an expression takes 2, an item that is looked at 3, a field line that is visited 4, and 16
bytes are compared or copied with one; `matches` takes one for each byte of the text, or for each
state that it visits of a large pattern, or of one that looks for the ends of words (`\\b`) in a
text beyond ASCII. In each step, reading JSON or text is free once, up to the length of the body
that arrived; beyond that, two values or names take 3, and 10 bytes one. A message that exceeds
them is refused with 500 `mediate.policy`, which names the step. Within `$each`, `7 in body.items`
looks at all items for each item: saving such a step answers with a note.

";

const TEMPLATES: &str = "
## Templates

A template is text with holes: `order {{ path.id }} of {{ caller.application }}`. Values are
escaped for the place of their hole, so they cannot change the text around it: in JSON, in content
and attributes of XML, in one segment of a path, in one value of a query. A header is not set if
its value would have a line end or another control character. In a path, a query and a header, one
hole without a value or with `null` leaves the whole template without a value; elsewhere the hole
is empty, or `null` for a value of JSON.

In JSON, a hole within quotes is part of the string, any other is a value with its quotes:
`{\"id\": {{ body.id }}, \"text\": \"Order {{ body.id }}\"}`.

`}}` outside a hole is text. For `{{` write `{{ \"{{\" }}`.

## Differences from CEL

The values are those of the crate `cel` 0.15, which the tests of `crates/mediation` compare,
except:

| expression | CEL | here |
|---|---|---|
| `a.?b` | an optional value | the member, or no value: the same as `a.b` |
| `a.orValue(b)` | `a` is an optional value, `b` is always evaluated | `b` if `a` has no value |
| `has(a[\"b\"])` | not valid | the same as `has(a.b)` |
| `has(body.a)` of a message without a JSON body | an error | false |
| `string(a)` of a number of a body | the number in its shortest form | the digits as written |
| a body's integer beyond 64 bits | an unsigned integer or a double | a double, with its digits |
| `a == b` of objects | compares their members | no value |
| `a + b` of a list and an object | the keys of the object are appended | no value |
| `matches(a, b)` | allowed, and `b` may be any text | `a.matches(\"…\")` with a literal |
| `base64.encode(b\"…\")` | takes bytes | `base64(\"…\")` takes text |
| `urlEncode` | does not exist | |
| `var.x` | `var` is reserved | a name |
| `1u`, `b\"…\"`, `{…}`, `\"\"\"…\"\"\"`, `//`, types, macros | allowed | not valid |
";

/// Returns the reference page of names, operators and functions, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut page =
        String::from("<!-- Generated by `tollgate expressions` from crates/mediation. -->\n");
    page.push_str(HEAD);
    let _ = write!(
        page,
        "## Names\n\nA member is written as `.x` or `[\"x\"]`. The examples use these values:\n\n\
         ```json\n{SAMPLE}\n```\n\n| name | meaning | example | value |\n|---|---|---|---|\n"
    );
    for name in NAMES {
        let key = match name.key {
            Key::No => "",
            Key::Header => "[\"x\"]",
            Key::Exact => ".x",
        };
        let written = format!("`{}{key}`", name.path);
        let (example, value) = name.example;
        push_row(&mut page, &written, name.meaning, example, value);
    }
    page.push_str(
        "\n## Operators\n\nThose that bind strongest come first.\n\n\
         | operator | meaning | example | value |\n|---|---|---|---|\n",
    );
    for operator in OPERATORS {
        let (example, value) = operator.example;
        push_row(&mut page, operator.signs, operator.meaning, example, value);
    }
    page.push_str(
        "\n## Functions\n\n| function | meaning | example | value |\n|---|---|---|---|\n",
    );
    for function in FUNCTIONS {
        let (example, value) = function.example;
        push_row(
            &mut page,
            &function.usage(),
            function.meaning,
            example,
            value,
        );
    }
    page.push_str(TEMPLATES);
    page
}

/// Appends a row of a table; its cells cannot contain `|`.
fn push_row(page: &mut String, first: &str, meaning: &str, example: &str, value: &str) {
    let row = format!("{first} \t {meaning} \t `{example}` \t `{value}`")
        .replace('|', "\\|")
        .replace('\t', "|");
    let _ = writeln!(page, "| {row} |");
}
