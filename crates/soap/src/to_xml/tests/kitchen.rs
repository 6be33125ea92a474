//! A plan with one of each feature.

use crate::plan::*;
use crate::version::SoapVersion;

pub(super) struct Kitchen {
    pub(super) plan: ServicePlan,
}

pub(super) fn simple(kind: Kind) -> Simple {
    let white_space = match kind {
        Kind::String => WhiteSpace::Preserve,
        _ => WhiteSpace::Collapse,
    };
    Simple {
        kind,
        white_space,
        facets: None,
    }
}

fn int() -> Simple {
    simple(Kind::Integer {
        min: Some(i32::MIN.into()),
        max: Some(i32::MAX.into()),
    })
}

fn name(namespace: u16, local: &str) -> Name {
    Name {
        namespace: NamespaceId(namespace),
        local: local.into(),
    }
}

pub(super) fn attribute(local: &str, value: Simple, required: bool) -> Attribute {
    Attribute {
        name: name(0, local),
        json: local.into(),
        value,
        required,
        default: None,
        fixed: None,
    }
}

pub(super) fn field(element: Element, is_array: bool) -> Field {
    Field {
        json: element.name.local.clone(),
        kind: FieldKind::Element(element),
        is_array,
    }
}

fn place(index: usize, min: u32, max: Option<u32>) -> Particle {
    Particle::Field(index as u16, Occurs { min, max })
}

fn any(json: &str, namespaces: Option<Vec<NamespaceId>>, process: Process) -> Field {
    Field {
        json: json.into(),
        kind: FieldKind::Any(Wildcard {
            namespaces,
            is_except: false,
            process,
        }),
        is_array: true,
    }
}

impl Kitchen {
    fn ty(&mut self, ty: Type) -> TypeId {
        self.plan.types.push(ty);
        TypeId(self.plan.types.len() as u32 - 1)
    }

    pub(super) fn simple(&mut self, local: &str, value: Simple) -> Element {
        let ty = self.ty(Type::Simple(value));
        element(local, ty)
    }

    fn complex(&mut self, json: &str, content: Content) -> TypeId {
        let ty = complex(json, content);
        self.ty(Type::Complex(ty))
    }

    fn edit(&mut self, id: TypeId, edit: impl FnOnce(&mut Complex)) {
        match &mut self.plan.types[id.0 as usize] {
            Type::Complex(complex) => edit(complex),
            Type::Simple(_) => panic!("a complex type"),
        }
    }

    /// Adds a type with a sequence of elements.
    pub(super) fn sequence(
        &mut self,
        json: &str,
        fields: Vec<(Field, u32, Option<u32>)>,
    ) -> TypeId {
        let order = fields.iter().enumerate();
        let order = order
            .map(|(index, (_, min, max))| place(index, *min, *max))
            .collect();
        let fields = fields.into_iter().map(|(field, ..)| field).collect();
        let order = Particle::Sequence(order, Presence::Required);
        self.complex(json, Content::Elements(Elements { fields, order }))
    }
}

fn complex(json: &str, content: Content) -> Complex {
    Complex {
        name: Some(name(1, json)),
        json: json.into(),
        is_abstract: false,
        attributes: Vec::new(),
        any_attribute: false,
        content,
        derived: Vec::new(),
        is_list: false,
    }
}

pub(super) fn element(local: &str, ty: TypeId) -> Element {
    Element {
        name: name(1, local),
        ty,
        nillable: false,
        is_abstract: false,
        default: None,
        fixed: None,
    }
}

pub(super) fn kitchen() -> ServicePlan {
    let mut kitchen = Kitchen {
        plan: ServicePlan {
            namespaces: ["", "urn:shop", "urn:base", "urn:other"]
                .map(Into::into)
                .into(),
            ..ServicePlan::default()
        },
    };
    let mut fields = scalars(&mut kitchen);
    fields.extend(structures(&mut kitchen));
    fields.extend(derivation(&mut kitchen));
    fields.extend(open_content(&mut kitchen));
    let request = kitchen.sequence("Everything", fields);
    // The type of `node` is that of the request itself: recursion.
    let node = kitchen
        .plan
        .types
        .iter()
        .position(|ty| matches!(ty, Type::Complex(of) if &*of.json == "Node"));
    let node = TypeId(node.unwrap() as u32);
    let (left, right) = (element("node", node), element("leaf", TypeId(0)));
    let elements = Elements {
        fields: vec![field(left, true), field(right, false)],
        order: Particle::Sequence(
            vec![place(0, 0, None), place(1, 0, Some(1))],
            Presence::Required,
        ),
    };
    kitchen.edit(node, |node| node.content = Content::Elements(elements));
    operations(&mut kitchen, request);
    kitchen.plan
}

