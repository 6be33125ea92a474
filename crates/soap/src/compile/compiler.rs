//! The state of a compilation: numbered names and types, the queue of types, the budget.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::keys::Taken;
use super::{CompileError, attachment, built_in};
use crate::import::Imported;
use crate::import::name::{self, QName};
use crate::import::notes::{Notes, Place};
use crate::import::schema::{Complex, Element, Fault, Schema, Simple, Type, TypeReference};
use crate::import::table::Found;
use crate::plan::{self, Name, NamespaceId, TypeId};

/// The size limit of a plan, as a multiple of the bound on components: a type includes the content
/// of its bases.
const PLAN_FACTOR: usize = 10;
/// Bytes of a name or a value that cost one more unit.
pub(super) const UNIT_BYTES: usize = 64;
/// Maximum length of a chain of substitution group heads.
const HEADS_MAX: usize = 64;

/// The state of one compilation.
pub(super) struct Compiler<'a> {
    pub(super) imported: &'a Imported,
    pub(super) schema: &'a Schema,
    pub(super) notes: Notes,
    pub(super) namespaces: Namespaces,
    pub(super) types: Vec<plan::Type>,
    /// The reasons why types are not understood.
    pub(super) faults: BTreeMap<TypeId, Box<str>>,
    /// The reason why the type that is being compiled is not understood, or an element outside of
    /// types.
    pub(super) trouble: Option<Box<str>>,
    /// Whether there is a wildcard, which may hold any global element.
    pub(super) has_wildcard: bool,
    /// Whether values may refer to attachments.
    pub(super) has_attachments: bool,
    pub(super) documented_types: BTreeMap<TypeId, Box<str>>,
    pub(super) documented_fields: BTreeMap<TypeId, BTreeMap<Box<str>, Box<str>>>,
    ids: BTreeMap<Key, TypeId>,
    /// The patterns translated so far.
    pub(super) patterns: BTreeMap<String, Result<Box<str>, String>>,
    pub(super) queue: VecDeque<(TypeId, Job<'a>)>,
    budget: usize,
}

/// The key of a type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Named(QName),
    Inline(u32),
}

/// The names of a type.
pub(super) struct Named {
    /// Its name; `None` for an anonymous type.
    pub(super) name: Option<QName>,
    /// Its replacement in JSON if it has no name.
    pub(super) called: Box<str>,
}

