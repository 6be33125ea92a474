//! Builds the index of a plan, described in `program.rs`.

use tollgate_json::{key, member};
use tollgate_xml::{Names, Namespace};

use super::fault;
use crate::convention::{self, ELEMENT, TYPE, takes_any_type};
use crate::identity::Identity;
use crate::plan::{
    Attribute, Complex, Content, Element, Elements, Field, FieldKind, Name, NamespaceId,
    ServicePlan, Type, Wildcard,
};

use super::Options;
use super::leaf::Leaf;
use super::order::Order;
use super::program::{
    Answer, AttributeIndex, ComplexIndex, ContentIndex, DeclaredFault, ElementsIndex, Entry,
    ExpandedName, FieldIndex, FieldIndexKind, Global, OperationIndex, Program, Slot, TypeIndex,
    WildcardIndex,
};

impl Program {
    /// Indexes a plan.
    #[must_use]
    pub fn load(plan: &ServicePlan, options: Options) -> Self {
        let names = Names::new(plan.namespaces.iter().map(|name| &**name));
        let namespaces = plan
            .namespaces
            .iter()
            .map(|name| names.find(name))
            .collect();
        let mut loader = Loader {
            plan,
            options: &options,
            namespaces,
            elements: vec![ElementsIndex::default()],
        };
        let types = plan.types.iter().map(|ty| loader.load_type(ty)).collect();
        let keys = convention::global_keys(plan);
        let mut globals: Vec<Global> = plan
            .globals
            .iter()
            .zip(&keys)
            .map(|(element, json)| Global {
                name: loader.name(&element.name),
                slot: loader.slot(element, json),
            })
            .collect();
        globals.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let operations = plan.operations.iter().map(|operation| OperationIndex {
            answer: match &operation.response {
                None => Answer::None,
                Some(message) => message
                    .body
                    .as_ref()
                    .map_or(Answer::Empty, |body| loader.answer(body, message.is_rpc)),
            },
            faults: operation
                .faults
                .iter()
                .map(|declared| DeclaredFault {
                    name: declared.name.clone(),
                    element: loader.name(&declared.element.name),
                    slot: loader.slot(&declared.element, &declared.element.name.local),
                    status: fault::status_of(declared, &loader.options.fault_statuses),
                })
                .collect(),
        });
        let operations = operations.collect();
        let elements = loader.elements;
        Self {
            identity: Identity::default(),
            options,
            names,
            types,
            elements,
            globals,
            operations,
        }
    }
}

struct Loader<'a> {
    plan: &'a ServicePlan,
    options: &'a Options,
    /// The plan's namespaces by their numbers in the names.
    namespaces: Vec<Namespace>,
    elements: Vec<ElementsIndex>,
}

