//! Writes the values of one object in the order of the schema.

use tollgate_json::tape::{Kind, NodeId};

use super::index::{Element, Elements, Field, FieldKind, Place, Slots, Step, Type};
use super::write::{At, Writing};
use crate::convention::{ELEMENT, NIL, VALUE};

impl<'p> Writing<'p, '_, '_> {
    pub(super) fn run(&mut self, step: &'p Step, at: At<'p>) {
        match step {
            Step::Field(place) => self.place(place, at),
            Step::Sequence {
                steps,
                fields,
                is_optional,
            } => {
                if !*is_optional || fields.iter().any(|&field| self.is_present(field, at)) {
                    for step in steps {
                        match step {
                            Step::Field(place) => self.place(place, at),
                            _ => self.run(step, at),
                        }
                    }
                }
            }
            Step::Choice {
                branches,
                fields,
                is_optional,
            } => {
                self.choose(branches, fields, *is_optional, at);
            }
        }
    }

    /// Whether a field has a value that is not written yet. An array without items does not count,
    /// nor a null that cannot become `xsi:nil`.
    fn is_present(&self, field: usize, at: At<'_>) -> bool {
        let field = &at.elements.fields[field];
        let given = |slot: usize, nillable: bool| {
            let id = self.slots[at.base + slot];
            id.is_some_and(|id| nillable || self.view.kind(id) != Kind::Null)
        };
        if field.is_array {
            let array = self.slots[at.base + field.slot];
            let array = array.filter(|&id| self.view.kind(id) == Kind::Array);
            // A field that appears in several places has a cursor on its last written item.
            let done = field.cursor.and_then(|cursor| self.slots[at.base + cursor]);
            return match (array, done) {
                (None, _) => given(field.slot, false),
                (Some(_), Some(last)) => self.view.next(last).is_some(),
                (Some(id), None) => self.view.first(id).is_some(),
            };
        }
        match &field.kind {
            FieldKind::Element(element) => given(field.slot, element.nillable),
            FieldKind::Substitution(all) => {
                let mut slots = field.slot..;
                all.iter().any(|(_, member)| {
                    slots
                        .next()
                        .is_some_and(|slot| given(slot, member.nillable))
                })
            }
            _ => given(field.slot, false),
        }
    }

    fn count_present(&self, step: &Step, at: At<'_>) -> usize {
        match step {
            Step::Field(place) => usize::from(self.is_present(place.field, at)),
            Step::Sequence { fields, .. } | Step::Choice { fields, .. } => fields
                .iter()
                .filter(|&&field| self.is_present(field, at))
                .count(),
        }
    }

    /// Whether all required values of a step are present.
    fn is_satisfied(&self, step: &Step, at: At<'_>) -> bool {
        match step {
            Step::Field(place) => place.min == 0 || self.is_present(place.field, at),
            Step::Sequence {
                steps, is_optional, ..
            } => {
                *is_optional && self.count_present(step, at) == 0
                    || steps.iter().all(|step| self.is_satisfied(step, at))
            }
            Step::Choice {
                branches,
                is_optional,
                ..
            } => *is_optional || branches.iter().any(|branch| self.is_satisfied(branch, at)),
        }
    }

    fn choose(&mut self, branches: &'p [Step], fields: &'p [usize], is_optional: bool, at: At<'p>) {
        let count = fields
            .iter()
            .filter(|&&field| self.is_present(field, at))
            .count();
        if count == 0 {
            let is_empty = |branch: &Step| self.is_satisfied(branch, at);
            if !is_optional && !branches.iter().any(is_empty) {
                let names: Vec<_> = fields
                    .iter()
                    .map(|&field| &*at.elements.fields[field].json)
                    .collect();
                self.violation(at.object, format!("must have one of {}", names.join(", ")));
            }
            return;
        }
        // Branches may share fields: choose the first with all given fields and without missing
        // ones.
        let mut chosen = None;
        for branch in branches {
            if self.count_present(branch, at) == count {
                if self.is_satisfied(branch, at) {
                    chosen = Some(branch);
                    break;
                }
                chosen = chosen.or(Some(branch));
            }
        }
        match chosen {
            Some(branch) => self.run(branch, at),
            None => self.two_branches(fields, at),
        }
    }

    #[cold]
    fn two_branches(&mut self, fields: &[usize], at: At<'_>) {
        let given = fields.iter().filter(|&&field| self.is_present(field, at));
        let names: Vec<_> = given
            .map(|&field| &*at.elements.fields[field].json)
            .collect();
        let sentence = format!("may have only one of {}", names.join(", "));
        self.violation(at.object, sentence);
    }

    fn place(&mut self, place: &Place, at: At<'p>) {
        let field = &at.elements.fields[place.field];
        if field.is_array {
            return self.array(field, place, at);
        }
        if let FieldKind::Substitution(all) = &field.kind {
            return self.member(field, all, place.min, at);
        }
        match self.slots[at.base + field.slot] {
            Some(id) if self.view.kind(id) == Kind::Null => {
                let nillable = matches!(&field.kind, FieldKind::Element(of) if of.nillable);
                if place.min > 0 || nillable {
                    self.item(field, id);
                }
            }
            Some(id) => self.item(field, id),
            None if place.min > 0 => self.missing(at.object, &field.json),
            None => {}
        }
    }