/// A type that remains to be compiled.
pub(super) enum Job<'a> {
    BuiltIn(plan::Simple),
    Simple(&'a Simple),
    Complex(&'a Complex, Named),
    Unknown(QName),
}

impl<'a> Compiler<'a> {
    pub(super) fn new(imported: &'a Imported) -> Self {
        Self {
            imported,
            schema: &imported.schema,
            notes: Notes::default(),
            namespaces: Namespaces::default(),
            types: Vec::new(),
            faults: BTreeMap::new(),
            trouble: None,
            has_wildcard: false,
            has_attachments: attachment::is_known(&imported.schema),
            documented_types: BTreeMap::new(),
            documented_fields: BTreeMap::new(),
            ids: BTreeMap::new(),
            patterns: BTreeMap::new(),
            queue: VecDeque::new(),
            budget: imported.limits.components_max.saturating_mul(PLAN_FACTOR),
        }
    }

    /// Charges units to the budget of the plan.
    pub(super) fn spend(&mut self, units: usize) -> Result<(), CompileError> {
        let left = self.budget.checked_sub(units);
        self.budget = left.ok_or(CompileError::TooLarge)?;
        Ok(())
    }

    /// Records why the type that is being compiled is not understood.
    pub(super) fn trouble(&mut self, code: &'static str, place: Place, why: String) {
        self.notes.push(code, place, why.as_str());
        self.trouble.get_or_insert_with(|| why.into());
    }

    /// Records the fault of a component, if it has one, for the type that is being compiled.
    pub(super) fn note_fault(&mut self, code: &'static str, fault: Option<&Fault>) {
        if let Some(fault) = fault {
            self.trouble(code, fault.place, fault.why.to_string());
        }
    }

    pub(super) fn name(&mut self, name: &QName) -> Result<Name, CompileError> {
        Ok(Name {
            namespace: self.namespaces.id(&name.namespace)?,
            local: Box::from(&*name.local),
        })
    }

    /// Returns the number of a type; an anonymous one is named after its element or attribute.
    pub(super) fn ty(
        &mut self,
        ty: &'a TypeReference,
        called: &str,
    ) -> Result<TypeId, CompileError> {
        match ty {
            TypeReference::Named(name, place) => self.named_type(name, *place),
            TypeReference::Inline(ty) => match &**ty {
                Type::Simple(simple) => self.queued(Key::Inline(simple.id), Job::Simple(simple)),
                Type::Complex(complex) => {
                    let called = Named {
                        name: None,
                        called: called.into(),
                    };
                    self.queued(Key::Inline(complex.id), Job::Complex(complex, called))
                }
            },
        }
    }

    pub(super) fn named_type(
        &mut self,
        name: &QName,
        place: Place,
    ) -> Result<TypeId, CompileError> {
        if let Some(&known) = self.ids.get(&Key::Named(name.clone())) {
            return Ok(known);
        }
        if &*name.namespace == name::XSD
            && let Some(simple) = built_in::simple(&name.local)
        {
            return self.queued(Key::Named(name.clone()), Job::BuiltIn(simple));
        }
        if name.is(name::XSD, "anyType") {
            return self.any_type();
        }
        let (name, ty) = match self.schema.types.find(name) {
            Some(Found::Exact(ty)) => (name.clone(), ty),
            Some(Found::Loose(found, ty)) if name.namespace.is_empty() => {
                self.note_loose_name(place, name, found);
                (found.clone(), ty)
            }
            _ => {
                let detail = format!("the type `{name}` is not defined");
                self.notes.push("schema.unknown_type", place, detail);
                return self.queued(Key::Named(name.clone()), Job::Unknown(name.clone()));
            }
        };
        let job = match ty {
            Type::Simple(simple) => Job::Simple(simple),
            Type::Complex(complex) => {
                let called = Named {
                    name: Some(name.clone()),
                    called: Box::from(&*name.local),
                };
                Job::Complex(complex, called)
            }
        };
        self.queued(Key::Named(name), job)
    }

    /// Notes that a name is read as another one, as deployed tools do.
    pub(super) fn note_loose_name(&mut self, place: Place, written: &QName, found: &QName) {
        let detail = format!("`{written}` is not defined; `{found}` is used instead");
        self.notes.push("wsdl.loose_name", place, detail);
    }

    /// Notes an element, attribute or part with the type `swaRef`, or one derived from it.
    pub(super) fn note_attachment(&mut self, member: &str, ty: &TypeReference, place: Place) {
        if self.has_attachments && attachment::is_reference(self.schema, ty) {
            let detail = format!("the attachment of `{member}` (swaRef) is not passed on");
            self.notes.push("schema.attachment", place, detail);
        }
    }

    fn queued(&mut self, key: Key, job: Job<'a>) -> Result<TypeId, CompileError> {
        if let Some(&known) = self.ids.get(&key) {
            return Ok(known);
        }
        let id = self.reserve(plan::Type::Simple(built_in::text()))?;
        self.ids.insert(key, id);
        self.queue.push_back((id, job));
        Ok(id)
    }

    /// Reserves a place for a type.
    pub(super) fn reserve(&mut self, ty: plan::Type) -> Result<TypeId, CompileError> {
        self.spend(1)?;
        let id = u32::try_from(self.types.len()).map_err(|_| CompileError::TooLarge)?;
        self.types.push(ty);
        Ok(TypeId(id))
    }

    /// Returns the number of `anyType`.
    pub(super) fn any_type(&mut self) -> Result<TypeId, CompileError> {
        let name = QName::new(name::XSD, "anyType");
        if let Some(&known) = self.ids.get(&Key::Named(name.clone())) {
            return Ok(known);
        }
        let any = plan::Complex {
            name: Some(self.name(&name)?),
            json: "anyType".into(),
            is_abstract: false,
            attributes: Vec::new(),
            any_attribute: true,
            content: plan::Content::Mixed,
            derived: Vec::new(),
            is_list: false,
        };
        let id = self.reserve(plan::Type::Complex(any))?;
        self.ids.insert(Key::Named(name), id);
        Ok(id)
    }

    /// Sets the name of each complex type in `@type`: its local name, with its namespace where two
    /// share it. Types without a name get those that are left.
    pub(super) fn name_types(&mut self) {
        let mut taken = Taken::default();
        let mut sharing = BTreeMap::<Box<str>, u32>::new();
        for ty in &self.types {
            if let plan::Type::Complex(plan::Complex {
                name: Some(name), ..
            }) = ty
            {
                *sharing.entry(name.local.clone()).or_default() += 1;
            }
        }
        for ty in &mut self.types {
            if let plan::Type::Complex(complex) = ty
                && let Some(name) = &complex.name
            {
                let own = match sharing.get(&name.local) {
                    Some(1) => name.local.to_string(),
                    _ => {
                        let namespace = self.namespaces.name(name.namespace);
                        format!("{{{namespace}}}{}", name.local)
                    }
                };
                complex.json = taken.take(&own, |_| true).into();
            }
        }
        for ty in &mut self.types {
            if let plan::Type::Complex(complex) = ty
                && complex.name.is_none()
            {
                complex.json = taken.take(&complex.json, |_| true).into();
            }
        }
    }

    /// Compiles an element with its type. Its fault is that of the type which is being compiled, or
    /// else of the message.
    pub(super) fn element(&mut self, element: &'a Element) -> Result<plan::Element, CompileError> {
        let values = [&element.default, &element.fixed];
        let values = values.into_iter().flatten().map(|value| value.len());
        let bytes = values.sum::<usize>() + element.name.local.len();
        self.spend(1 + bytes / UNIT_BYTES)?;
        let mut typed = element;
        self.note_fault("schema.declaration", element.fault.as_deref());
        for _ in 0..HEADS_MAX {
            let Some(head) = typed.head.as_ref().filter(|_| typed.ty.is_none()) else {
                break;
            };
            let Some(head) = self.schema.elements.exact(head) else {
                break;
            };
            typed = head;
            self.note_fault("schema.declaration", head.fault.as_deref());
        }
        let ty = match &typed.ty {
            Some(ty) => {
                self.note_attachment(&element.name.local, ty, element.place);
                self.ty(ty, &typed.name.local)?
            }
            None => self.any_type()?,
        };
        Ok(plan::Element {
            name: self.name(&element.name)?,
            ty,
            nillable: element.nillable,
            is_abstract: element.is_abstract,
            default: element.default.clone(),
            fixed: element.fixed.clone(),
        })
    }

    /// Returns the global element with a name.
    pub(super) fn global(&mut self, name: &QName, place: Place) -> Option<&'a Element> {
        match self.schema.elements.find(name) {
            Some(Found::Exact(element)) => Some(element),
            Some(Found::Loose(found, element)) if name.namespace.is_empty() => {
                self.note_loose_name(place, name, found);
                Some(element)
            }
            _ => None,
        }
    }
}

/// The namespaces of a plan.
pub(super) struct Namespaces {
    names: Vec<Box<str>>,
    ids: BTreeMap<Arc<str>, NamespaceId>,
}

impl Default for Namespaces {
    fn default() -> Self {
        Self {
            names: vec!["".into()],
            ids: BTreeMap::from([(Arc::from(""), NamespaceId(0))]),
        }
    }
}

impl Namespaces {
    pub(super) fn id(&mut self, namespace: &Arc<str>) -> Result<NamespaceId, CompileError> {
        if let Some(&id) = self.ids.get(namespace) {
            return Ok(id);
        }
        let id = u16::try_from(self.names.len()).map_err(|_| CompileError::TooLarge)?;
        self.names.push(Box::from(&**namespace));
        self.ids.insert(Arc::clone(namespace), NamespaceId(id));
        Ok(NamespaceId(id))
    }

    fn name(&self, id: NamespaceId) -> &str {
        self.names.get(usize::from(id.0)).map_or("", |name| name)
    }

    pub(super) fn into_names(self) -> Vec<Box<str>> {
        self.names
    }
}
