use std::fmt::Write as _;

use super::{Causes, Choice, CompileError, Compiled, compile};
use crate::import::{Documents, read};
use crate::plan::{
    Content, Elements, FieldKind, Kind, Occurs, Particle, Presence, Simple, Type, TypeId,
};
use crate::testing::{compiled, compiled_schema, wsdl};
use crate::version::SoapVersion;

/// Describes the complex types of a plan, one a line: name, attributes, fields with their types,
/// order.
fn described(compiled: &Compiled) -> String {
    let mut out = String::new();
    for ty in &compiled.plan.types {
        let Type::Complex(complex) = ty else { continue };
        out.push_str(&complex.json);
        out.push_str(if complex.is_abstract { " abstract" } else { "" });
        for attribute in &complex.attributes {
            let required = if attribute.required { "!" } else { "" };
            write!(out, " @{}{required}", attribute.json).unwrap();
        }
        out.push_str(if complex.any_attribute { " @*" } else { "" });
        match &complex.content {
            Content::Empty => out.push_str(" empty"),
            Content::Text(text) => write!(out, " text({})", simple(text)).unwrap(),
            Content::Mixed => out.push_str(" mixed"),
            Content::Open => out.push_str(" open"),
            Content::Elements(elements) => {
                write!(out, " {}", of_elements(compiled, elements)).unwrap();
            }
        }
        if !complex.derived.is_empty() {
            let derived: Vec<String> = complex
                .derived
                .iter()
                .map(|ty| type_name(compiled, *ty))
                .collect();
            write!(out, " <- {}", derived.join(", ")).unwrap();
        }
        out.push('\n');
    }
    out
}

fn of_elements(compiled: &Compiled, elements: &Elements) -> String {
    let fields: Vec<String> = elements
        .fields
        .iter()
        .map(|field| {
            let array = if field.is_array { "[]" } else { "" };
            let kind = match &field.kind {
                FieldKind::Element(element) => type_name(compiled, element.ty),
                FieldKind::Substitution { head, members } => {
                    let members: Vec<&str> = members.iter().map(|(key, _)| &**key).collect();
                    let is_abstract = if head.is_abstract { "abstract " } else { "" };
                    format!("{is_abstract}head of {}", members.join(" "))
                }
                FieldKind::Group(elements) => of_elements(compiled, elements),
                FieldKind::Any(wildcard) => format!("{:?}", wildcard.process),
            };
            format!("{}{array}: {kind}", field.json)
        })
        .collect();
    format!(
        "{{{}}} {}",
        fields.join(", "),
        order(elements, &elements.order)
    )
}

fn order(elements: &Elements, particle: &Particle) -> String {
    let several = |parts: &[Particle], between: &str, presence: &Presence| {
        let parts: Vec<String> = parts.iter().map(|part| order(elements, part)).collect();
        let optional = if *presence == Presence::Optional {
            "?"
        } else {
            ""
        };
        format!("({}){optional}", parts.join(between))
    };
    match particle {
        Particle::Field(at, Occurs { min, max }) => {
            let name = &elements.fields[usize::from(*at)].json;
            match (min, max) {
                (1, Some(1)) => name.to_string(),
                (0, Some(1)) => format!("{name}?"),
                (0, None) => format!("{name}*"),
                (1, None) => format!("{name}+"),
                (min, Some(max)) => format!("{name}{{{min},{max}}}"),
                (min, None) => format!("{name}{{{min},}}"),
            }
        }
        Particle::Sequence(parts, presence) => several(parts, " ", presence),
        Particle::Choice(parts, presence) => several(parts, "|", presence),
        Particle::All(parts, presence) => several(parts, "&", presence),
    }
}

fn type_name(compiled: &Compiled, ty: TypeId) -> String {
    match &compiled.plan.types[ty.0 as usize] {
        Type::Simple(text) => simple(text),
        Type::Complex(complex) => complex.json.to_string(),
    }
}

fn simple(simple: &Simple) -> String {
    match &simple.kind {
        Kind::Integer { .. } => "integer".to_owned(),
        Kind::List(item) => format!("list of {}", self::simple(item)),
        Kind::Union(members) => {
            let members: Vec<String> = members.iter().map(self::simple).collect();
            format!("union of {}", members.join(" "))
        }
        kind => format!("{kind:?}").to_lowercase(),
    }
}

/// Describes the types of a schema with a request of the type `t:T`.
fn types(schema: &str) -> String {
    let compiled = with_type(schema);
    assert_eq!(compiled.warnings, [], "{schema}");
    described(&compiled)
}

fn with_type(schema: &str) -> Compiled {
    compiled_schema(&format!(
        r#"<xs:element name="request" type="t:T"/>
           <xs:element name="response"><xs:complexType/></xs:element>{schema}"#
    ))
}

/// Describes the type `T` with this content.
fn content(content: &str) -> String {
    let described = types(&format!(
        r#"<xs:complexType name="T">{content}</xs:complexType>"#
    ));
    described.lines().next().unwrap().to_owned()
}