    /// Writes one member of a substitution group, each of which has its own key.
    fn member(&mut self, field: &'p Field, all: &'p [(Box<str>, Element)], min: u32, at: At<'p>) {
        let mut is_written = false;
        for (index, (_, element)) in all.iter().enumerate() {
            let Some(id) = self.slots[at.base + field.slot + index] else {
                continue;
            };
            if self.view.kind(id) == Kind::Null && !element.nillable {
                continue;
            }
            if is_written {
                let names: Vec<_> = all.iter().map(|(key, _)| &**key).collect();
                let sentence = format!("may have only one of {}", names.join(", "));
                return self.violation(at.object, sentence);
            }
            is_written = true;
            self.element(element, id);
        }
        if !is_written && min > 0 {
            let usable = all.iter().filter(|(_, element)| !element.is_abstract);
            let names: Vec<_> = usable.map(|(key, _)| &**key).collect();
            self.violation(at.object, format!("must have one of {}", names.join(", ")));
        }
    }

    fn array(&mut self, field: &'p Field, place: &Place, at: At<'p>) {
        let view = self.view;
        let slot = at.base + field.slot;
        let array = match self.slots[slot] {
            Some(id) if view.kind(id) == Kind::Array => id,
            Some(id) if view.kind(id) != Kind::Null => {
                self.violation(id, "must be an array".into());
                return;
            }
            Some(id) if place.min > 0 => return self.violation(id, "must not be null".into()),
            None if place.min > 0 => return self.missing(at.object, &field.json),
            _ => return,
        };
        let done = field.cursor.and_then(|cursor| self.slots[at.base + cursor]);
        let mut next = match done {
            Some(last) => view.next(last),
            None => view.first(array),
        };
        let mut quota = u32::MAX;
        if place.has_later {
            let rest = std::iter::successors(next, |&item| view.next(item)).count();
            let rest = u32::try_from(rest).unwrap_or(u32::MAX);
            quota = rest.saturating_sub(place.later_min).min(place.max);
        }
        let (mut count, mut last) = (0, done);
        while let Some(item) = next.filter(|_| count < quota) {
            self.item(field, item);
            count += 1;
            last = Some(item);
            next = view.next(item);
        }
        if let Some(cursor) = field.cursor {
            self.slots[at.base + cursor] = last;
        }
        let (is_less, bound) = match count {
            _ if count < place.min => (true, place.min),
            _ if count > place.max => (false, place.max),
            _ => return,
        };
        let sentence = match (field.cursor, is_less) {
            // The bound applies to this place, and the field has others.
            (Some(_), true) => "must have more items".to_owned(),
            (Some(_), false) => "must have fewer items".to_owned(),
            (None, _) => {
                let least_or_most = if is_less { "least" } else { "most" };
                let items = if bound == 1 { "item" } else { "items" };
                format!("must have at {least_or_most} {bound} {items}")
            }
        };
        self.violation(array, sentence);
    }

    #[inline]
    fn item(&mut self, field: &'p Field, id: NodeId) {
        match &field.kind {
            FieldKind::Element(element) => self.element(element, id),
            FieldKind::Substitution(all) => self.substitution_item(all, id),
            FieldKind::Any(wildcard) => self.wildcard(wildcard, id),
            FieldKind::Group { slots, elements } => self.group(slots, elements, id),
        }
    }

    /// Writes one iteration of a group.
    fn group(&mut self, slots: &Slots, elements: &'p Elements, id: NodeId) {
        if self.view.kind(id) != Kind::Object {
            return self.violation(id, "must be an object".into());
        }
        let base = self.slots.len();
        self.slots.resize(base + slots.count, None);
        self.resolve(slots, base, id, None);
        let at = At {
            elements,
            base,
            object: id,
        };
        self.run(&elements.order, at);
        self.slots.truncate(base);
    }

    /// Writes an item with the name of its element of the group.
    fn substitution_item(&mut self, all: &'p [(Box<str>, Element)], id: NodeId) {
        let view = self.view;
        if view.kind(id) != Kind::Object {
            return self.violation(id, format!("must be an object with {ELEMENT:?}"));
        }
        let element = match view.find(id, ELEMENT) {
            Some(key) => {
                let name = view.text(view.value(key));
                all.iter()
                    .find(|(key, element)| **key == *name && !element.is_abstract)
            }
            None => all.first().filter(|(_, head)| !head.is_abstract),
        };
        let Some((_, element)) = element else {
            let usable = all.iter().filter(|(_, element)| !element.is_abstract);
            let names: Vec<_> = usable.map(|(key, _)| format!("{key:?}")).collect();
            let names = names.join(", ");
            return self.violation(id, format!("must have {ELEMENT:?}, one of {names}"));
        };
        let is_object = match &self.program.types[element.ty] {
            Type::Simple(_) => false,
            Type::Complex(complex) => !complex.is_bare,
        };
        if is_object {
            self.is_item = true;
            return self.element(element, id);
        }
        let (mut value, mut is_nil) = (None, false);
        for key in view.children(id) {
            match view.text(key) {
                VALUE => value = Some(view.value(key)),
                ELEMENT => {}
                NIL => is_nil = view.kind(view.value(key)) == Kind::True,
                _ => self.violation(key, "is not known here".into()),
            }
        }
        match value {
            None if is_nil => self.nil(element, id),
            Some(value) => self.element(element, value),
            None => self.missing(id, VALUE),
        }
    }
}
