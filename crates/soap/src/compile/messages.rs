//! Messages: the parts in the body and in the header, by style and use.

use super::CompileError;
use super::compiler::Compiler;
use super::expand::ONCE;
use crate::import::name::QName;
use crate::import::notes::Place;
use crate::import::schema::TypeReference;
use crate::import::table::Found;
use crate::import::wsdl::{self, BoundHeader, BoundMessage, Carried, Part, PartKind};
use crate::plan::{
    self, Elements, Fault, Field, FieldKind, Header, Message, Name, NamespaceId, Particle,
    Presence, TypeId,
};

/// Maximum number of parts named in a sentence.
const PARTS_NAMED: usize = 5;

/// One direction of an operation.
pub(super) struct Side<'a> {
    /// The binding of its message to an envelope; `None` if there is none.
    pub(super) bound: Option<&'a BoundMessage>,
    pub(super) is_rpc: bool,
    /// The local name of the wrapper of an rpc message.
    pub(super) wrapper: String,
}

/// A message, and the reason why it has no JSON form.
type MessageAndFault = (Message, Option<String>);

impl<'a> Compiler<'a> {
    pub(super) fn message(
        &mut self,
        side: &Side<'a>,
        carried: &'a Carried,
    ) -> Result<MessageAndFault, CompileError> {
        let Some(message) = self.contracted(&carried.message, carried.place) else {
            let why = format!("the message `{}` is not defined", carried.message);
            let body = self.opaque_wrapper(side)?;
            return Ok((
                Message {
                    body,
                    headers: Vec::new(),
                    is_rpc: side.is_rpc,
                },
                Some(why),
            ));
        };
        let none = BoundMessage::default();
        let bound = side.bound.unwrap_or(&none);
        let mut why = None;
        if !bound.attachments.is_empty() {
            why = Some("parts of it travel as attachments".to_owned());
        }
        let mut headers = Vec::new();
        for header in side.bound.map_or(&[][..], |bound| &bound.headers) {
            headers.extend(self.header(header)?);
        }
        let mut parts = in_body(message, bound, &carried.message);
        if let Err(unknown) = &parts {
            let rest = elsewhere(message, bound, &carried.message);
            let place = carried.place;
            if let [only] = rest.as_slice() {
                let detail = format!("{unknown}; `{}` is used instead", only.name);
                self.notes.push("wsdl.unknown_part", place, detail);
                parts = Ok(rest);
            }
        }
        let parts = match parts {
            Ok(parts) => parts,
            Err(unknown) => {
                why = why.or(Some(unknown));
                Vec::new()
            }
        };
        let (body, fault) = if bound.is_encoded {
            let why = "its messages are SOAP-encoded (rpc/encoded)".to_owned();
            (self.opaque_wrapper(side)?, Some(why))
        } else if side.is_rpc {
            self.wrapped(side, &parts)?
        } else {
            self.bare(&parts)?
        };
        let message = Message {
            body,
            headers,
            is_rpc: side.is_rpc,
        };
        // Elements of the message itself are not part of a type.
        let of_element = self.trouble.take().map(String::from);
        Ok((message, why.or(fault).or(of_element)))
    }

