//! Compiles JSON templates.

use std::fmt::Display;

use serde_json::{Map, Value};
use tollgate_json::push_string;
use tollgate_model::fault::pointer_token;
use tollgate_model::policies::{JsonTemplate as Written, Missing};

use super::step::Steps;
use crate::body::members::Collected;
use crate::body::template::{Each, Fill, JsonTemplate, Part};
use crate::expression::Expression;
use crate::name::{NAMES, Source};
use crate::note::Note;
use crate::text;

/// Maximum depth of a template.
const DEPTH_MAX: usize = 32;
/// Maximum number of values of a template.
const NODES_MAX: usize = 10_000;
/// Maximum depth of `$each` in `$each`.
const EACH_MAX: usize = 3;
const EACH: &str = "$each";
const AS: &str = "$as";
const DO: &str = "$do";

impl Steps<'_> {
    pub(super) fn json_template(&mut self, it: &Written, at: &str) -> Option<JsonTemplate> {
        let before = self.faults.len();
        let mut compiler = Compiler {
            at: format!("{at}/template"),
            missing: it.missing,
            locals: Vec::new(),
            members: vec![Collected::default()],
            nodes: 0,
            steps: self,
        };
        let mut builder = Builder::default();
        compiler.value(&it.template, &mut builder, 0, &Position::default());
        let parts = builder.finish();
        let (members, places) = compiler.members.pop().unwrap_or_default().finish();
        let is_right = self.faults.len() == before;
        is_right.then_some(JsonTemplate {
            parts,
            members,
            places,
            missing: it.missing,
        })
    }
}

/// The parts of a template as they are made.
#[derive(Default)]
struct Builder {
    parts: Vec<Part>,
    literal: String,
    closes: bool,
}

impl Builder {
    fn push_name(&mut self, name: &str) {
        let mut json = Vec::new();
        push_string(&mut json, name);
        self.literal
            .push_str(&String::from_utf8(json).unwrap_or_default());
    }

    /// Ends an array or object.
    fn close(&mut self, end: char) {
        if self.literal.ends_with(',') {
            self.literal.pop();
        } else if self.literal.is_empty() {
            self.closes = true;
        }
        self.literal.push(end);
    }

    /// Ends the literal with a value behind it.
    fn fill(&mut self, fill: Fill, kept: usize, at: Box<str>) {
        self.parts.push(Part {
            closes: std::mem::take(&mut self.closes),
            literal: std::mem::take(&mut self.literal).into(),
            kept,
            fill,
            at,
        });
    }

    fn finish(mut self) -> Box<[Part]> {
        if !self.literal.is_empty() {
            let kept = self.literal.len();
            self.fill(Fill::End, kept, Box::default());
        }
        self.parts.into()
    }
}

struct Compiler<'s, 'c, 't> {
    /// The place of the template.
    at: String,
    missing: Missing,
    /// The names of the surrounding `$each`.
    locals: Vec<&'t str>,
    /// The members that are read of the body and of each of the locals.
    members: Vec<Collected>,
    nodes: usize,
    steps: &'s mut Steps<'c>,
}

/// The position of a value in the template.
#[derive(Default)]
struct Position {
    /// A JSON Pointer from the template.
    pointer: String,
    /// Number of the values around it.
    depth: usize,
}

impl Position {
    /// Returns the position of a member or item with this escaped name or index.
    fn child(&self, token: impl Display) -> Self {
        Self {
            pointer: format!("{}/{token}", self.pointer),
            depth: self.depth + 1,
        }
    }
}

impl<'t> Compiler<'_, '_, 't> {
    fn fault(&mut self, pointer: &str, detail: impl Into<String>) {
        let field = format!("{}{pointer}", self.at);
        self.steps.fault(field, "policy.template", detail);
    }

