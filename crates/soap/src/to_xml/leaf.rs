//! Text of elements and attributes.

use tollgate_json::tape::{Kind, Name, NodeId};
use tollgate_xml::escape::{Forbidden, push_attribute, push_text};
use tollgate_xml::is_plain_name;

use super::index::Complex;
use super::write::Writing;
use crate::value::Rule;

impl Writing<'_, '_, '_> {
    /// Writes a value as the content of an element.
    pub(super) fn text(&mut self, rule: &Rule, id: NodeId) {
        if rule.is_any_text() && matches!(self.view.kind(id), Kind::Text | Kind::Word) {
            if self.view.is_plain(id) {
                return self.out.extend_from_slice(self.view.bytes(id));
            }
            let pushed = push_text(self.out, self.view.text(id));
            return self.note_forbidden(pushed, id);
        }
        self.lexical(rule, id, push_text);
    }

    /// Writes a value as that of an attribute, without the quotes.
    pub(super) fn attribute_text(&mut self, rule: &Rule, id: NodeId) {
        self.lexical(rule, id, push_attribute);
    }

    fn lexical(&mut self, rule: &Rule, id: NodeId, push: Push) {
        self.work.clear();
        let lexical = match rule.lexical(self.view, id, self.work) {
            Ok(lexical) => lexical,
            Err(wrong) => return self.violation(id, rule.sentence(wrong)),
        };
        if rule.has_names() {
            let text = self.work.text(lexical).to_owned();
            return self.names(&text, id, push);
        }
        let text = self.work.text(lexical);
        if rule.is_markup_free() || self.view.is_plain(id) {
            self.out.extend_from_slice(text.as_bytes());
        } else {
            let pushed = push(self.out, text);
            self.note_forbidden(pushed, id);
        }
    }

    /// Writes names of the form `{namespace}local` with prefixes.
    fn names(&mut self, text: &str, id: NodeId, push: Push) {
        for (position, word) in text.split(' ').enumerate() {
            if position > 0 {
                self.out.push(b' ');
            }
            let local = match word.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                None | Some(("", _)) => word.trim_start_matches("{}"),
                Some((namespace, local)) => match self.namespace(namespace) {
                    Some(index) => {
                        self.out.extend_from_slice(format!("q{index}:").as_bytes());
                        local
                    }
                    None => {
                        let sentence = "uses a namespace that is invalid, or one too many";
                        return self.violation(id, sentence.into());
                    }
                },
            };
            let pushed = push(self.out, local);
            self.note_forbidden(pushed, id);
        }
    }

    fn note_forbidden(&mut self, pushed: Result<(), Forbidden>, id: NodeId) {
        if let Err(Forbidden(character)) = pushed {
            let code = u32::from(character);
            self.violation(
                id,
                format!("has the character U+{code:04X}, which XML does not allow"),
            );
        }
    }

    /// Writes `xsi:type` for a type `{namespace}local`.
    pub(super) fn any_type(&mut self, id: NodeId) {
        let name = match self.view.kind(id) {
            Kind::Text | Kind::Word => self.view.text(id),
            _ => "",
        };
        let parts = name.strip_prefix('{').and_then(|it| it.split_once('}'));
        let Some((namespace, local)) = parts.filter(|(_, local)| is_plain_name(local)) else {
            return self.violation(id, "must be the name of a type, \"{namespace}name\"".into());
        };
        self.out.extend_from_slice(b" xsi:type=\"");
        if !namespace.is_empty() {
            match self.namespace(namespace) {
                Some(index) => self.out.extend_from_slice(format!("q{index}:").as_bytes()),
                None => {
                    let sentence = "uses a namespace that is invalid, or one too many";
                    return self.violation(id, sentence.into());
                }
            }
        }
        self.out.extend_from_slice(local.as_bytes());
        self.out.push(b'"');
    }

    /// Writes the attributes that only a wildcard allows: their keys begin with `{`.
    pub(super) fn other_attributes(&mut self, complex: &Complex, object: NodeId) {
        let view = self.view;
        for key in view.children(object) {
            let name = view.text(key);
            if complex.slots.find(Name::new(name.as_bytes()), 0).is_some() {
                continue;
            }
            let Some(name) = name.strip_prefix('{') else {
                continue;
            };
            let value = view.value(key);
            let Some((namespace, local)) = name.split_once('}') else {
                self.violation(key, "is not known here".into());
                continue;
            };
            let is_reserved = matches!(namespace, super::load::INSTANCE)
                || namespace.starts_with("http://www.w3.org/2000/xmlns")
                || (namespace.is_empty() && local == "xmlns");
            if !is_plain_name(local) || is_reserved {
                self.violation(key, "cannot be an attribute".into());
                continue;
            }
            if !matches!(view.kind(value), Kind::Text | Kind::Word) {
                self.violation(value, "must be a string".into());
                continue;
            }
            self.out.push(b' ');
            match namespace {
                "" => {}
                "http://www.w3.org/XML/1998/namespace" => self.out.extend_from_slice(b"xml:"),
                _ => match self.namespace(namespace) {
                    Some(index) => self.out.extend_from_slice(format!("q{index}:").as_bytes()),
                    None => self.violation(key, "uses one namespace too many".into()),
                },
            }
            self.out.extend_from_slice(local.as_bytes());
            self.out.extend_from_slice(b"=\"");
            let pushed = push_attribute(self.out, view.text(value));
            self.note_forbidden(pushed, value);
            self.out.push(b'"');
        }
    }
}

type Push = fn(&mut Vec<u8>, &str) -> Result<(), Forbidden>;