    fn contracted(&mut self, name: &QName, place: Place) -> Option<&'a wsdl::Message> {
        match self.imported.definitions.messages.find(name)? {
            Found::Exact(message) => Some(message),
            Found::Loose(found, message) => {
                self.note_loose_name(place, name, found);
                Some(message)
            }
        }
    }

    /// Compiles the body of a document message: at most one element.
    fn bare(
        &mut self,
        parts: &[&'a Part],
    ) -> Result<(Option<plan::Element>, Option<String>), CompileError> {
        let Some(first) = parts.first() else {
            return Ok((None, None));
        };
        let several = (parts.len() > 1).then(|| {
            let named = parts
                .iter()
                .take(PARTS_NAMED)
                .map(|part| part.name.as_str());
            let names: Vec<&str> = named.collect();
            let more = if parts.len() > PARTS_NAMED {
                ", …"
            } else {
                ""
            };
            format!("its body has several parts ({}{more})", names.join(", "))
        });
        match &first.kind {
            PartKind::Element(name) => match self.global(name, first.place) {
                Some(element) => Ok((Some(self.element(element)?), several)),
                None => {
                    let why = format!("the element `{name}` is not defined");
                    self.notes
                        .push("schema.unknown_element", first.place, why.as_str());
                    let body = Some(self.opaque(name)?);
                    Ok((body, several.or(Some(why))))
                }
            },
            PartKind::Type(_) => {
                let why = format!("its part `{}` is a type, not an element", first.name);
                Ok((None, several.or(Some(why))))
            }
            PartKind::Nothing => {
                let why = format!("its part `{}` has neither type nor element", first.name);
                Ok((None, several.or(Some(why))))
            }
        }
    }

    /// Compiles the body of an rpc message: a wrapper with an unqualified element for each part
    /// (WS-I Basic Profile 1.1, section 4.7).
    fn wrapped(
        &mut self,
        side: &Side<'a>,
        parts: &[&'a Part],
    ) -> Result<(Option<plan::Element>, Option<String>), CompileError> {
        let mut fields: Vec<Field> = Vec::with_capacity(parts.len());
        let mut order = Vec::with_capacity(parts.len());
        for part in parts {
            let PartKind::Type(name) = &part.kind else {
                let why = format!("its part `{}` is not a type, as rpc requires", part.name);
                return Ok((self.opaque_wrapper(side)?, Some(why)));
            };
            let reference = TypeReference::Named(name.clone(), part.place);
            self.note_attachment(&part.name, &reference, part.place);
            let ty = self.named_type(name, part.place)?;
            let element = unqualified(&part.name, ty);
            let known = fields.iter().position(|field| *field.json == *part.name);
            let at = known.unwrap_or(fields.len());
            match fields.get_mut(at) {
                None => fields.push(Field {
                    json: part.name.as_str().into(),
                    kind: FieldKind::Element(element),
                    is_array: false,
                }),
                // WSDL forbids duplicate names, but some contracts have them: they become one
                // repeated element.
                Some(field) if field.kind == FieldKind::Element(element) => field.is_array = true,
                Some(_) => {
                    let why = format!("it has two parts `{}` of different types", part.name);
                    return Ok((self.opaque_wrapper(side)?, Some(why)));
                }
            }
            let at = u16::try_from(at).map_err(|_| CompileError::TooLarge)?;
            order.push(Particle::Field(at, ONCE));
        }
        let content = match order.is_empty() {
            true => plan::Content::Empty,
            false => plan::Content::Elements(Elements {
                fields,
                order: Particle::Sequence(order, Presence::Required),
            }),
        };
        let ty = plan::Type::Complex(plan::Complex {
            name: None,
            json: side.wrapper.as_str().into(),
            is_abstract: false,
            attributes: Vec::new(),
            any_attribute: false,
            content,
            derived: Vec::new(),
            is_list: false,
        });
        let ty = self.reserve(ty)?;
        Ok((Some(self.wrapper(side, ty)?), None))
    }

    fn wrapper(&mut self, side: &Side<'a>, ty: TypeId) -> Result<plan::Element, CompileError> {
        let namespace = side.bound.and_then(|bound| bound.namespace.as_deref());
        let name = QName::new(namespace.unwrap_or_default(), &side.wrapper);
        Ok(plan::Element {
            name: self.name(&name)?,
            ty,
            nillable: false,
            is_abstract: false,
            default: None,
            fixed: None,
        })
    }

    /// Returns the wrapper of a message with content that has no JSON form; `None` for a document.
    fn opaque_wrapper(&mut self, side: &Side<'a>) -> Result<Option<plan::Element>, CompileError> {
        if !side.is_rpc {
            return Ok(None);
        }
        let ty = self.any_type()?;
        Ok(Some(self.wrapper(side, ty)?))
    }

    fn opaque(&mut self, name: &QName) -> Result<plan::Element, CompileError> {
        Ok(plan::Element {
            name: self.name(name)?,
            ty: self.any_type()?,
            nillable: false,
            is_abstract: false,
            default: None,
            fixed: None,
        })
    }

    /// Compiles a header block. One without a JSON form is noted and omitted.
    fn header(&mut self, bound: &'a BoundHeader) -> Result<Option<Header>, CompileError> {
        let why = match self.contracted(&bound.message, bound.place) {
            _ if bound.is_encoded => "is SOAP-encoded".to_owned(),
            None => format!(
                "is of the message `{}`, which is not defined",
                bound.message
            ),
            Some(message) => match message.parts.iter().find(|part| part.name == bound.part) {
                None => "is not a part of its message".to_owned(),
                Some(part) => match self.part_element(part)? {
                    Ok(element) => {
                        let part = bound.part.as_str().into();
                        return Ok(Some(Header { part, element }));
                    }
                    Err(why) => why,
                },
            },
        };
        let detail = format!("the header `{}` {why} and is ignored", bound.part);
        self.notes.push("wsdl.header", bound.place, detail);
        Ok(None)
    }

    /// Compiles a declared fault. One without a JSON form is noted and treated as undeclared.
    pub(super) fn fault(
        &mut self,
        carried: &'a Carried,
        is_encoded: bool,
    ) -> Result<Option<Fault>, CompileError> {
        let message = self.contracted(&carried.message, carried.place);
        let why = match message.map(|message| message.parts.as_slice()) {
            _ if is_encoded => "is SOAP-encoded".to_owned(),
            None => format!(
                "is of the message `{}`, which is not defined,",
                carried.message
            ),
            Some([part]) => match self.part_element(part)? {
                Ok(element) if self.trouble.is_none() => {
                    let name = carried.name.as_str().into();
                    return Ok(Some(Fault { name, element }));
                }
                Ok(_) => format!(
                    "is not understood, as {},",
                    self.trouble.take().unwrap_or_default()
                ),
                Err(why) => why,
            },
            Some(_) => "does not have exactly one part".to_owned(),
        };
        let detail = format!(
            "the fault `{}` {why} and is treated as undeclared",
            carried.name
        );
        self.notes.push("wsdl.fault", carried.place, detail);
        Ok(None)
    }

    fn part_element(
        &mut self,
        part: &'a Part,
    ) -> Result<Result<plan::Element, String>, CompileError> {
        let PartKind::Element(name) = &part.kind else {
            return Ok(Err("has a type, not an element".to_owned()));
        };
        match self.global(name, part.place) {
            Some(element) => Ok(Ok(self.element(element)?)),
            None => Ok(Err(format!(
                "is of the element `{name}`, which is not defined,"
            ))),
        }
    }
}

fn unqualified(name: &str, ty: TypeId) -> plan::Element {
    plan::Element {
        name: Name {
            namespace: NamespaceId(0),
            local: name.into(),
        },
        ty,
        nillable: false,
        is_abstract: false,
        default: None,
        fixed: None,
    }
}

/// Returns the parts in the body: those that the binding names, or else all that it does not bind
/// elsewhere.
fn in_body<'a>(
    message: &'a wsdl::Message,
    bound: &BoundMessage,
    name: &QName,
) -> Result<Vec<&'a Part>, String> {
    let Some(named) = &bound.parts else {
        return Ok(elsewhere(message, bound, name));
    };
    for name in named {
        if !message.parts.iter().any(|part| part.name == *name) {
            return Err(format!("its message has no part `{name}`"));
        }
    }
    // In the order of the message, which takes precedence (WS-I Basic Profile 1.1, R2301).
    let parts = message.parts.iter();
    Ok(parts.filter(|part| named.contains(&part.name)).collect())
}

/// Returns the parts that are neither headers nor attachments.
fn elsewhere<'a>(message: &'a wsdl::Message, bound: &BoundMessage, name: &QName) -> Vec<&'a Part> {
    let is_header = |part: &Part| {
        let mut headers = bound.headers.iter();
        headers.any(|header| header.message == *name && header.part == part.name)
    };
    let parts = message.parts.iter();
    let rest = parts.filter(|part| !is_header(part) && !bound.attachments.contains(&part.name));
    rest.collect()
}