    /// Compiles a value; if it is left out, the literal is cut to `kept`.
    fn value(&mut self, value: &'t Value, builder: &mut Builder, kept: usize, position: &Position) {
        let Position { pointer, depth } = position;
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            if self.nodes == NODES_MAX + 1 {
                self.fault("", format!("a template has at most {NODES_MAX} values"));
            }
            return;
        }
        if *depth > DEPTH_MAX {
            return self.fault(pointer, format!("a template is at most {DEPTH_MAX} deep"));
        }
        let fill = match value {
            Value::Object(object) if object.contains_key(EACH) => {
                let each = self.each(object, position);
                each.map(|each| Fill::Each(Box::new(each)))
            }
            Value::Object(object) => return self.object(object, builder, position),
            Value::Array(items) => return self.array(items, builder, position),
            Value::String(text) if text.contains("{{") => self.text(text, pointer),
            Value::String(text) => return builder.push_name(text),
            Value::Number(number) => {
                if number.as_f64().is_some_and(loses_digits) && !number.is_i64() && !number.is_u64()
                {
                    self.fault(pointer, "a number beyond 2^53 loses digits: write a text");
                }
                return builder.literal.push_str(&number.to_string());
            }
            Value::Null | Value::Bool(_) => {
                return builder.literal.push_str(&value.to_string());
            }
        };
        let at = match self.missing {
            Missing::Refuse => pointer.as_str().into(),
            Missing::Drop | Missing::Null => Box::default(),
        };
        if let Some(fill) = fill {
            builder.fill(fill, kept, at);
        }
    }

    fn object(
        &mut self,
        object: &'t Map<String, Value>,
        builder: &mut Builder,
        position: &Position,
    ) {
        builder.literal.push('{');
        for (name, value) in object {
            let kept = builder.literal.len();
            builder.push_name(name);
            builder.literal.push(':');
            let position = position.child(pointer_token(name));
            self.value(value, builder, kept, &position);
            separate(builder);
        }
        builder.close('}');
    }

    fn array(&mut self, items: &'t [Value], builder: &mut Builder, position: &Position) {
        builder.literal.push('[');
        for (index, item) in items.iter().enumerate() {
            let kept = builder.literal.len();
            self.value(item, builder, kept, &position.child(index));
            separate(builder);
        }
        builder.close(']');
    }

    /// Compiles a text with holes.
    fn text(&mut self, text: &str, pointer: &str) -> Option<Fill> {
        let field = format!("{}{pointer}", self.at);
        let place = text::Place::JsonString;
        let text = self
            .steps
            .template_with(text, place, &field, &self.locals)?;
        let expressions = text.expressions();
        let notes = expressions.filter_map(|it| Note::on_each(it, &self.locals, &field));
        self.steps.notes.extend(notes);
        Some(match text.only_hole() {
            Some(expression) => {
                let member = self.member(expression);
                member.unwrap_or_else(|| Fill::Value(expression.clone()))
            }
            None => Fill::Text(text),
        })
    }

    /// Collects the member that an expression reads, if it does nothing else.
    fn member(&mut self, expression: &Expression) -> Option<Fill> {
        let (name, path) = expression.member()?;
        let level = match name.source {
            Source::Body => 0,
            Source::Local => self.locals.iter().position(|it| **it == *name.key)? + 1,
            _ => return None,
        };
        let outwards = self.locals.len() - level;
        let place = self.members.get_mut(level)?.add(&path)?;
        Some(Fill::Member(u8::try_from(outwards).ok()?, place))
    }

    fn each(&mut self, object: &'t Map<String, Value>, position: &Position) -> Option<Each> {
        let pointer = &position.pointer;
        if self.locals.len() == EACH_MAX {
            self.fault(pointer, format!("`$each` is at most {EACH_MAX} deep"));
            return None;
        }
        for name in object
            .keys()
            .filter(|name| ![EACH, AS, DO].contains(&name.as_str()))
        {
            let at = format!("{pointer}/{}", pointer_token(name));
            self.fault(&at, "beside `$each` are only `$as` and `$do`");
        }
        let of = self.expression(object.get(EACH), &format!("{pointer}/{EACH}"));
        let name = self.name(object.get(AS), &format!("{pointer}/{AS}"));
        let Some(template) = object.get(DO) else {
            self.fault(pointer, "`$each` needs `$do`: the template of an item");
            return None;
        };
        let name = name?;
        self.locals.push(name);
        self.members.push(Collected::default());
        let mut builder = Builder::default();
        self.value(template, &mut builder, 0, &position.child(DO));
        separate(&mut builder);
        self.locals.pop();
        let (members, places) = self.members.pop().unwrap_or_default().finish();
        Some(Each {
            of: of?,
            name: name.into(),
            members,
            places,
            parts: builder.finish(),
        })
    }

    fn expression(&mut self, text: Option<&Value>, pointer: &str) -> Option<Expression> {
        let Some(Value::String(text)) = text else {
            self.fault(pointer, "`$each` is the text of an expression");
            return None;
        };
        let field = format!("{}{pointer}", self.at);
        let expression = self.steps.expression_with(text, &field, &self.locals)?;
        let note = Note::on_inner_each(&expression, &self.locals, &field);
        self.steps.notes.extend(note);
        Some(expression)
    }

    fn name(&mut self, name: Option<&'t Value>, pointer: &str) -> Option<&'t str> {
        let Some(Value::String(name)) = name else {
            self.fault(pointer, "`$each` needs `$as`: the name of an item in `$do`");
            return None;
        };
        let is_root = |path: &str| path.split('.').next() == Some(name.as_str());
        let is_known = ["true", "false", "null", "in"].contains(&name.as_str())
            || NAMES.iter().any(|it| is_root(it.path))
            || self.locals.contains(&name.as_str());
        if is_known {
            self.fault(
                pointer,
                format!("expressions have another meaning of {name:?} already"),
            );
            return None;
        }
        let field = format!("{}{pointer}", self.at);
        self.steps.check_name(name, &field).then_some(name)
    }
}

/// Separates a value from the next one; those that may be left out write their comma themselves.
fn separate(builder: &mut Builder) {
    if !builder.literal.is_empty() {
        builder.literal.push(',');
    }
}

/// Whether integers of this size are rounded in a double.
fn loses_digits(number: f64) -> bool {
    number.abs() >= 9_007_199_254_740_992.0
}
