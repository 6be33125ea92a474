//! Evaluation: total, without a loop over the expression, linear in the values.

use std::cmp::Ordering;
use std::fmt::Write as _;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use tollgate_soap::tape::Kind;

use super::function::Function;
use super::node::{DEPTH_MAX, Node, Operator};
use crate::escape;
use crate::name::Name;
use crate::scope::{Scope, Scratch};
use crate::value::{Number, Value};

/// Bytes that are compared or searched with one unit of work.
const BYTES_PER_WORK: usize = 16;
/// Bytes of the longest number: a double is written without an exponent.
const NUMBER_BYTES_MAX: usize = 400;

pub(super) fn evaluate<'m>(
    root: &'m Node,
    names: &'m [Name],
    scope: &dyn Scope<'m>,
    scratch: &'m Scratch,
) -> Value<'m> {
    let evaluation = Evaluation {
        names,
        scope,
        scratch,
    };
    evaluation.value(root)
}

struct Evaluation<'s, 'm> {
    names: &'m [Name],
    scope: &'s dyn Scope<'m>,
    scratch: &'m Scratch,
}

impl<'m> Evaluation<'_, 'm> {
    fn value(&self, node: &'m Node) -> Value<'m> {
        match node {
            Node::Null => Value::Null,
            Node::Bool(boolean) => Value::Bool(*boolean),
            Node::Int(integer) => Value::Int(*integer),
            Node::Double(double) => Value::Double(*double),
            Node::Text(text) => Value::Text(text),
            Node::List(nodes) => {
                let items = nodes.iter().map(|node| self.value(node));
                self.scratch.list(nodes.len(), items)
            }
            Node::Name(index) => match self.names.get(usize::from(*index)) {
                Some(name) => match self.scope.value(name, self.scratch) {
                    list @ Value::List(_) => self.scratch.copy_list(list, DEPTH_MAX),
                    value => value,
                },
                None => Value::Absent,
            },
            Node::Select(of, key) => self.member(self.value(of), key),
            Node::Not(of) => boolean(self.truth(of).map(|is_true| !is_true)),
            Node::Negate(of) => negate(self.value(of)),
            Node::All(nodes) => self.decide(nodes, false),
            Node::Any(nodes) => self.decide(nodes, true),
            Node::Matches(of, pattern) => match self.value(of) {
                Value::Text(text) => {
                    self.scratch.spend(text.len());
                    Value::Bool(pattern.is_match(text))
                }
                _ => Value::Absent,
            },
            Node::Call(function, nodes) => self.call(*function, nodes),
            Node::Binary(Operator::In, nodes) => match &**nodes {
                [item, Node::List(items)] => boolean(contains(
                    self.value(item),
                    items.iter().map(|it| self.value(it)),
                )),
                [item, of] => {
                    let of = self.read(self.value(of));
                    boolean(is_in(self.value(item), of))
                }
                _ => Value::Absent,
            },
            Node::Binary(operator, nodes) => match &**nodes {
                [one, other] => self.binary(*operator, self.value(one), self.value(other)),
                _ => Value::Absent,
            },
            Node::Index(nodes) => match &**nodes {
                [of, index] => self.item(self.value(of), self.value(index)),
                _ => Value::Absent,
            },
            Node::Choose(nodes) => match &**nodes {
                [condition, yes, no] => match self.truth(condition) {
                    Some(true) => self.value(yes),
                    Some(false) => self.value(no),
                    None => Value::Absent,
                },
                _ => Value::Absent,
            },
        }
    }

    /// Counts the work of reading a value as a whole.
    #[inline]
    fn read(&self, value: Value<'m>) -> Value<'m> {
        match value {
            Value::Text(text) | Value::Number(text) => {
                self.scratch.spend(text.len() / BYTES_PER_WORK);
            }
            Value::Json(view, node) => self.scratch.spend(view.span(node).len() / BYTES_PER_WORK),
            Value::List(items) => self.scratch.spend(items.len()),
            Value::Absent | Value::Null | Value::Bool(_) | Value::Int(_) | Value::Double(_) => {}
        }
        value
    }

    #[inline]
    fn member(&self, of: Value<'m>, key: &str) -> Value<'m> {
        let Value::Json(view, node) = of else {
            return Value::Absent;
        };
        let (found, compared) = view.find_counting(node, key);
        self.scratch.spend(compared);
        found.map_or(Value::Absent, |key| Value::from_json(view, view.value(key)))
    }

    fn item(&self, of: Value<'m>, index: Value<'m>) -> Value<'m> {
        let index = match (index, index.number()) {
            (Value::Text(key), _) => return self.member(of, key),
            (_, Some(Number::Int(index))) => usize::try_from(index).ok(),
            (_, Some(Number::Double(index))) if index.fract() == 0.0 && index >= 0.0 => {
                Some(index as usize)
            }
            _ => None,
        };
        let (Some(index), Some(items)) = (index, of.items()) else {
            return Value::Absent;
        };
        let mut compared = 0;
        let item = items.inspect(|_| compared += 1).nth(index);
        self.scratch.spend(compared);
        item.unwrap_or(Value::Absent)
    }

    fn truth(&self, node: &'m Node) -> Option<bool> {
        match self.value(node) {
            Value::Bool(is_true) => Some(is_true),
            _ => None,
        }
    }

    /// Evaluates a chain of `&&` or `||`: one operand that is `decisive` decides, even if others
    /// have no value.
    fn decide(&self, nodes: &'m [Node], decisive: bool) -> Value<'m> {
        let mut result = Some(!decisive);
        for node in nodes {
            match self.truth(node) {
                Some(is_true) if is_true == decisive => return Value::Bool(decisive),
                Some(_) => {}
                None => result = None,
            }
        }
        boolean(result)
    }

    fn binary(&self, operator: Operator, one: Value<'m>, other: Value<'m>) -> Value<'m> {
        let (one, other) = (self.read(one), self.read(other));
        let order = |is_right: fn(Ordering) -> bool| boolean(one.compare(other).map(is_right));
        match operator {
            Operator::Equal => boolean(one.equals(other)),
            Operator::NotEqual => boolean(one.equals(other).map(|are_equal| !are_equal)),
            Operator::Less => order(Ordering::is_lt),
            Operator::LessOrEqual => order(Ordering::is_le),
            Operator::Greater => order(Ordering::is_gt),
            Operator::GreaterOrEqual => order(Ordering::is_ge),
            Operator::Add => self.add(one, other),
            _ => calculate(operator, one, other),
        }
    }

    fn add(&self, one: Value<'m>, other: Value<'m>) -> Value<'m> {
        if let (Value::Text(one), Value::Text(other)) = (one, other) {
            return self.scratch.text(one.len() + other.len(), |text| {
                text.push_str(one);
                text.push_str(other);
                Some(())
            });
        }
        if let (Some(items), Some(others)) = (one.items(), other.items()) {
            let length = items.clone().count() + others.clone().count();
            return self.scratch.list(length, items.chain(others));
        }
        calculate(Operator::Add, one, other)
    }

    fn call(&self, function: Function, nodes: &'m [Node]) -> Value<'m> {
        let [first, rest @ ..] = nodes else {
            return Value::Absent;
        };
        if function == Function::Has {
            return self.has(first);
        }
        let value = self.read(self.value(first));
        match (function, value, rest) {
            (Function::OrValue, Value::Absent, [default]) => self.value(default),
            (Function::OrValue, ..) => value,
            (Function::Size, ..) => size(value),
            (Function::Int, ..) => int(value),
            (Function::Double, Value::Text(text), _) => {
                text.parse().map_or(Value::Absent, Value::Double)
            }
            (Function::Double, ..) => match value.number() {
                Some(number) => Value::Double(number.double()),
                None => Value::Absent,
            },
            (Function::Bool, Value::Bool(_), _) | (Function::String, Value::Text(_), _) => value,
            (Function::String, Value::Number(digits), _) => Value::Text(digits),
            (Function::String, Value::Bool(boolean), _) => {
                Value::Text(if boolean { "true" } else { "false" })
            }
            (Function::String, Value::Int(integer), _) => self.written(integer),
            (Function::String, Value::Double(double), _) => self.written(double),
            (_, Value::Text(text), [other]) => match self.value(other) {
                Value::Text(other) => compare_texts(function, text, other),
                _ => Value::Absent,
            },
            (_, Value::Text(text), []) => self.convert(function, text),
            _ => Value::Absent,
        }
    }

    /// Evaluates `has` of a name or of a member. A message without a JSON body has no part of one:
    /// CEL knows no such message, and a step `respond` with this condition would answer all of them.
    fn has(&self, node: &'m Node) -> Value<'m> {
        if self.is_of_missing_body(node) {
            return Value::Bool(false);
        }
        match node {
            Node::Select(of, key) => match self.value(of) {
                Value::Json(view, node) if view.kind(node) == Kind::Object => {
                    let (found, compared) = view.find_counting(node, key);
                    self.scratch.spend(compared);
                    Value::Bool(found.is_some())
                }
                _ => Value::Absent,
            },
            _ => Value::Bool(!matches!(self.value(node), Value::Absent)),
        }
    }

    /// Whether a node selects a part of the body, and the message has no JSON body.
    fn is_of_missing_body(&self, mut node: &'m Node) -> bool {
        let name = loop {
            node = match node {
                Node::Select(of, _) => of,
                Node::Index(nodes) => match nodes.first() {
                    Some(of) => of,
                    None => return false,
                },
                Node::Name(index) => break self.names.get(usize::from(*index)),
                _ => return false,
            };
        };
        let Some(name) = name.filter(|name| name.is_body()) else {
            return false;
        };
        matches!(self.scope.value(name, self.scratch), Value::Absent)
    }

    fn written(&self, number: impl std::fmt::Display) -> Value<'m> {
        let write = |text: &mut bumpalo::collections::String<'m>| write!(text, "{number}").ok();
        self.scratch.text(NUMBER_BYTES_MAX, write)
    }

    /// Evaluates a function from a text to a text or boolean.
    fn convert(&self, function: Function, text: &'m str) -> Value<'m> {
        match function {
            Function::Bool => match text {
                "1" | "t" | "true" | "TRUE" | "True" => Value::Bool(true),
                "0" | "f" | "false" | "FALSE" | "False" => Value::Bool(false),
                _ => Value::Absent,
            },
            Function::LowerAscii => self.scratch.text(text.len(), |lower| {
                lower.extend(text.chars().map(|it| it.to_ascii_lowercase()));
                Some(())
            }),
            Function::UpperAscii => self.scratch.text(text.len(), |upper| {
                upper.extend(text.chars().map(|it| it.to_ascii_uppercase()));
                Some(())
            }),
            Function::Base64 => self.scratch.text(text.len().div_ceil(3) * 4, |encoded| {
                write!(
                    encoded,
                    "{}",
                    Base64Display::new(text.as_bytes(), &STANDARD)
                )
                .ok()
            }),
            Function::UrlEncode => self.scratch.text(text.len() * 3, |encoded| {
                encoded.extend(escape::percent_encoded(text));
                Some(())
            }),
            _ => Value::Absent,
        }
    }
}

fn boolean<'m>(is_true: Option<bool>) -> Value<'m> {
    is_true.map_or(Value::Absent, Value::Bool)
}

fn compare_texts<'m>(function: Function, text: &str, other: &str) -> Value<'m> {
    match function {
        Function::StartsWith => Value::Bool(text.starts_with(other)),
        Function::EndsWith => Value::Bool(text.ends_with(other)),
        Function::Contains => Value::Bool(text.contains(other)),
        _ => Value::Absent,
    }
}

fn negate(value: Value<'_>) -> Value<'_> {
    match value.number() {
        Some(Number::Int(integer)) => integer.checked_neg().map_or(Value::Absent, Value::Int),
        Some(Number::Double(double)) => Value::Double(-double),
        None => Value::Absent,
    }
}

/// Calculates with two integers or two doubles.
fn calculate<'m>(operator: Operator, one: Value<'m>, other: Value<'m>) -> Value<'m> {
    match (one.number(), other.number()) {
        (Some(Number::Int(one)), Some(Number::Int(other))) => {
            let result = match operator {
                Operator::Add => one.checked_add(other),
                Operator::Subtract => one.checked_sub(other),
                Operator::Multiply => one.checked_mul(other),
                Operator::Divide => one.checked_div(other),
                Operator::Remainder => one.checked_rem(other),
                _ => None,
            };
            result.map_or(Value::Absent, Value::Int)
        }
        (Some(Number::Double(one)), Some(Number::Double(other))) => match operator {
            Operator::Add => Value::Double(one + other),
            Operator::Subtract => Value::Double(one - other),
            Operator::Multiply => Value::Double(one * other),
            Operator::Divide => Value::Double(one / other),
            _ => Value::Absent,
        },
        _ => Value::Absent,
    }
}

/// Whether one of the items equals a value. `None` if it, or an item, has no value.
fn contains<'m>(value: Value<'m>, items: impl Iterator<Item = Value<'m>>) -> Option<bool> {
    let mut found = Some(false);
    for item in items {
        match item.equals(value) {
            _ if matches!(item, Value::Absent) => return None,
            Some(true) => found = Some(true),
            Some(false) => {}
            None => found = found.filter(|&is_found| is_found),
        }
    }
    found.filter(|_| !matches!(value, Value::Absent))
}

fn is_in(item: Value<'_>, of: Value<'_>) -> Option<bool> {
    match of {
        Value::Json(view, node) if view.kind(node) == Kind::Object => match item {
            Value::Text(key) => Some(view.find(node, key).is_some()),
            // CEL's maps could have keys of these types.
            Value::Bool(_) => Some(false),
            _ => item.number().map(|_| false),
        },
        _ => contains(item, of.items()?),
    }
}

fn size(value: Value<'_>) -> Value<'_> {
    let size = match value {
        Value::Text(text) => text.chars().count(),
        Value::List(items) => items.len(),
        Value::Json(view, node) => view.children(node).count(),
        _ => return Value::Absent,
    };
    i64::try_from(size).map_or(Value::Absent, Value::Int)
}

fn int(value: Value<'_>) -> Value<'_> {
    /// 2^63, the first double beyond the integers.
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    match (value, value.number()) {
        (Value::Text(text), _) => text.parse().map_or(Value::Absent, Value::Int),
        (_, Some(Number::Int(integer))) => Value::Int(integer),
        // As in CEL, the smallest integer is out of range too.
        (_, Some(Number::Double(double))) if double > -BEYOND && double < BEYOND => {
            Value::Int(double as i64)
        }
        _ => Value::Absent,
    }
}
