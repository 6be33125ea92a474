//! Complex types: the parts inherited from their bases, and the types derived from them.

use std::collections::BTreeSet;

use super::compiler::{Compiler, Named};
use super::content::Documented;
use super::expand::{Group, Item, Node, ONCE};
use super::{CompileError, built_in};
use crate::convention::VALUE;
use crate::import::name::{self, QName};
use crate::import::notes::Place;
use crate::import::schema::{Complex, Content, Particle, Simple, Type};
use crate::import::table::Found;
use crate::plan::{self, TypeId};

/// Maximum number of derivation steps of a complex type.
const STEPS_MAX: usize = 256;

/// A type and its bases.
struct Chain<'a> {
    /// The type, its base, and so on.
    types: Vec<&'a Complex>,
    end: End<'a>,
}

/// The base of the last type in a chain.
enum End<'a> {
    /// No base is declared.
    Nothing,
    AnyType,
    BuiltIn(plan::Simple),
    Simple(&'a Simple),
}

impl<'a> Compiler<'a> {
    pub(super) fn complex(
        &mut self,
        id: TypeId,
        complex: &'a Complex,
        named: &Named,
    ) -> Result<plan::Complex, CompileError> {
        let chain = self.chain(complex)?;
        for of in &chain.types {
            self.note_fault("schema.complex_type", of.fault.as_deref());
        }
        let (content, documented) = self.content(&chain)?;
        for (key, text) in documented {
            let fields = self.documented_fields.entry(id).or_default();
            fields.insert(key, text.into());
        }
        let taken = json_keys(&content);
        let bases_first = chain.types.iter().rev().copied();
        let (attributes, any) = self.attributes(bases_first, &taken)?;
        let name = match &named.name {
            Some(name) => Some(self.name(name)?),
            None => None,
        };
        let derived = match &named.name {
            Some(name) => self.derived(name)?,
            None => Vec::new(),
        };
        if complex.is_abstract && derived.is_empty() {
            let of = named
                .name
                .as_ref()
                .map_or(&*named.called, |name| &*name.local);
            let detail = format!(
                "the type `{of}` is abstract and has no derived types: requests cannot contain \
                 it, and responses are read by its own declaration"
            );
            self.notes.push("schema.abstract", complex.place, detail);
        }
        Ok(plan::Complex {
            name,
            json: named.called.clone(),
            is_abstract: complex.is_abstract,
            attributes,
            any_attribute: any || (matches!(chain.end, End::AnyType) && chain.is_extension()),
            content,
            derived,
            is_list: false,
        })
    }

    fn chain(&mut self, complex: &'a Complex) -> Result<Chain<'a>, CompileError> {
        let mut types = vec![complex];
        let mut last = complex;
        let end = loop {
            self.spend(1)?;
            let Some(base) = &last.base else {
                break End::Nothing;
            };
            if let Some(end) = self.built_in_base(&base.name, last) {
                break end;
            }
            match self.base(&base.name, last) {
                Some(Type::Simple(simple)) => break End::Simple(simple),
                Some(Type::Complex(_)) if types.len() == STEPS_MAX => {
                    let why = "it is derived in a circle, or in too many steps";
                    self.trouble("schema.circle", last.place, why.to_owned());
                    break End::Nothing;
                }
                Some(Type::Complex(base)) => {
                    types.push(base);
                    last = base;
                }
                None => {
                    let why = format!("its base `{}` is not defined", base.name);
                    self.trouble("schema.unknown_type", last.place, why);
                    break End::Nothing;
                }
            }
        };
        Ok(Chain { types, end })
    }

    /// Returns the end of a chain, if the base is not one that the contract's schemas define.
    fn built_in_base(&mut self, name: &QName, of: &Complex) -> Option<End<'a>> {
        if is_encoded_array(name) {
            let why = "it is a SOAP-encoded array, which has no JSON form";
            self.trouble("schema.encoded_array", of.place, why.to_owned());
            return Some(End::Nothing);
        }
        if &*name.namespace != name::XSD {
            return None;
        }
        match &*name.local {
            "anyType" => Some(End::AnyType),
            local => built_in::simple(local).map(End::BuiltIn),
        }
    }

