//! Evaluation: total, without a loop over the expression. Whatever grows with the values is counted
//! as work of the message; once that is exceeded, nothing has a value.
//!
//! `call.rs` evaluates calls of functions.

mod call;

use std::cmp::Ordering;

use tollgate_json::tape::{Kind, NodeId, View};

use super::node::{DEPTH_MAX, Node, Operator};
use crate::name::Name;
use crate::scope::{Scope, Scratch};
use crate::value::{ITEM_UNITS, Number, Value};
use crate::work::Work;

/// Units for a node of an expression.
const NODE_UNITS: usize = 2;

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
    fn work(&self) -> &'m Work {
        self.scratch.work()
    }

    fn value(&self, node: &'m Node) -> Value<'m> {
        if !self.work().spend(NODE_UNITS) {
            return Value::Absent;
        }
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
            Node::Select(of, key) => self.scratch.member(self.value(of), key),
            Node::Not(of) => boolean(self.truth(of).map(|is_true| !is_true)),
            Node::Negate(of) => self.negate(self.value(of)),
            Node::All(nodes) => self.decide(nodes, false),
            Node::Any(nodes) => self.decide(nodes, true),
            Node::Matches(of, pattern) => match self.value(of) {
                Value::Text(text) => Value::Bool(pattern.is_match(text, self.scratch)),
                _ => Value::Absent,
            },
            Node::Call(function, nodes) => self.call(*function, nodes),
            Node::Binary(Operator::In, nodes) => match &**nodes {
                [item, Node::List(items)] => {
                    let item = self.value(item);
                    boolean(self.contains(item, items.iter().map(|it| self.value(it))))
                }
                [item, of] => boolean(self.is_in(self.value(item), self.value(of))),
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

    fn item(&self, of: Value<'m>, index: Value<'m>) -> Value<'m> {
        let index = match (index, index.number(self.work())) {
            (Value::Text(key), _) => return self.scratch.member(of, key),
            (_, Some(Number::Int(index))) => usize::try_from(index).ok(),
            (_, Some(Number::Double(index))) if index.fract() == 0.0 && index >= 0.0 => {
                Some(index as usize)
            }
            _ => None,
        };
        let (Some(index), Some(items)) = (index, of.items()) else {
            return Value::Absent;
        };
        let mut counted = items.take_while(|_| self.work().spend(ITEM_UNITS));
        counted.nth(index).unwrap_or(Value::Absent)
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
        let work = self.work();
        let order =
            |is_right: fn(Ordering) -> bool| boolean(one.compare(other, work).map(is_right));
        let equals = || one.equals(other, work);
        match operator {
            Operator::Equal => boolean(equals()),
            Operator::NotEqual => boolean(equals().map(|are_equal| !are_equal)),
            Operator::Less => order(Ordering::is_lt),
            Operator::LessOrEqual => order(Ordering::is_le),
            Operator::Greater => order(Ordering::is_gt),
            Operator::GreaterOrEqual => order(Ordering::is_ge),
            Operator::Add => self.add(one, other),
            _ => calculate(operator, one.number(work), other.number(work)),
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
            let work = self.work();
            let counted = items.clone().chain(others.clone());
            let length = counted.take_while(|_| work.spend(ITEM_UNITS)).count();
            return match work.is_exceeded() {
                true => Value::Absent,
                false => self.scratch.list(length, items.chain(others)),
            };
        }
        let work = self.work();
        calculate(Operator::Add, one.number(work), other.number(work))
    }

    fn negate(&self, value: Value<'m>) -> Value<'m> {
        match value.number(self.work()) {
            Some(Number::Int(integer)) => integer.checked_neg().map_or(Value::Absent, Value::Int),
            Some(Number::Double(double)) => Value::Double(-double),
            None => Value::Absent,
        }
    }

    /// Whether an object has a key; `None` once the work is exceeded.
    fn has_key(&self, view: &View<'_>, object: NodeId, key: &str) -> Option<bool> {
        let found = self.work().find_key(*view, object, key);
        (!self.work().is_exceeded()).then_some(found.is_some())
    }

    fn is_in(&self, item: Value<'m>, of: Value<'m>) -> Option<bool> {
        match of {
            Value::Json(view, node) if view.kind(node) == Kind::Object => match item {
                Value::Text(key) => self.has_key(view, node, key),
                // CEL's maps could have keys of these types.
                Value::Bool(_) => Some(false),
                _ => item.number(self.work()).map(|_| false),
            },
            _ => self.contains(item, of.items()?),
        }
    }

    /// Whether one of the items equals a value. `None` if it, or an item, has no value.
    fn contains(&self, value: Value<'m>, items: impl Iterator<Item = Value<'m>>) -> Option<bool> {
        let work = self.work();
        let parsed = value.parsed(work);
        let mut found = Some(false);
        for item in items {
            if matches!(item, Value::Absent) || !work.spend(ITEM_UNITS) {
                return None;
            }
            match item.equals(parsed, work) {
                Some(true) => found = Some(true),
                Some(false) => {}
                None => found = found.filter(|&is_found| is_found),
            }
        }
        found.filter(|_| !matches!(value, Value::Absent))
    }
}

fn boolean<'m>(is_true: Option<bool>) -> Value<'m> {
    is_true.map_or(Value::Absent, Value::Bool)
}

/// Calculates with two integers or two doubles.
fn calculate<'m>(operator: Operator, one: Option<Number>, other: Option<Number>) -> Value<'m> {
    match (one, other) {
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