impl Loader<'_> {
    fn namespace(&self, id: NamespaceId) -> Namespace {
        let found = self.namespaces.get(usize::from(id.0));
        found.copied().unwrap_or(Namespace::NONE)
    }

    fn name(&self, name: &Name) -> ExpandedName {
        ExpandedName {
            namespace: self.namespace(name.namespace),
            local: name.local.clone(),
        }
    }

    fn slot(&self, element: &Element, json: &str) -> Slot {
        Slot {
            ty: element.ty,
            nillable: element.nillable,
            default: element.default.clone().or_else(|| element.fixed.clone()),
            key: key(json),
            element_member: member(ELEMENT, json),
        }
    }

    fn answer(&self, body: &Element, is_rpc: bool) -> Answer {
        let is_void = match self.plan.types.get(body.ty.0 as usize) {
            Some(Type::Complex(complex)) => complex.is_void(),
            _ => false,
        };
        Answer::Element {
            name: self.name(&body.name),
            slot: self.slot(body, &body.name.local),
            is_void,
            is_rpc,
        }
    }

    fn load_type(&mut self, ty: &Type) -> TypeIndex {
        match ty {
            Type::Simple(simple) => TypeIndex::Simple(Leaf::load(simple, self.options)),
            Type::Complex(complex) => TypeIndex::Complex(Box::new(self.load_complex(complex))),
        }
    }

    fn load_complex(&mut self, complex: &Complex) -> ComplexIndex {
        let content = match &complex.content {
            Content::Empty => ContentIndex::Elements(0),
            Content::Text(simple) => ContentIndex::Text(Leaf::load(simple, self.options)),
            Content::Elements(elements) => {
                let index = self.load_elements(elements);
                if complex.is_list {
                    self.elements[index as usize].be_list();
                }
                ContentIndex::Elements(index)
            }
            Content::Mixed | Content::Open => ContentIndex::Mixed,
        };
        let attributes = complex.attributes.iter();
        ComplexIndex {
            name: complex.name.as_ref().map(|name| self.name(name)),
            type_member: member(TYPE, &complex.json),
            attributes: attributes.map(|it| self.load_attribute(it)).collect(),
            any_attribute: complex.any_attribute,
            takes_any_type: takes_any_type(self.plan, complex),
            content,
            derived: complex.derived.clone(),
            is_bare: complex.is_bare(),
            is_abstract: complex.is_abstract,
            is_list: complex.is_list,
        }
    }

    fn load_attribute(&self, attribute: &Attribute) -> AttributeIndex {
        AttributeIndex {
            namespace: self.namespace(attribute.name.namespace),
            local: attribute.name.local.clone(),
            key: key(&attribute.json),
            leaf: Leaf::load(&attribute.value, self.options),
            is_required: attribute.required,
            default: attribute
                .default
                .clone()
                .or_else(|| attribute.fixed.clone()),
        }
    }

    fn load_elements(&mut self, elements: &Elements) -> u32 {
        let mut index = ElementsIndex {
            order: Order::load(elements),
            ..ElementsIndex::default()
        };
        for (number, field) in elements.fields.iter().enumerate() {
            let number = number as u16;
            self.enter(field, number, &mut index);
            let kind = match &field.kind {
                FieldKind::Element(element) => {
                    FieldIndexKind::Element(self.slot(element, &element.name.local))
                }
                FieldKind::Substitution { head, members } => {
                    // A member that cannot repeat is a property with its own key.
                    let head = self.slot(head, &field.json);
                    let members = members
                        .iter()
                        .map(|(json, element)| self.slot(element, json));
                    FieldIndexKind::Substitution([head].into_iter().chain(members).collect())
                }
                FieldKind::Group(group) => FieldIndexKind::Group(self.load_elements(group)),
                FieldKind::Any(wildcard) => FieldIndexKind::Any(wildcard.process),
            };
            index.fields.push(FieldIndex {
                key: key(&field.json),
                is_array: field.is_array,
                kind,
            });
        }
        index.sorted = (0..index.entries.len() as u16).collect();
        let entries = &index.entries;
        index.sorted.sort_by(|&one, &other| {
            let name = |index: u16| {
                let entry = &entries[usize::from(index)];
                (&*entry.local, entry.namespace)
            };
            name(one).cmp(&name(other))
        });
        self.elements.push(index);
        (self.elements.len() - 1) as u32
    }

    /// Adds the names that lead to a field, including those of a group's fields.
    fn enter(&self, field: &Field, number: u16, index: &mut ElementsIndex) {
        let mut enter = |name: &Name, member: usize| {
            index.entries.push(Entry {
                namespace: self.namespace(name.namespace),
                local: name.local.clone(),
                field: number,
                member: member as u16,
            });
        };
        match &field.kind {
            FieldKind::Element(element) => enter(&element.name, 0),
            FieldKind::Substitution { head, members } => {
                if !head.is_abstract {
                    enter(&head.name, 0);
                }
                for (member, (_, element)) in members.iter().enumerate() {
                    enter(&element.name, member + 1);
                }
            }
            FieldKind::Group(group) => {
                for field in &group.fields {
                    self.enter(field, number, index);
                }
            }
            FieldKind::Any(wildcard) => {
                let wildcard = self.wildcard(wildcard);
                index.wildcards.push((number, wildcard));
            }
        }
    }

    fn wildcard(&self, wildcard: &Wildcard) -> WildcardIndex {
        let namespaces = wildcard.namespaces.as_ref();
        WildcardIndex {
            namespaces: namespaces.map(|ids| ids.iter().map(|&id| self.namespace(id)).collect()),
            is_except: wildcard.is_except,
        }
    }
}
