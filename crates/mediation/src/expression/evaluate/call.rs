//! Calls of functions.

use std::fmt::Write as _;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use tollgate_json::tape::Kind;

use super::{Evaluation, boolean};
use crate::double::{self, Shortest};
use crate::escape;
use crate::expression::function::Function;
use crate::expression::node::Node;
use crate::scope::Scratch;
use crate::value::{ITEM_UNITS, Number, Value};
use crate::work::Work;

/// Bytes of the longest number: a double is written without an exponent.
const NUMBER_BYTES_MAX: usize = 400;
/// Bytes that are encoded or parsed with one unit.
const CODED_BYTES_PER_UNIT: usize = 2;

impl<'m> Evaluation<'_, 'm> {
    pub(super) fn call(&self, function: Function, nodes: &'m [Node]) -> Value<'m> {
        let [first, rest @ ..] = nodes else {
            return Value::Absent;
        };
        if function == Function::Has {
            return self.has(first);
        }
        let (value, work) = (self.value(first), self.work());
        match (function, value, rest) {
            (Function::OrValue, Value::Absent, [default]) => self.value(default),
            (Function::OrValue, ..) => value,
            (Function::Size, ..) => size(value, work),
            (Function::Int, ..) => int(value, work),
            (Function::Double, Value::Text(text), _) => {
                match work.spend(text.len() / CODED_BYTES_PER_UNIT) {
                    true => double::parse(text, work).map_or(Value::Absent, Value::Double),
                    false => Value::Absent,
                }
            }
            (Function::Double, ..) => match value.number(work) {
                Some(number) => Value::Double(number.double()),
                None => Value::Absent,
            },
            (Function::Bool, Value::Bool(_), _) | (Function::String, Value::Text(_), _) => value,
            (Function::String, Value::Number(digits), _) => Value::Text(digits),
            (Function::String, Value::Bool(boolean), _) => {
                Value::Text(if boolean { "true" } else { "false" })
            }
            (Function::String, Value::Int(integer), _) => self.written(integer),
            (Function::String, Value::Double(double), _) => self.written(Shortest(double)),
            (_, Value::Text(text), [other]) => match self.value(other) {
                Value::Text(other) => compare_texts(function, text, other, work),
                _ => Value::Absent,
            },
            (_, Value::Text(text), []) => convert(function, text, self.scratch),
            _ => Value::Absent,
        }
    }

    /// Evaluates `has` of a name or of a member. A message without a JSON body has no part of one:
    /// CEL knows no such message, and `respond` with this condition would answer all of them.
    fn has(&self, node: &'m Node) -> Value<'m> {
        if self.is_of_missing_body(node) {
            return Value::Bool(false);
        }
        match node {
            Node::Select(of, key) => match self.value(of) {
                Value::Json(view, node) if view.kind(node) == Kind::Object => {
                    boolean(self.has_key(view, node, key))
                }
                _ => Value::Absent,
            },
            _ => Value::Bool(!matches!(self.value(node), Value::Absent)),
        }
    }

    /// Whether a node selects a part of the body, and the message has no JSON body.
    fn is_of_missing_body(&self, node: &'m Node) -> bool {
        let name = node.selected_name().and_then(|it| self.names.get(it));
        name.is_some_and(|name| {
            name.is_body() && matches!(self.scope.value(name, self.scratch), Value::Absent)
        })
    }

    fn written(&self, number: impl std::fmt::Display) -> Value<'m> {
        let write = |text: &mut bumpalo::collections::String<'m>| write!(text, "{number}").ok();
        self.scratch.text(NUMBER_BYTES_MAX, write)
    }
}

fn compare_texts<'m>(function: Function, text: &str, other: &str, work: &Work) -> Value<'m> {
    // A text contains no longer one.
    let compared = text.len().min(other.len());
    let has_work = match function {
        Function::Contains => work.spend(text.len() + compared),
        _ => work.spend_bytes(compared),
    };
    match function {
        _ if !has_work => Value::Absent,
        Function::StartsWith => Value::Bool(text.starts_with(other)),
        Function::EndsWith => Value::Bool(text.ends_with(other)),
        Function::Contains => Value::Bool(text.contains(other)),
        _ => Value::Absent,
    }
}

/// Evaluates a function from a text to a text or boolean.
fn convert<'m>(function: Function, text: &'m str, scratch: &'m Scratch) -> Value<'m> {
    match function {
        Function::Bool => match text {
            "1" | "t" | "true" | "TRUE" | "True" => Value::Bool(true),
            "0" | "f" | "false" | "FALSE" | "False" => Value::Bool(false),
            _ => Value::Absent,
        },
        Function::LowerAscii => scratch.text(text.len(), |lower| {
            lower.push_str(text);
            lower.make_ascii_lowercase();
            Some(())
        }),
        Function::UpperAscii => scratch.text(text.len(), |upper| {
            upper.push_str(text);
            upper.make_ascii_uppercase();
            Some(())
        }),
        Function::Base64 => {
            scratch.work().spend(text.len() / CODED_BYTES_PER_UNIT);
            scratch.text(text.len().div_ceil(3) * 4, |encoded| {
                let display = Base64Display::new(text.as_bytes(), &STANDARD);
                write!(encoded, "{display}").ok()
            })
        }
        Function::UrlEncode => {
            scratch.work().spend(text.len() * 2);
            scratch.text(text.len() * 3, |encoded| {
                encoded.extend(escape::percent_encoded(text));
                Some(())
            })
        }
        _ => Value::Absent,
    }
}

fn size<'m>(value: Value<'m>, work: &Work) -> Value<'m> {
    let size = match value {
        Value::Text(text) => {
            work.spend_bytes(text.len());
            text.chars().count()
        }
        Value::List(items) => items.len(),
        Value::Json(view, node) => {
            let counted = view.children(node);
            counted.take_while(|_| work.spend(ITEM_UNITS)).count()
        }
        _ => return Value::Absent,
    };
    i64::try_from(size).map_or(Value::Absent, Value::Int)
}

fn int<'m>(value: Value<'m>, work: &Work) -> Value<'m> {
    /// 2^63, the first double beyond the integers.
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    match (value, value.number(work)) {
        (Value::Text(text), _) => match work.spend(text.len() / CODED_BYTES_PER_UNIT) {
            true => text.parse().map_or(Value::Absent, Value::Int),
            false => Value::Absent,
        },
        (_, Some(Number::Int(integer))) => Value::Int(integer),
        // As in CEL, the smallest integer is out of range too.
        (_, Some(Number::Double(double))) if double > -BEYOND && double < BEYOND => {
            Value::Int(double as i64)
        }
        _ => Value::Absent,
    }
}