    fn base(&mut self, name: &QName, of: &Complex) -> Option<&'a Type> {
        match self.schema.types.find(name)? {
            Found::Exact(found) => Some(found),
            Found::Loose(loose, found) if name.namespace.is_empty() => {
                self.note_loose_name(of.place, name, loose);
                Some(found)
            }
            Found::Loose(..) => None,
        }
    }

    fn content(
        &mut self,
        chain: &Chain<'a>,
    ) -> Result<(plan::Content, Documented<'a>), CompileError> {
        let mut particles: Vec<&'a Particle> = Vec::new();
        let mut is_mixed = false;
        for (at, complex) in chain.types.iter().enumerate() {
            let is_restriction = complex
                .base
                .as_ref()
                .is_some_and(|base| base.is_restriction);
            match &complex.content {
                Content::Text(..) if particles.is_empty() => {
                    let text = self.text_content(chain, at)?;
                    return Ok((plan::Content::Text(text), Vec::new()));
                }
                Content::Text(..) => {
                    let why = "it adds elements to a base that has only text";
                    self.trouble("schema.complex_type", complex.place, why.to_owned());
                    break;
                }
                Content::Elements(particle) => {
                    particles.extend(particle);
                    is_mixed |= complex.is_mixed;
                }
            }
            if is_restriction {
                break;
            }
        }
        if chain.ends_in_text() {
            let place = chain
                .types
                .last()
                .map(|complex| complex.place)
                .unwrap_or_default();
            let why = "it has complex content, but its base is a simple type";
            self.trouble("schema.complex_type", place, why.to_owned());
        }
        if is_mixed || (matches!(chain.end, End::AnyType) && chain.is_extension()) {
            return Ok((plan::Content::Mixed, Vec::new()));
        }
        // The elements of the base come first.
        particles.reverse();
        let Some(root) = self.in_sequence(&particles)? else {
            return Ok((plan::Content::Empty, Vec::new()));
        };
        let (elements, documented) = self.elements(root)?;
        Ok((plan::Content::Elements(elements), documented))
    }

    fn in_sequence(
        &mut self,
        particles: &[&'a Particle],
    ) -> Result<Option<Node<'a>>, CompileError> {
        let mut nodes = Vec::with_capacity(particles.len());
        for particle in particles {
            match self.expanded(particle, 0)? {
                Some(Node {
                    occurs: ONCE,
                    item: Item::Group(Group::Sequence, inner),
                }) => nodes.extend(inner),
                Some(node) => nodes.push(node),
                None => {}
            }
        }
        let Some(last) = nodes.pop() else {
            return Ok(None);
        };
        if nodes.is_empty() {
            return Ok(Some(last));
        }
        nodes.push(last);
        Ok(Some(Node {
            occurs: ONCE,
            item: Item::Group(Group::Sequence, nodes),
        }))
    }

    /// Returns the text of the type at index `at` of a chain.
    fn text_content(&mut self, chain: &Chain<'a>, at: usize) -> Result<plan::Simple, CompileError> {
        self.check_text_bases(chain, at);
        let mut text = match &chain.end {
            End::BuiltIn(simple) => simple.clone(),
            End::Simple(simple) => self.simple(simple, 0)?,
            End::Nothing | End::AnyType => built_in::text(),
        };
        for complex in chain.types.get(at..).unwrap_or_default().iter().rev() {
            let Content::Text(own, facets) = &complex.content else {
                continue;
            };
            if let Some(own) = own {
                text = self.simple_of(own, 0)?;
            }
            text = self.restricted(text, facets)?;
        }
        Ok(text)
    }

    /// Checks the bases of the text-only type at index `at` of a chain: text, or mixed content that
    /// an inline simple type replaces (XML Schema 1.0, part 1, section 3.4.3).
    fn check_text_bases(&mut self, chain: &Chain<'a>, at: usize) {
        let mut place = Place::default();
        let mut is_replaced = false;
        for complex in chain.types.get(at..).unwrap_or_default() {
            let Content::Text(own, _) = &complex.content else {
                if !(is_replaced && complex.is_mixed) {
                    let why = "it has only text, but its base has complex content";
                    self.trouble("schema.complex_type", place, why.to_owned());
                }
                return;
            };
            place = complex.place;
            let mut bases = complex.base.iter();
            is_replaced = own.is_some() && bases.any(|base| base.is_restriction);
        }
        if matches!(chain.end, End::AnyType) && !is_replaced {
            let why = "it has only text, but its base is `anyType`";
            self.trouble("schema.complex_type", place, why.to_owned());
        }
    }

    /// Returns the types that may replace a named one.
    fn derived(&mut self, name: &QName) -> Result<Vec<TypeId>, CompileError> {
        let schema = self.schema;
        let mut seen = BTreeSet::from([name]);
        let mut names = vec![name];
        let mut derived = Vec::new();
        while let Some(base) = names.pop() {
            for name in schema.derived.get(base).into_iter().flatten() {
                self.spend(1)?;
                if !seen.insert(name) {
                    continue;
                }
                names.push(name);
                if let Some(Type::Complex(complex)) = schema.types.exact(name)
                    && !complex.is_abstract
                {
                    derived.push(self.named_type(name, complex.place)?);
                }
            }
        }
        derived.sort();
        Ok(derived)
    }
}

impl Chain<'_> {
    fn is_extension(&self) -> bool {
        let mut bases = self
            .types
            .iter()
            .filter_map(|complex| complex.base.as_ref());
        bases.all(|base| !base.is_restriction)
    }

    /// Whether a type without text is derived from a text-only one.
    fn ends_in_text(&self) -> bool {
        let last = self.types.last().map(|complex| &complex.content);
        let is_simple = matches!(self.end, End::BuiltIn(_) | End::Simple(_));
        is_simple && matches!(last, Some(Content::Elements(_)))
    }
}

/// Returns the keys that attributes cannot have.
fn json_keys(content: &plan::Content) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    match content {
        plan::Content::Empty => {}
        plan::Content::Text(_) | plan::Content::Mixed | plan::Content::Open => {
            keys.insert(VALUE.to_owned());
        }
        plan::Content::Elements(elements) => {
            for field in &elements.fields {
                keys.insert(field.json.to_string());
                if let plan::FieldKind::Substitution { members, .. } = &field.kind {
                    keys.extend(members.iter().map(|(key, _)| key.to_string()));
                }
            }
        }
    }
    keys
}

fn is_encoded_array(name: &QName) -> bool {
    [name::SOAP_ENCODING_1_1, name::SOAP_ENCODING_1_2]
        .into_iter()
        .any(|namespace| name.is(namespace, "Array"))
}