#[test]
fn sequences_choices_and_groups_keep_their_order_and_only_fields_repeat() {
    let a = r#"<xs:element name="a" type="xs:int"/>"#;
    let b = r#"<xs:element name="b" type="xs:string"/>"#;
    let rows = [
        (
            format!("<xs:sequence>{a}{b}</xs:sequence>"),
            "T {a: integer, b: string} (a b)",
        ),
        (
            format!("<xs:all>{a}{b}</xs:all>"),
            "T {a: integer, b: string} (a&b)",
        ),
        (
            format!(r#"<xs:choice minOccurs="0">{a}{b}</xs:choice>"#),
            "T {a: integer, b: string} (a|b)?",
        ),
        (
            format!(r#"<xs:choice minOccurs="0" maxOccurs="unbounded">{a}{b}</xs:choice>"#),
            "T {aOrB[]: {a: integer, b: string} (a|b)} aOrB*",
        ),
        (
            format!(r#"<xs:sequence maxOccurs="7">{a}{b}</xs:sequence>"#),
            "T {aAndB[]: {a: integer, b: string} (a b)} aAndB{1,7}",
        ),
        (
            format!(
                r#"<xs:sequence maxOccurs="3"><xs:choice minOccurs="0">{a}</xs:choice>
                </xs:sequence>"#
            ),
            "T {a[]: integer} a{0,3}",
        ),
        (
            format!(r#"<xs:sequence>{a}<xs:sequence>{b}</xs:sequence>{a}</xs:sequence>"#),
            "T {a[]: integer, b: string} (a b a)",
        ),
        (
            format!(
                "<xs:choice><xs:sequence>{a}{b}</xs:sequence><xs:sequence>{b}{a}</xs:sequence>
                    </xs:choice>"
            ),
            "T {a: integer, b: string} ((a b)|(b a))",
        ),
        (
            format!(
                r#"<xs:sequence>{a}<xs:choice minOccurs="0" maxOccurs="unbounded">
                    <xs:sequence>{a}{b}</xs:sequence><xs:any processContents="skip"/></xs:choice>
                    </xs:sequence>"#
            ),
            "T {a: integer, aAndBOrAny[]: {a: integer, b: string, any[]: Skip} \
             ((a b)|any)} (a aAndBOrAny*)",
        ),
        (
            format!(
                r#"<xs:sequence>{a}<xs:element name="b" type="xs:int" maxOccurs="0"/>
                </xs:sequence>"#
            ),
            "T {a: integer} a",
        ),
        (
            format!("<xs:choice>{a}<xs:sequence/></xs:choice>"),
            "T {a: integer} a?",
        ),
        (
            r#"<xs:sequence><xs:element name="a" type="xs:int" maxOccurs="4000000000000"/>
                </xs:sequence>"#
                .to_owned(),
            "T {a[]: integer} a+",
        ),
        ("<xs:sequence/>".to_owned(), "T empty"),
        (String::new(), "T empty"),
    ];
    for (schema, expected) in rows {
        assert_eq!(content(&schema), expected, "{schema}");
    }
}

#[test]
fn an_extension_comes_after_its_base_and_a_restriction_replaces_it() {
    let described = types(
        r#"<xs:complexType name="T" abstract="true">
             <xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence>
             <xs:attribute name="x" use="required"/><xs:attribute name="y"/>
           </xs:complexType>
           <xs:complexType name="Second"><xs:complexContent><xs:extension base="t:T">
             <xs:choice><xs:element name="b" type="xs:int"/><xs:element name="c" type="xs:int"/>
                 </xs:choice>
             <xs:attribute name="z"/>
           </xs:extension></xs:complexContent></xs:complexType>
           <xs:complexType name="Third"><xs:complexContent><xs:extension base="t:Second">
             <xs:sequence><xs:element name="d" type="t:T"/></xs:sequence>
           </xs:extension></xs:complexContent></xs:complexType>
           <xs:complexType name="Narrow"><xs:complexContent><xs:restriction base="t:Third">
             <xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence>
             <xs:attribute name="y" use="prohibited"/><xs:attribute name="z" use="required"/>
           </xs:restriction></xs:complexContent></xs:complexType>"#,
    );
    assert_eq!(
        described,
        "T abstract @x! @y {a: integer} a <- Second, Third, Narrow\n\
         request empty\n\
         Second @x! @y @z {a: integer, b: integer, c: integer} (a (b|c)) <- Third, Narrow\n\
         Third @x! @y @z {a: integer, b: integer, c: integer, d: T} (a (b|c) d) <- Narrow\n\
         Narrow @x! @z! {a: integer} a\n"
            .replace("request empty", "response empty")
    );
}

#[test]
fn text_with_attributes_keeps_the_restrictions_of_its_bases() {
    let schema = r#"<xs:complexType name="T"><xs:simpleContent><xs:extension base="t:Code">
             <xs:attribute name="value"/><xs:anyAttribute/>
           </xs:extension></xs:simpleContent></xs:complexType>
           <xs:complexType name="Short"><xs:simpleContent><xs:restriction base="t:T">
             <xs:maxLength value="3"/><xs:pattern value="[A-Z]+"/>
           </xs:restriction></xs:simpleContent></xs:complexType>
           <xs:simpleType name="Code"><xs:restriction base="xs:token">
             <xs:pattern value="\d+"/><xs:pattern value="[A-Z]*"/><xs:maxLength value="9"/>
           </xs:restriction></xs:simpleType>"#;
    let compiled = with_type(schema);
    assert_eq!(
        described(&compiled),
        "T @@value @* text(string) <- Short\nresponse empty\nShort @@value text(string)\n"
    );
    let shorts = compiled.plan.types.iter().filter_map(|ty| match ty {
        Type::Complex(complex) if &*complex.json == "Short" => Some(&complex.content),
        _ => None,
    });
    let [Content::Text(text)] = shorts.collect::<Vec<_>>()[..] else {
        panic!("no text");
    };
    let facets = text.facets.as_deref().unwrap();
    assert_eq!((facets.length_min, facets.length_max), (None, Some(3)));
    assert_eq!(
        &*facets.patterns,
        [r"^(?:\d+|[A-Z]*)$".into(), "^(?:[A-Z]+)$".into()]
    );
}

#[test]
fn lists_unions_and_named_groups_are_written_out() {
    let described = types(
        r#"<xs:complexType name="T"><xs:sequence>
             <xs:group ref="t:g" minOccurs="0"/>
             <xs:element name="some"><xs:simpleType><xs:list itemType="xs:int"/></xs:simpleType>
                 </xs:element>
             <xs:element name="one"><xs:simpleType><xs:union memberTypes="xs:int xs:date">
               <xs:simpleType><xs:restriction base="xs:string"/></xs:simpleType>
             </xs:union></xs:simpleType></xs:element>
             <xs:element name="all" type="xs:IDREFS"/>
           </xs:sequence><xs:attributeGroup ref="t:as"/></xs:complexType>
           <xs:group name="g"><xs:choice>
             <xs:element name="a" type="xs:int"/>
             <xs:sequence><xs:group ref="t:h"/><xs:element name="b" type="xs:int"/></xs:sequence>
           </xs:choice></xs:group>
           <xs:group name="h"><xs:sequence><xs:element name="c" type="xs:int"/></xs:sequence>
               </xs:group>
           <xs:attributeGroup name="as"><xs:attribute name="x"/><xs:attribute ref="t:y"/>
               </xs:attributeGroup>
           <xs:attribute name="y" type="xs:int" default="1"/>"#,
    );
    assert_eq!(
        described.lines().next().unwrap(),
        "T @x @y {a: integer, c: integer, b: integer, some: list of integer, \
         one: union of integer date string, all: list of string} ((a|(c b))? some one all)"
    );
}

#[test]
fn members_of_a_substitution_group_are_properties_or_items() {
    let schema = r#"<xs:complexType name="T"><xs:sequence>
             <xs:element ref="t:head"/><xs:element name="first" type="xs:int"/>
             <xs:element ref="t:many" minOccurs="0" maxOccurs="unbounded"/>
           </xs:sequence></xs:complexType>
           <xs:element name="head" type="xs:int" abstract="true"/>
           <xs:element name="first" substitutionGroup="t:head"/>
           <xs:element name="between" substitutionGroup="t:head" abstract="true"/>
           <xs:element name="last" substitutionGroup="t:between"/>
           <xs:element name="many" type="xs:int"/>
           <xs:element name="more" substitutionGroup="t:many" type="xs:int"/>"#;
    assert_eq!(
        types(schema).lines().next().unwrap(),
        "T {head: abstract head of first last, first_2: integer, many[]: head of more} \
         (head first_2 many*)"
    );
}

#[test]
fn keys_are_unique_and_deterministic() {
    let mut documents = Documents::default();
    let main = wsdl(
        r#"<xs:import namespace="urn:o" schemaLocation="o.xsd"/>
           <xs:element name="request"><xs:complexType><xs:sequence>
             <xs:element name="name" type="xs:int"/>
             <xs:element xmlns:o="urn:o" ref="o:name"/>
             <xs:element name="name_2" type="xs:int"/>
             <xs:element name="type" type="xs:int"/>
           </xs:sequence>
             <xs:attribute name="name"/><xs:attribute name="type"/><xs:attribute name="lang"/>
             <xs:attribute ref="xml:lang"/>
           </xs:complexType></xs:element>
           <xs:element name="response" type="xs:string"/>"#,
    );
    let other = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:o">
        <xs:element name="name" type="xs:string"/></xs:schema>"#;
    documents.add("main.wsdl", main.as_bytes()).unwrap();
    documents.add("o.xsd", other.as_bytes()).unwrap();
    let compiled = compile(&read(&documents, "main.wsdl").unwrap(), &Choice::default()).unwrap();
    assert_eq!(compiled.warnings, []);
    assert_eq!(
        described(&compiled),
        "request @@name @@type_2 @lang @lang_2 \
         {name: integer, name_3: string, name_2: integer, type: integer} \
         (name name_3 name_2 type)\n"
    );
}

#[test]
fn open_content_is_a_wildcard_or_xml() {
    assert_eq!(
        content(r#"<xs:complexContent><xs:restriction base="xs:anyType"/></xs:complexContent>"#),
        "T empty"
    );
    assert_eq!(
        content(r#"<xs:complexContent><xs:extension base="xs:anyType"/></xs:complexContent>"#),
        "T @* mixed"
    );
    let described = types(
        r###"<xs:complexType name="T"><xs:sequence>
             <xs:element name="a"/><xs:element name="m" type="t:M"/>
             <xs:any namespace="##other" processContents="lax"/>
             <xs:any processContents="skip" minOccurs="0"/>
           </xs:sequence></xs:complexType>
           <xs:complexType name="M" mixed="true"><xs:sequence>
             <xs:element name="b" type="xs:int"/>
           </xs:sequence><xs:attribute name="x"/></xs:complexType>"###,
    );
    assert_eq!(
        described,
        "T {a: anyType, m: M, any[]: Lax, any_2[]: Skip} (a m any any_2?)\n\
         response empty\nanyType @* mixed\nM @x mixed\n"
    );
}

#[test]
fn known_elements_are_in_the_plan_where_a_wildcard_may_hold_them() {
    let with = r#"<xs:complexType name="T"><xs:sequence><xs:any/></xs:sequence></xs:complexType>"#;
    let names = |compiled: &Compiled| {
        let globals = compiled.plan.globals.iter();
        globals
            .map(|global| global.name.local.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&with_type(with)), ["request", "response"]);
    let without = r#"<xs:complexType name="T"/>"#;
    assert!(names(&with_type(without)).is_empty());
}

#[test]
fn an_operation_that_is_not_understood_is_only_proxied() {
    let rows = [
        (
            r#"<xs:complexType name="T"><xs:sequence><xs:element ref="t:none"/></xs:sequence>
                </xs:complexType>"#,
            "the element `{urn:t}none` is not defined",
        ),
        (
            r#"<xs:complexType name="T"><xs:sequence><xs:element name="a" type="t:None"/>
                </xs:sequence></xs:complexType>"#,
            "the type `{urn:t}None` is not defined",
        ),
        (
            r#"<xs:complexType name="T"><xs:group ref="t:g"/></xs:complexType><xs:group name="g">
                <xs:sequence><xs:group ref="t:g"/></xs:sequence></xs:group>"#,
            "of the type `T`: a group contains itself, or groups are nested too deep",
        ),
        (
            r#"<xs:complexType name="T"><xs:complexContent><xs:extension base="t:T"/>
                </xs:complexContent></xs:complexType>"#,
            "of the type `T`: it is derived in a circle, or in too many steps",
        ),
        (
            r#"<xs:simpleType name="T"><xs:restriction base="t:T"/></xs:simpleType>"#,
            "a simple type is derived in a circle, or in too many steps",
        ),
        (
            r#"<xs:complexType name="T"><xs:sequence><xs:assert test="1"/></xs:sequence>
                </xs:complexType>"#,
            "of the type `T`: `assert` in `sequence` is not part of XML Schema 1.0",
        ),
    ];
    for (schema, expected) in rows {
        let compiled = with_type(schema);
        let why = compiled.plan.operations[0]
            .proxy_only
            .as_deref()
            .unwrap_or_default();
        assert!(why.ends_with(expected), "{schema}: {why}");
    }
}

/// Adds the operation `plain`, which sends the element `response`, to the contract of [`wsdl`].
fn with_plain_operation(wsdl: &str) -> String {
    let declared =
        r#"<operation name="plain"><input message="t:response"/></operation></portType>"#;
    let bound = r#"<operation name="plain"><soap:operation soapAction=""/>
        <input><soap:body use="literal"/></input></operation></binding>"#;
    let wsdl = wsdl.replace("</portType>", declared);
    wsdl.replace("</binding>", bound)
}

/// Returns the operations that can only be proxied, with the reasons.
fn proxied(compiled: &Compiled) -> Vec<(&str, &str)> {
    let operations = compiled.plan.operations.iter();
    let proxied = operations.filter_map(|it| Some((&*it.name, it.proxy_only.as_deref()?)));
    proxied.collect()
}

/// Returns the notes with these codes, with their lines.
fn noted<'c>(compiled: &'c Compiled, codes: &[&str]) -> Vec<(&'c str, u32)> {
    let notes = compiled.warnings.iter();
    let notes = notes.filter(|note| codes.contains(&note.code.as_str()));
    notes
        .map(|note| (note.detail.as_str(), note.line))
        .collect()
}

const CONTRADICTIONS: [&str; 3] = [
    "schema.complex_type",
    "schema.simple_type",
    "schema.declaration",
];

#[test]
fn types_that_contradict_themselves_are_noted_with_their_line_and_only_proxied() {
    const TWO_TYPES: &str = "the element `a` has two types";
    // The marked line `~` of the type `T`, and the reason.
    let rows = [
        (
            r#"<xs:complexContent><xs:extension base="t:B"/></xs:complexContent>
            ~<xs:attribute name="f" type="xs:string"/>"#,
            "`attribute` is beside `complexContent`, not inside it",
        ),
        (
            r#"<xs:simpleContent><xs:extension base="xs:int"/></xs:simpleContent>
            ~<xs:sequence><xs:element name="f" type="xs:int"/></xs:sequence>"#,
            "`sequence` is beside `simpleContent`, not inside it",
        ),
        (
            r#"<xs:complexContent><xs:extension base="t:B"/>
            ~<xs:restriction base="t:C"/></xs:complexContent>"#,
            "it is derived more than once",
        ),
        (
            r#"<xs:sequence/>
            ~<xs:choice><xs:element name="f" type="xs:int"/></xs:choice>"#,
            "it has more than one content model",
        ),
        (
            r#"<xs:sequence><xs:element name="a" type="xs:int">
            ~<xs:complexType/></xs:element></xs:sequence>"#,
            TWO_TYPES,
        ),
        (
            r#"<xs:sequence><xs:element name="a"><xs:complexType/>
            ~<xs:simpleType><xs:restriction base="xs:int"/></xs:simpleType>
            </xs:element></xs:sequence>"#,
            TWO_TYPES,
        ),
        (
            r#"<xs:sequence><xs:element name="a"><xs:complexType/>
            ~<xs:sequence><xs:element name="f" type="xs:int"/></xs:sequence>
            </xs:element></xs:sequence>"#,
            "`sequence` in `element` is not part of XML Schema 1.0",
        ),
        (
            r#"<xs:sequence>
            ~<xs:element ref="t:response" type="xs:int"/></xs:sequence>"#,
            "the reference to `t:response` has a type",
        ),
        (
            r#"<xs:attribute name="a" type="xs:int">
            ~<xs:simpleType><xs:list itemType="xs:int"/></xs:simpleType></xs:attribute>"#,
            "the attribute `a` has two types",
        ),
        (
            r#"<xs:attribute name="a"><xs:simpleType><xs:list itemType="xs:int">
            ~<xs:simpleType><xs:restriction base="xs:int"/></xs:simpleType>
            </xs:list></xs:simpleType></xs:attribute>"#,
            "the items of a list have two types",
        ),
        (
            r#"<xs:attribute name="a"><xs:simpleType><xs:restriction base="xs:int">
            ~<xs:simpleType><xs:restriction base="xs:int"/></xs:simpleType>
            </xs:restriction></xs:simpleType></xs:attribute>"#,
            "it has two bases",
        ),
        (
            r#"<xs:attribute name="a"><xs:simpleType><xs:restriction base="xs:int"/>
            ~<xs:union memberTypes="xs:int xs:date"/></xs:simpleType></xs:attribute>"#,
            "it has more than one definition",
        ),
        (
            r#"<xs:attribute name="a"><xs:simpleType><xs:restriction base="xs:int">
            ~<xs:attribute name="f"/></xs:restriction></xs:simpleType></xs:attribute>"#,
            "a simple type has attributes",
        ),
    ];
    for (content, expected) in rows {
        let schema = format!(
            r#"<xs:element name="request" type="t:T"/>
            <xs:element name="response"><xs:complexType/></xs:element>
            <xs:complexType name="B"/><xs:complexType name="C"/>
            <xs:complexType name="T">{content}</xs:complexType>"#
        );
        let marked = with_plain_operation(&wsdl(&schema));
        let line = u32::try_from(marked.lines().position(|it| it.contains('~')).unwrap() + 1);
        let compiled = compiled(&marked.replace('~', ""));
        let notes = noted(&compiled, &CONTRADICTIONS);
        assert_eq!(notes, [(expected, line.unwrap())], "{content}");
        let [("call", why)] = *proxied(&compiled) else {
            panic!("{content}: {:?}", proxied(&compiled));
        };
        assert!(why.ends_with(expected), "{content}: {why}");
    }
}

#[test]
fn operations_reach_contradictions_through_bases_groups_and_their_own_elements() {
    const GROUP: &str = r#"<xs:group name="g"><xs:sequence/><xs:choice/></xs:group>"#;
    const ATTRIBUTES: &str = r#"<xs:attributeGroup name="g"><xs:attribute name="a"/>
        <xs:sequence/></xs:attributeGroup>"#;
    let rows = [
        (
            r#"<xs:element name="request" type="t:D"/>
            <xs:complexType name="D"><xs:complexContent><xs:extension base="t:T"/>
                </xs:complexContent></xs:complexType>
            <xs:complexType name="T"><xs:sequence/><xs:all/></xs:complexType>"#
                .to_owned(),
            "of the type `D`: it has more than one content model",
        ),
        (
            r#"<xs:element name="request"><xs:complexType><xs:simpleContent>
                <xs:extension base="t:B"/></xs:simpleContent></xs:complexType></xs:element>
            <xs:complexType name="B"><xs:sequence/></xs:complexType>"#
                .to_owned(),
            "of the type `request`: it has only text, but its base has complex content",
        ),
        (
            r#"<xs:element name="request"><xs:complexType><xs:simpleContent>
                <xs:extension base="xs:anyType"/></xs:simpleContent></xs:complexType>
            </xs:element>"#
                .to_owned(),
            "of the type `request`: it has only text, but its base is `anyType`",
        ),
        (
            format!(
                r#"{GROUP}<xs:element name="request"><xs:complexType><xs:group ref="t:g"/>
                </xs:complexType></xs:element>"#
            ),
            "of the type `request`: the group has more than one content model",
        ),
        (
            format!(
                r#"{ATTRIBUTES}<xs:element name="request"><xs:complexType>
                <xs:attributeGroup ref="t:g"/></xs:complexType></xs:element>"#
            ),
            "of the type `request`: `sequence` in `attributeGroup` is not part of XML Schema 1.0",
        ),
        (
            r#"<xs:element name="request" type="xs:int"><xs:complexType/></xs:element>"#.to_owned(),
            "the element `request` has two types",
        ),
        (
            r#"<xs:element name="request"><xs:sequence/></xs:element>"#.to_owned(),
            "`sequence` in `element` is not part of XML Schema 1.0",
        ),
        (
            r#"<xs:element name="request" substitutionGroup="t:head"/>
            <xs:element name="head" type="xs:int"><xs:simpleType/></xs:element>"#
                .to_owned(),
            "the element `head` has two types",
        ),
    ];
    for (schema, expected) in rows {
        let response = r#"<xs:element name="response"><xs:complexType/></xs:element>"#;
        let wsdl = with_plain_operation(&wsdl(&format!("{schema}{response}")));
        let compiled = compiled(&wsdl);
        assert_eq!(proxied(&compiled), [("call", expected)]);
        let [(note, _)] = *noted(&compiled, &["wsdl.proxy_only"]) else {
            panic!("{schema}: {:?}", compiled.warnings);
        };
        assert_eq!(note, format!("`call` can only be proxied: {expected}"));
    }
}

#[test]
fn what_only_looks_like_a_contradiction_is_read_as_before() {
    let rows = [
        // Text that replaces mixed content, as XML Schema allows.
        (
            r#"<xs:simpleContent><xs:restriction base="t:M"><xs:simpleType>
                <xs:restriction base="xs:int"/></xs:simpleType></xs:restriction>
                </xs:simpleContent>"#,
            "T text(integer)",
        ),
        // Attributes have no order.
        (
            r#"<xs:attribute name="x"/><xs:sequence/><xs:attribute name="y"/>"#,
            "T @x @y empty",
        ),
        // A base of text alone, extended by attributes.
        (
            r#"<xs:complexContent><xs:extension base="t:X"><xs:attribute name="y"/>
                </xs:extension></xs:complexContent>"#,
            "T @y text(integer)",
        ),
    ];
    for (content, expected) in rows {
        let described = types(&format!(
            r#"<xs:complexType name="T">{content}</xs:complexType>
            <xs:complexType name="M" mixed="true"/>
            <xs:complexType name="X"><xs:simpleContent><xs:extension base="xs:int"/>
                </xs:simpleContent></xs:complexType>"#
        ));
        assert_eq!(described.lines().next().unwrap(), expected, "{content}");
    }
}

#[test]
fn a_refusal_for_want_of_a_port_names_what_is_missing() {
    const SERVICE: &str = r#"<service name="S"><port name="P" binding="b:B"/></service>"#;
    let import = |end: &str| format!(r#"<import namespace="urn:b" location="binding.wsdl"/>{end}"#);
    let undefined = "the port `P` names the binding `{urn:b}B`, which is not defined, and cannot \
        be published (main.wsdl, line 2)";
    let missing = "the document binding.wsdl is missing (main.wsdl, line 2)";
    let schema = r#"<types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
        <xs:import namespace="urn:a" schemaLocation="a.xsd"/></xs:schema></types>"#;
    let http = r#"<binding name="B" type="t:P"><h:binding verb="GET"
        xmlns:h="http://schemas.xmlsoap.org/wsdl/http/"/></binding>
        <service name="S"><port name="P" binding="B"/></service>"#;
    let many: String = (0..5)
        .map(|at| format!(r#"<import namespace="urn:b" location="{at}.wsdl"/>"#))
        .collect();
    let rows = [
        (String::new(), Choice::default(), String::new()),
        (
            import(SERVICE),
            Choice::default(),
            format!(": {undefined}; {missing}"),
        ),
        (import(""), Choice::default(), format!(": {missing}")),
        (
            schema.to_owned(),
            Choice::default(),
            ": the document a.xsd is missing (main.wsdl, line 3)".to_owned(),
        ),
        (
            http.to_owned(),
            Choice::default(),
            ": the port `P` is bound to plain HTTP and cannot be published (main.wsdl, line 4)"
                .to_owned(),
        ),
        (
            many,
            Choice::default(),
            format!(
                ": {}; and 2 more",
                (0..3)
                    .map(|at| format!("the document {at}.wsdl is missing (main.wsdl, line 2)"))
                    .collect::<Vec<_>>()
                    .join("; ")
            ),
        ),
        (
            import(SERVICE),
            Choice {
                port: Some("P".to_owned()),
                ..Choice::default()
            },
            format!(": {undefined}; {missing}"),
        ),
        (
            import(""),
            Choice {
                service: Some("S".to_owned()),
                ..Choice::default()
            },
            format!(": {missing}"),
        ),
    ];
    for (content, choice, expected) in rows {
        let main = format!(
            "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' xmlns:b='urn:b'>\n\
            {content}</definitions>"
        );
        let mut documents = Documents::default();
        documents.add("main.wsdl", main.as_bytes()).unwrap();
        let imported = read(&documents, "main.wsdl").unwrap();
        let refused = compile(&imported, &choice).unwrap_err();
        let sentence = match (&choice.service, &choice.port) {
            (Some(_), _) => "the contract has no service `S`",
            (_, Some(_)) => "the contract has no port `P` that is SOAP over HTTP",
            _ => "the contract has no port that is SOAP over HTTP",
        };
        assert_eq!(
            refused.to_string(),
            format!("{sentence}{expected}"),
            "{content}"
        );
    }
}

#[test]
fn members_that_refer_to_an_attachment_are_noted() {
    let swa = r#"<xs:import namespace="http://ws-i.org/profiles/basic/1.1/xsd"
        schemaLocation="http://ws-i.org/profiles/basic/1.1/swaref.xsd"/>"#;
    let schema = r#"<xs:complexType name="T" xmlns:r="http://ws-i.org/profiles/basic/1.1/xsd">
          <xs:sequence>
            <xs:element name="photo" type="r:swaRef"/>
            <xs:element name="more" type="t:Several" maxOccurs="9"/>
            <xs:element name="titled" type="t:Titled"/>
            <xs:element name="link" type="xs:anyURI"/>
          </xs:sequence>
          <xs:attribute name="thumbnail" type="r:swaRef"/>
        </xs:complexType>
        <xs:simpleType name="Several" xmlns:r="http://ws-i.org/profiles/basic/1.1/xsd">
          <xs:list itemType="r:swaRef"/></xs:simpleType>
        <xs:complexType name="Titled" xmlns:r="http://ws-i.org/profiles/basic/1.1/xsd">
          <xs:simpleContent><xs:extension base="r:swaRef">
            <xs:attribute name="title" type="xs:string"/></xs:extension></xs:simpleContent>
        </xs:complexType>"#;
    let request = r#"<xs:element name="request" type="t:T"/>
        <xs:element name="response"><xs:complexType/></xs:element>"#;
    let compiled = compiled_schema(&format!("{swa}{request}{schema}"));
    let notes = |compiled: &Compiled| {
        let notes = compiled.warnings.iter();
        let notes: Vec<_> = notes
            .map(|it| format!("{} {}", it.code, it.detail))
            .collect();
        notes
    };
    let note =
        |name| format!("schema.attachment the attachment of `{name}` (swaRef) is not passed on");
    let expected = ["photo", "more", "titled", "thumbnail"];
    assert_eq!(notes(&compiled), expected.map(note));
    assert_eq!(compiled.plan.operations[0].proxy_only, None);
    let types = format!("<types><xs:schema>{swa}</xs:schema></types><message name=\"in\">");
    let body = r#"<soap:body use="literal" namespace="urn:w"/>"#;
    let part = r#"name="b" xmlns:r="http://ws-i.org/profiles/basic/1.1/xsd" type="r:swaRef""#;
    let rpc = rpc("soap", body).replace(r#"<message name="in">"#, &types);
    let rpc = rpc.replace(r#"name="b" type="xs:string""#, part);
    assert_eq!(notes(&self::compiled(&rpc)), [note("b")]);
}

/// Returns a contract with two operations in the two forms of rpc.
fn rpc(version: &str, body: &str) -> String {
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
            xmlns:soap="http://schemas.xmlsoap.org/wsdl/{version}/"
            xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
          <message name="in"><part name="a" type="xs:int"/><part name="b" type="xs:string"/>
              </message>
          <message name="out"><part name="result" type="xs:int"/></message>
          <message name="none"/>
          <portType name="P">
            <operation name="add"><input message="t:in"/><output message="t:out"/></operation>
            <operation name="note"><input message="t:none"/></operation>
          </portType>
          <binding name="B" type="t:P">
            <soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="add">
              <soap:operation soapAction="add"/><input>{body}</input><output>{body}</output>
            </operation>
            <operation name="note"><soap:operation/><input>{body}</input></operation>
          </binding>
          <service name="S"><port name="P" binding="t:B"><soap:address location="http://h/"/>
              </port></service>
        </definitions>"#
    )
}

#[test]
fn an_rpc_message_is_a_wrapper_of_unqualified_parts() {
    let literal = compiled(&rpc(
        "soap12",
        r#"<soap:body use="literal" namespace="urn:w"/>"#,
    ));
    assert_eq!(literal.warnings, []);
    assert_eq!(
        described(&literal),
        "add {a: integer, b: string} (a b)\naddResponse {result: integer} (result)\nnote empty\n"
    );
    let [add, note] = &*literal.plan.operations else {
        panic!("two operations");
    };
    assert_eq!((&*add.action, add.version), ("add", SoapVersion::V1_2));
    let names = [&add.request, add.response.as_ref().unwrap()].map(|message| {
        let name = &message.body.as_ref().unwrap().name;
        let namespace = &literal.plan.namespaces[usize::from(name.namespace.0)];
        format!("{{{namespace}}}{}", name.local)
    });
    assert_eq!(names, ["{urn:w}add", "{urn:w}addResponse"]);
    assert_eq!(note.response, None);
    let encoded = compiled(&rpc(
        "soap",
        r#"<soap:body use="encoded" namespace="urn:w"/>"#,
    ));
    let [add, _] = &*encoded.plan.operations else {
        panic!("two operations");
    };
    assert!(add.proxy_only.as_deref().unwrap().contains("rpc/encoded"));
    assert_eq!(&*add.request.body.as_ref().unwrap().name.local, "add");
}

#[test]
fn headers_are_beside_the_body_and_several_parts_only_proxied() {
    let schema = r#"<xs:element name="request" type="xs:int"/>
        <xs:element name="response" type="xs:int"/>
        <xs:element name="token" type="xs:string"/>"#;
    let parts =
        r#"<part name="parameters" element="t:request"/><part name="token" element="t:token"/>"#;
    let several = wsdl(schema).replace(r#"<part name="parameters" element="t:request"/>"#, parts);
    let proxied = compiled(&several);
    let why = proxied.plan.operations[0].proxy_only.as_deref();
    assert_eq!(why, Some("its body has several parts (parameters, token)"));
    let header = r#"<soap:body use="literal"/>
        <soap:header message="t:request" part="token" use="literal"/>"#;
    let compiled = compiled(&several.replacen(r#"<soap:body use="literal"/>"#, header, 1));
    assert_eq!(compiled.warnings, []);
    let operation = &compiled.plan.operations[0];
    assert_eq!(operation.proxy_only, None);
    assert_eq!(&*operation.request.headers[0].part, "token");
    assert_eq!(
        &*operation.request.body.as_ref().unwrap().name.local,
        "request"
    );
}

#[test]
fn the_port_of_soap_1_2_is_preferred_and_the_operator_may_choose() {
    let one = wsdl(
        r#"<xs:element name="request" type="xs:int"/><xs:element name="response" type="xs:int"/>"#,
    );
    let second = r#"<binding name="B2" type="t:P"
        xmlns:s2="http://schemas.xmlsoap.org/wsdl/soap12/">
            <s2:binding transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="call"><s2:operation soapAction=""/>
              <input><s2:body use="literal"/></input><output><s2:body use="literal"/></output>
            </operation></binding>
          <service name="S"><port name="P2" binding="t:B2"/>"#;
    let both = one.replace(r#"<service name="S">"#, second);
    let mut documents = Documents::default();
    documents.add("main.wsdl", both.as_bytes()).unwrap();
    let imported = read(&documents, "main.wsdl").unwrap();
    let chosen = |service: Option<&str>, port: Option<&str>| {
        let choice = Choice {
            service: service.map(str::to_owned),
            port: port.map(str::to_owned),
        };
        compile(&imported, &choice).map(|compiled| (compiled.port, compiled.address))
    };
    assert_eq!(chosen(None, None), Ok(("P2".to_owned(), None)));
    let address = Some("http://localhost/".to_owned());
    assert_eq!(chosen(Some("S"), Some("P")), Ok(("P".to_owned(), address)));
    let unknown = CompileError::UnknownPort("X".to_owned(), Causes::default());
    assert_eq!(chosen(None, Some("X")), Err(unknown));
    let unknown = CompileError::UnknownService("X".to_owned(), Causes::default());
    assert_eq!(chosen(Some("X"), None), Err(unknown));
}

#[test]
fn a_plain_port_is_proposed_before_one_that_requires_more() {
    const REFERENCE: &str = r##"<w:PolicyReference URI="#a"/>"##;
    // What is in the binding of SOAP 1.2, the policy `a`, and the port that is proposed.
    let rows = [
        ("", "", "P2"),
        (r#"<a:UsingAddressing/>"#, "", "P2"),
        (r#"<a:UsingAddressing wsdl:required="true"/>"#, "", "P"),
        ("<w:Policy><a:UsingAddressing/></w:Policy>", "", "P"),
        (
            r#"<w:Policy><a:UsingAddressing w:Optional="true"/></w:Policy>"#,
            "",
            "P2",
        ),
        (REFERENCE, "<p:SymmetricBinding/>", "P"),
        (
            REFERENCE,
            "<w:ExactlyOne><w:All><p:AsymmetricBinding/></w:All></w:ExactlyOne>",
            "P",
        ),
        (
            REFERENCE,
            "<w:ExactlyOne><w:All/><w:All><p:RMAssertion/></w:All></w:ExactlyOne>",
            "P2",
        ),
        (
            REFERENCE,
            "<p:TransportBinding><w:Policy><p:HttpsToken/></w:Policy>\
          </p:TransportBinding><p:Wss11/><p:SignedSupportingTokens><w:Policy><p:UsernameToken>\
          <w:Policy><p:WssUsernameToken10/></w:Policy></p:UsernameToken></w:Policy>\
          </p:SignedSupportingTokens>",
            "P2",
        ),
        (
            REFERENCE,
            "<p:TransportBinding><w:Policy><p:IncludeTimestamp/></w:Policy>\
          </p:TransportBinding>",
            "P",
        ),
        (
            REFERENCE,
            "<p:SupportingTokens><w:Policy><p:X509Token/></w:Policy>\
          </p:SupportingTokens>",
            "P",
        ),
        ("", "<p:SymmetricBinding/>", "P2"),
    ];
    for (bound, policy, expected) in rows {
        let one = wsdl(
            r#"<xs:element name="request" type="xs:int"/>
            <xs:element name="response" type="xs:int"/>"#,
        );
        let second = format!(
            r#"<w:Policy u:Id="a">{policy}</w:Policy><binding name="B2" type="t:P">{bound}
            <s2:binding transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="call"><s2:operation soapAction=""/>
              <input><s2:body use="literal"/></input><output><s2:body use="literal"/></output>
            </operation></binding>
            <service name="S"><port name="P2" binding="t:B2"/>"#
        );
        let prefixes = r#"<definitions xmlns:s2="http://schemas.xmlsoap.org/wsdl/soap12/"
            xmlns:w="http://schemas.xmlsoap.org/ws/2004/09/policy" xmlns:p="urn:assertions"
            xmlns:a="http://www.w3.org/2006/05/addressing/wsdl"
            xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"
            xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd""#;
        let both = one.replace(r#"<service name="S">"#, &second);
        let both = both.replacen("<definitions", prefixes, 1);
        assert_eq!(compiled(&both).port, expected, "{bound} {policy}");
    }
}

#[test]
fn an_overload_has_the_words_of_its_message() {
    let rows = [
        (("findByNameRequest", ""), Some("find-by-name")),
        (("FindByNameSoapIn", ""), Some("find-by-name")),
        (("m", "findByName"), Some("find-by-name")),
        (("call1SoapIn", ""), None),
        (("callRequest2", ""), None),
        (("call", "callIn1"), None),
    ];
    for ((message, name), expected) in rows {
        let one = wsdl(
            r#"<xs:element name="request" type="xs:int"/>
            <xs:element name="response" type="xs:int"/>"#,
        );
        let message_of =
            format!(r#"<message name="{message}"><part name="p" type="xs:int"/></message>"#);
        let input = match name {
            "" => "<input".to_owned(),
            name => format!(r#"<input name="{name}""#),
        };
        let twice = one
            .replace("<portType", &format!("{message_of}<portType"))
            .replace(
                "</portType>",
                &format!(
                    r#"<operation name="call">{input} message="t:{message}"/></operation>
                    </portType>"#
                ),
            )
            .replace(
                "</binding>",
                &format!(
                    r#"<operation name="call"><soap:operation soapAction="b" style="rpc"/>
                    {input}><soap:body use="literal"/></input></operation></binding>"#
                ),
            );
        let plan = compiled(&twice).plan;
        let names: Vec<_> = plan.operations.iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["call", "call_2"]);
        assert_eq!(plan.operations[0].overload, None);
        assert_eq!(
            plan.operations[1].overload.as_deref(),
            expected,
            "{message} {name}"
        );
    }
}

#[test]
fn a_schema_that_grows_without_bound_is_refused() {
    let mut schema = String::from(
        r#"<xs:complexType name="T"><xs:group ref="t:g40"/></xs:complexType>
        <xs:group name="g0"><xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence>
            </xs:group>"#,
    );
    for level in 1..=40 {
        let below = level - 1;
        write!(
            schema,
            r#"<xs:group name="g{level}"><xs:choice><xs:group ref="t:g{below}"/>
                <xs:group ref="t:g{below}" minOccurs="0"/></xs:choice></xs:group>"#
        )
        .unwrap();
    }
    let main = wsdl(&format!(
        r#"<xs:element name="request" type="t:T"/><xs:element name="response" type="t:T"/>{schema}"#
    ));
    let mut documents = Documents::default();
    documents.add("main.wsdl", main.as_bytes()).unwrap();
    let imported = read(&documents, "main.wsdl").unwrap();
    let refused = compile(&imported, &Choice::default()).map(|_| ());
    assert_eq!(refused, Err(CompileError::TooLarge));
}

#[test]
fn a_facet_that_makes_no_sense_is_noted_and_not_enforced() {
    let compiled = with_type(
        r#"<xs:simpleType name="T"><xs:restriction base="xs:int">
             <xs:minInclusive value="0"/><xs:maxInclusive value="many"/>
             <xs:totalDigits value="x"/><xs:pattern value="("/>
           </xs:restriction></xs:simpleType>"#,
    );
    let codes: Vec<&str> = compiled
        .warnings
        .iter()
        .map(|note| note.code.as_str())
        .collect();
    assert_eq!(codes, ["schema.facet", "schema.pattern", "schema.facet"]);
    let body = compiled.plan.operations[0].request.body.as_ref().unwrap();
    let Type::Simple(simple) = &compiled.plan.types[body.ty.0 as usize] else {
        panic!("a simple type");
    };
    let facets = simple.facets.as_deref().unwrap();
    assert_eq!(facets.min_inclusive.as_deref(), Some("0"));
    assert_eq!((&facets.max_inclusive, facets.total_digits), (&None, None));
    assert!(facets.patterns.is_empty());
}

#[test]
fn an_operation_with_a_name_that_is_none_of_xml_can_only_be_proxied() {
    let element = |name: &str| {
        format!(
            r#"<xs:element name="request"><xs:complexType><xs:sequence>
              <xs:element {name} type="xs:int"/></xs:sequence></xs:complexType></xs:element>
              <xs:element name="response"><xs:complexType/></xs:element>"#
        )
    };
    let in_element = |name: &str| compiled_schema(&element(&format!("name=\"{name}\"")));
    let attribute = element("name=\"a\"").replace(
        "</xs:sequence>",
        "</xs:sequence><xs:attribute name='a b' type='xs:int'/>",
    );
    let whole = wsdl(&element("name=\"a\""));
    let body = whole
        .replace("\"request\"><xs", "\"o p\"><xs")
        .replace("t:request\"/></m", "t:o p\"/></m");
    let rows = [
        (in_element("a"), None),
        (in_element("é-1.x"), None),
        (in_element("a b"), Some("\"a b\"")),
        (in_element("x:a"), Some("\"x:a\"")),
        (
            in_element("a&gt;&lt;evil/&gt;&lt;b"),
            Some("\"a><evil/><b\""),
        ),
        (compiled_schema(&element("")), Some("\"\"")),
        (compiled_schema(&attribute), Some("\"a b\"")),
        (compiled(&body), Some("\"o p\"")),
    ];
    for (compiled, wrong) in rows {
        let why = compiled.plan.operations[0].proxy_only.as_deref();
        let expected = wrong.map(|wrong| format!("{wrong} is not a name of XML"));
        let is_expected = match &expected {
            Some(expected) => why.is_some_and(|why| why.ends_with(expected)),
            None => why.is_none(),
        };
        assert!(is_expected, "{why:?}, not {expected:?}");
    }
}