fn operations(kitchen: &mut Kitchen, request: TypeId) {
    let session = kitchen.simple("session", simple(Kind::String));
    let flat = {
        let user = kitchen.simple("user", simple(Kind::String));
        let level = kitchen.simple("level", int());
        kitchen.sequence(
            "Auth",
            vec![
                (field(user, false), 1, Some(1)),
                (field(level, false), 0, Some(1)),
            ],
        )
    };
    let headers = vec![
        Header {
            part: "auth".into(),
            element: element("Auth", flat),
        },
        Header {
            part: "session".into(),
            element: session,
        },
    ];
    let number = kitchen.simple("number", int());
    let mut push = |operation: &str, version, body: Option<Element>, headers: &[Header]| {
        kitchen.plan.operations.push(Operation {
            name: operation.into(),
            overload: None,
            version,
            action: "".into(),
            request: Message {
                body,
                headers: headers.to_vec(),
                is_rpc: false,
            },
            response: None,
            faults: Vec::new(),
            proxy_only: None,
        });
    };
    push(
        "everything",
        SoapVersion::V1_1,
        Some(element("everything", request)),
        &[],
    );
    push("bare", SoapVersion::V1_2, Some(number), &headers);
    push("empty", SoapVersion::V1_1, None, &[]);
    push(
        "headers",
        SoapVersion::V1_1,
        Some(element("everything", request)),
        &headers,
    );
}

type Fields = Vec<(Field, u32, Option<u32>)>;

fn scalars(kitchen: &mut Kitchen) -> Fields {
    let with = |facets, kind| Simple {
        facets: Some(Box::new(facets)),
        ..simple(kind)
    };
    let values = Facets {
        enumeration: vec!["a b".into(), "R&D".into()],
        ..Facets::default()
    };
    let digits = Facets {
        fraction_digits: Some(2),
        ..Facets::default()
    };
    let token = Simple {
        white_space: WhiteSpace::Collapse,
        ..simple(Kind::String)
    };
    let long = Kind::Integer {
        min: Some(0),
        max: Some(u64::MAX.into()),
    };
    let rows = [
        ("s", simple(Kind::String)),
        ("t", token),
        ("i", int()),
        ("ul", simple(long)),
        (
            "big",
            simple(Kind::Integer {
                min: None,
                max: None,
            }),
        ),
        ("d", simple(Kind::Decimal)),
        ("d2", with(digits, Kind::Decimal)),
        ("b", simple(Kind::Boolean)),
        ("f", simple(Kind::Double)),
        ("dt", simple(Kind::DateTime)),
        ("b64", simple(Kind::Base64)),
        ("q", simple(Kind::QName)),
        ("l", simple(Kind::List(Box::new(int())))),
        ("u", simple(Kind::Union(vec![int(), simple(Kind::String)]))),
        ("e", with(values, Kind::String)),
    ];
    rows.into_iter()
        .map(|(local, value)| (field(kitchen.simple(local, value), false), 0, Some(1)))
        .collect()
}

fn structures(kitchen: &mut Kitchen) -> Fields {
    let string = |kitchen: &mut Kitchen, local: &str| kitchen.simple(local, simple(Kind::String));
    let nil = |element: Element| Element {
        nillable: true,
        ..element
    };
    let nillable = nil(kitchen.simple("nil", int()));
    let nils = nil(kitchen.simple("nils", int()));
    let items = string(kitchen, "items");
    let required = {
        let (x, y) = (string(kitchen, "x"), nil(string(kitchen, "y")));
        let z = kitchen.simple("z", int());
        kitchen.sequence(
            "Required",
            vec![
                (field(x, false), 1, Some(1)),
                (field(y, false), 1, Some(1)),
                (field(z, true), 1, Some(2)),
            ],
        )
    };
    let priced = kitchen.complex("Priced", Content::Text(simple(Kind::Decimal)));
    kitchen.edit(priced, |priced| {
        priced.attributes = vec![
            attribute("currency", simple(Kind::String), true),
            Attribute {
                fixed: Some("1".into()),
                ..attribute("version", int(), false)
            },
        ];
    });
    let named = {
        let name_element = string(kitchen, "name");
        kitchen.sequence("Named", vec![(field(name_element, false), 0, Some(1))])
    };
    kitchen.edit(named, |named| {
        named.attributes = vec![Attribute {
            json: "@name".into(),
            ..attribute("name", simple(Kind::String), false)
        }];
        named.any_attribute = true;
    });
    let choice = choice(kitchen);
    let pairs = pairs(kitchen);
    let twice = twice(kitchen);
    let node = kitchen.complex("Node", Content::Empty);
    let fixed = Element {
        fixed: Some("yes".into()),
        ..string(kitchen, "fixed")
    };
    vec![
        (field(nillable, false), 0, Some(1)),
        (field(nils, true), 0, None),
        (field(items, true), 0, Some(3)),
        (field(element("required", required), false), 0, Some(1)),
        (field(nil(element("price", priced)), false), 0, Some(1)),
        (field(nil(element("named", named)), false), 0, Some(1)),
        (field(element("choice", choice), false), 0, Some(1)),
        (field(element("pairs", pairs), false), 0, Some(1)),
        (field(element("twice", twice), false), 0, Some(1)),
        (field(element("node", node), false), 0, Some(1)),
        (field(fixed, false), 0, Some(1)),
    ]
}

