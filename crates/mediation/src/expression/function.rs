//! Functions and operators, with an example of each: the examples are tests, and part of the
//! reference page.

use serde::{Deserialize, Serialize};

/// A function of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Function {
    Has,
    Size,
    StartsWith,
    EndsWith,
    Contains,
    Matches,
    LowerAscii,
    UpperAscii,
    String,
    Int,
    Double,
    Bool,
    OrValue,
    Base64,
    UrlEncode,
}

/// How a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `f(x)`
    Global,
    /// `x.f()`, with this number of arguments.
    Member(usize),
    /// `f(x)` or `x.f()`
    Both,
}

/// A function, its meaning and an example.
#[derive(Debug)]
pub(super) struct Described {
    pub(super) function: Function,
    pub(super) word: &'static str,
    pub(super) form: Form,
    pub(super) meaning: &'static str,
    /// An example, and its value as JSON.
    pub(super) example: (&'static str, &'static str),
}

impl Described {
    /// Returns how the function is called, in Markdown.
    pub(super) fn usage(&self) -> String {
        let word = self.word;
        match self.form {
            Form::Global => format!("`{word}(x)`"),
            Form::Member(0) => format!("`x.{word}()`"),
            Form::Member(_) => format!("`x.{word}(y)`"),
            Form::Both => format!("`{word}(x)` or `x.{word}()`"),
        }
    }
}

macro_rules! described {
    ($(
        $function:ident $word:literal $form:expr, $meaning:literal,
        $example:literal => $value:literal;
    )*) => {
        &[$(Described {
            function: Function::$function,
            word: $word,
            form: $form,
            meaning: $meaning,
            example: ($example, $value),
        }),*]
    };
}

/// All functions.
pub(super) const FUNCTIONS: &[Described] = described! {
    Has "has" Form::Global, "Whether a header, parameter, claim or member exists; \
            of `body`, false without a JSON body.",
        "has(body.coupon)" => "false";
    Size "size" Form::Both, "The number of characters, items or members.",
        "size(body.items)" => "2";
    StartsWith "startsWith" Form::Member(1), "Whether a text begins with another.",
        "request.path.startsWith(\"/shop/\")" => "true";
    EndsWith "endsWith" Form::Member(1), "Whether a text ends with another.",
        "request.path.endsWith(\"/42\")" => "true";
    Contains "contains" Form::Member(1), "Whether a text contains another.",
        "body.note.contains(\"&\")" => "true";
    Matches "matches" Form::Member(1),
        "Whether a regular expression matches anywhere in a text. The expression is a literal in \
         the syntax of the crate `regex`: linear time, no look-around, no references.",
        "path.id.matches(\"^[0-9]+$\")" => "true";
    LowerAscii "lowerAscii" Form::Member(0), "The text with A to Z in lower case.",
        "request.method.lowerAscii()" => "\"post\"";
    UpperAscii "upperAscii" Form::Member(0), "The text with a to z in upper case.",
        "caller.plan.upperAscii()" => "\"GOLD\"";
    String "string" Form::Global,
        "The text of a number or boolean. Numbers of a body keep their digits.",
        "string(body.items[0].price)" => "\"12.50\"";
    Int "int" Form::Global, "The integer of a text, or of a double without its fraction.",
        "int(path.id) + 1" => "43";
    Double "double" Form::Global, "The double of an integer or text.",
        "double(body.items[0].count) * 0.5" => "1";
    Bool "bool" Form::Global, "The boolean of a text: `true`, `t`, `1`, `false`, `f`, `0`.",
        "bool(\"true\")" => "true";
    OrValue "orValue" Form::Member(1), "A default for a value that does not exist.",
        "request.query[\"page\"].orValue(\"1\")" => "\"1\"";
    Base64 "base64" Form::Global, "The Base64 (RFC 4648, section 4) of a text's UTF-8.",
        "base64(\"a:b\")" => "\"YTpi\"";
    UrlEncode "urlEncode" Form::Global,
        "A text with everything but unreserved characters (RFC 3986) percent-encoded.",
        "urlEncode(body.note)" => "\"salt%20%26%20pepper\"";
};

/// An operator of the reference page.
#[derive(Debug)]
pub(super) struct Operator {
    /// Its signs, in Markdown.
    pub(super) signs: &'static str,
    pub(super) meaning: &'static str,
    pub(super) example: (&'static str, &'static str),
}

/// All operators, those that bind strongest first.
pub(super) const OPERATORS: &[Operator] = &[
    Operator {
        signs: "`a.b` `a.?b`",
        meaning: "A member of an object. Both forms are equal.",
        example: ("body.?coupon.orValue(\"none\")", "\"none\""),
    },
    Operator {
        signs: "`a[b]`",
        meaning: "An item of an array, counted from 0, or a member of an object.",
        example: ("body.items[1][\"count\"]", "3"),
    },
    Operator {
        signs: "`!a` `-a`",
        meaning: "The other boolean; the negative number.",
        example: ("!has(body.coupon)", "true"),
    },
    Operator {
        signs: "`*` `/` `%`",
        meaning: "Two integers or two doubles; `%` of integers only.",
        example: ("7 / 2 * 10 + 7 % 2", "31"),
    },
    Operator {
        signs: "`+` `-`",
        meaning: "Two integers or two doubles; `+` also joins two texts or two lists.",
        example: ("\"/v2\" + request.path", "\"/v2/shop/1.0/orders/42\""),
    },
    Operator {
        signs: "`==` `!=`",
        meaning: "Equality. Integers and doubles are compared as numbers; other types differ.",
        example: ("body.items[0].count == 2.0", "true"),
    },
    Operator {
        signs: "`<` `<=` `>` `>=`",
        meaning: "The order of two numbers, two texts (by code points) or two booleans.",
        example: ("response.status >= 200 && response.status < 300", "true"),
    },
    Operator {
        signs: "`a in b`",
        meaning: "Whether a list has an item, or an object a member.",
        example: ("caller.plan in [\"gold\", \"silver\"]", "true"),
    },
    Operator {
        signs: "`&&`",
        meaning: "Both. False if one is false, even if the other does not exist.",
        example: ("body.coupon.valid && false", "false"),
    },
    Operator {
        signs: "`||`",
        meaning: "One or both. True if one is true, even if the other does not exist.",
        example: ("body.coupon.valid || caller.plan == \"gold\"", "true"),
    },
    Operator {
        signs: "`a ? b : c`",
        meaning: "`b` if `a` is true, `c` if `a` is false.",
        example: ("body.total > 100 ? \"large\" : \"small\"", "\"small\""),
    },
];