/// `a | (b, c?) | d*`, all strings.
fn choice(kitchen: &mut Kitchen) -> TypeId {
    let mut fields = Vec::new();
    for local in ["a", "b", "c", "d"] {
        let element = kitchen.simple(local, simple(Kind::String));
        fields.push(field(element, local == "d"));
    }
    let sequence = Particle::Sequence(
        vec![place(1, 1, Some(1)), place(2, 0, Some(1))],
        Presence::Required,
    );
    let order = Particle::Choice(
        vec![place(0, 1, Some(1)), sequence, place(3, 1, None)],
        Presence::Required,
    );
    kitchen.complex("Choice", Content::Elements(Elements { fields, order }))
}

/// `(key, value?)*`, and a repeated choice of `left | right`.
fn pairs(kitchen: &mut Kitchen) -> TypeId {
    let mut group = |locals: [&str; 2], order: fn(Vec<Particle>, Presence) -> Particle, min| {
        let fields = locals.map(|local| field(kitchen.simple(local, simple(Kind::String)), false));
        let order = order(
            vec![place(0, 1, Some(1)), place(1, min, Some(1))],
            Presence::Required,
        );
        FieldKind::Group(Elements {
            fields: fields.into(),
            order,
        })
    };
    let sequence = group(["key", "value"], Particle::Sequence, 0);
    let choice = group(["left", "right"], Particle::Choice, 1);
    let fields = [("keyAndValue", sequence), ("leftOrRight", choice)];
    let fields = fields.map(|(json, kind)| Field {
        json: json.into(),
        kind,
        is_array: true,
    });
    kitchen.sequence(
        "Pairs",
        fields.into_iter().map(|field| (field, 0, None)).collect(),
    )
}

/// `p, m?, p{1,2}, p?`: one array for all of `p`.
fn twice(kitchen: &mut Kitchen) -> TypeId {
    let p = field(kitchen.simple("p", simple(Kind::String)), true);
    let m = field(kitchen.simple("m", simple(Kind::String)), false);
    let order = vec![
        place(0, 1, Some(1)),
        place(1, 0, Some(1)),
        place(0, 1, Some(2)),
        place(0, 0, Some(1)),
    ];
    let order = Particle::Sequence(order, Presence::Required);
    kitchen.complex(
        "Twice",
        Content::Elements(Elements {
            fields: vec![p, m],
            order,
        }),
    )
}

/// `Shape` (abstract) → `Circle` → `Disc`, of another namespace; a substitution group.
fn derivation(kitchen: &mut Kitchen) -> Fields {
    let label = field(kitchen.simple("label", simple(Kind::String)), false);
    let radius = field(kitchen.simple("radius", simple(Kind::Double)), false);
    let fill = field(kitchen.simple("fill", simple(Kind::String)), false);
    let shape = kitchen.sequence("Shape", vec![(label.clone(), 0, Some(1))]);
    let circle = vec![(label.clone(), 0, Some(1)), (radius.clone(), 1, Some(1))];
    let circle = kitchen.sequence("Circle", circle);
    let disc = vec![
        (label, 0, Some(1)),
        (radius, 1, Some(1)),
        (fill, 0, Some(1)),
    ];
    let disc = kitchen.sequence("Disc", disc);
    kitchen.edit(shape, |shape| {
        shape.is_abstract = true;
        shape.derived = vec![circle, disc];
    });
    kitchen.edit(circle, |circle| circle.derived = vec![disc]);
    kitchen.edit(disc, |disc| disc.name = Some(name(2, "Disc")));
    let animal = Element {
        is_abstract: true,
        ..kitchen.simple("animal", simple(Kind::String))
    };
    let cat = kitchen.simple("cat", simple(Kind::String));
    let dog = element("dog", circle);
    let group = |json: &str, is_array, head: Element| Field {
        json: json.into(),
        kind: FieldKind::Substitution {
            head,
            members: vec![("cat".into(), cat.clone()), ("dog".into(), dog.clone())],
        },
        is_array,
    };
    let shape = Element {
        nillable: true,
        ..element("shape", shape)
    };
    vec![
        (field(shape, false), 0, Some(1)),
        (field(element("circles", circle), true), 0, None),
        (group("animal", false, animal.clone()), 0, Some(1)),
        (group("zoo", true, animal), 0, None),
    ]
}

fn open_content(kitchen: &mut Kitchen) -> Fields {
    let note = kitchen.simple("note", simple(Kind::String));
    let other = Element {
        name: name(3, "note"),
        ..kitchen.simple("note", int())
    };
    let known = kitchen.simple("known", int());
    kitchen.plan.globals = vec![known, note, other];
    let mixed = kitchen.complex("Mixed", Content::Mixed);
    let strict = any("strict", None, Process::Strict);
    let skip = any("skip", Some(vec![NamespaceId(3)]), Process::Skip);
    vec![
        (field(element("mixed", mixed), false), 0, Some(1)),
        (any("any", None, Process::Lax), 0, None),
        (strict, 0, None),
        (skip, 0, None),
    ]
}
