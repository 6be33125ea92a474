use super::name::QName;
use super::{DocumentError, Documents, ImportError, Imported, Limits, read};
use crate::compile::{Choice, Compiled, compile};
use crate::plan::{Content, Type};
use crate::testing::wsdl;

const SCHEMA: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema""#;

fn documents(files: &[(&str, &str)]) -> Documents {
    let mut documents = Documents::default();
    for (path, text) in files {
        documents.add(path, text.as_bytes()).unwrap();
    }
    documents
}

fn imported(files: &[(&str, &str)]) -> Imported {
    read(&documents(files), files[0].0).unwrap()
}

fn compiled(imported: &Imported) -> Compiled {
    compile(imported, &Choice::default()).unwrap()
}

/// Returns the names of the elements of the type with this name.
fn fields(compiled: &Compiled, called: &str) -> Vec<String> {
    let types = compiled.plan.types.iter().filter_map(|ty| match ty {
        Type::Complex(complex) if &*complex.json == called => Some(&complex.content),
        _ => None,
    });
    let [Content::Elements(elements)] = types.collect::<Vec<_>>()[..] else {
        panic!("{called} is not one type with elements");
    };
    elements
        .fields
        .iter()
        .map(|field| field.json.to_string())
        .collect()
}

fn codes(imported: &Imported) -> Vec<(&str, &str, u32)> {
    let notes = imported.report.notes.iter();
    notes
        .map(|note| (note.code.as_str(), note.document.as_str(), note.line))
        .collect()
}

#[test]
fn missing_documents_are_reported_until_added_and_redirects_move_the_base() {
    let main = wsdl(
        r#"<xs:import namespace="urn:a" schemaLocation="types/a.xsd"/>
           <xs:import namespace="http://www.w3.org/XML/1998/namespace"
               schemaLocation="http://www.w3.org/2001/xml.xsd"/>
           <xs:import namespace="urn:none"/>"#,
    );
    let mut documents = Documents::default();
    let missing = |documents: &Documents| {
        let missing = documents.missing("http://h/s/main.wsdl").into_iter();
        missing.map(|missing| missing.uri).collect::<Vec<_>>()
    };
    documents
        .add("http://h/s/main.wsdl", main.as_bytes())
        .unwrap();
    assert_eq!(missing(&documents), ["http://h/s/types/a.xsd"]);
    let a = format!(
        r#"{SCHEMA} targetNamespace="urn:a"><xs:include schemaLocation="b.xsd"/></xs:schema>"#
    );
    documents
        .add_fetched(
            "http://h/s/types/a.xsd",
            "http://elsewhere/x/a.xsd",
            None,
            a.as_bytes(),
        )
        .unwrap();
    assert_eq!(missing(&documents), ["http://elsewhere/x/b.xsd"]);
    let found = read(&documents, "http://h/s/main.wsdl").unwrap();
    let expected = ("wsdl.missing", "http://elsewhere/x/a.xsd", 1);
    assert!(codes(&found).contains(&expected), "{:?}", codes(&found));
    let b = format!("{SCHEMA}/>");
    documents
        .add("http://elsewhere/x/b.xsd", b.as_bytes())
        .unwrap();
    assert!(missing(&documents).is_empty());
    assert_eq!(documents.mains(), ["http://h/s/main.wsdl"]);
    let uris: Vec<&str> = documents
        .reached("http://h/s/main.wsdl")
        .iter()
        .map(|found| found.uri.as_str())
        .collect();
    assert_eq!(
        uris,
        [
            "http://h/s/main.wsdl",
            "http://elsewhere/x/a.xsd",
            "http://elsewhere/x/b.xsd"
        ]
    );
    let reference = &documents.find("http://h/s/types/a.xsd").unwrap().references[0];
    assert_eq!(&a[reference.span.clone()], "b.xsd");
}

#[test]
fn a_set_of_files_is_read_with_its_circles_and_chameleons() {
    let main = wsdl(
        r#"<xs:include schemaLocation="sub/own.xsd"/>
           <xs:import namespace="urn:o" schemaLocation="sub/other.xsd"/>
           <xs:element name="request" type="t:T"/>
           <xs:element name="response" type="o:T" xmlns:o="urn:o"/>"#,
    );
    // Without a namespace of its own it gets that of each schema that includes it.
    let chameleon = format!(
        r#"{SCHEMA} elementFormDefault="qualified"><xs:include schemaLocation="own.xsd"/>
           <xs:complexType name="T"><xs:sequence>
             <xs:element name="c" type="Part"/><xs:element name="d" type="Part"/>
           </xs:sequence></xs:complexType>
           <xs:simpleType name="Part"><xs:restriction base="xs:string"/></xs:simpleType>
               </xs:schema>"#
    );
    let other = format!(
        r#"{SCHEMA} targetNamespace="urn:o"><xs:include schemaLocation="own.xsd"/>
           <xs:import namespace="urn:t" schemaLocation="../main.wsdl"/>
           <xs:import namespace="urn:o" schemaLocation="./other.xsd"/></xs:schema>"#
    );
    let found = imported(&[
        ("main.wsdl", &main),
        ("sub/own.xsd", &chameleon),
        ("sub/other.xsd", &other),
    ]);
    let compiled = compiled(&found);
    assert_eq!(
        compiled.plan.operations[0].proxy_only, None,
        "{:?}",
        compiled.warnings
    );
    assert_eq!(fields(&compiled, "{urn:t}T"), ["c", "d"]);
    assert_eq!(fields(&compiled, "{urn:o}T"), ["c", "d"]);
    let names: Vec<&str> = compiled
        .plan
        .namespaces
        .iter()
        .map(|name| &**name)
        .collect();
    assert_eq!(names, ["", "urn:t", "urn:o"]);
}

#[test]
fn a_redefinition_has_what_it_redefines_as_its_base() {
    let main = wsdl(
        r#"<xs:redefine schemaLocation="base.xsd">
             <xs:complexType name="T"><xs:complexContent><xs:extension base="t:T">
               <xs:sequence><xs:element name="more" type="xs:int"/></xs:sequence>
             </xs:extension></xs:complexContent></xs:complexType>
             <xs:group name="g"><xs:sequence>
               <xs:group ref="t:g"/><xs:element name="after" type="xs:int"/>
             </xs:sequence></xs:group>
           </xs:redefine>
           <xs:element name="request" type="t:T"/>
           <xs:element name="response"><xs:complexType><xs:group ref="t:g"/></xs:complexType>
               </xs:element>"#,
    );
    let base = format!(
        r#"{SCHEMA} targetNamespace="urn:t"><xs:include schemaLocation="inner.xsd"/>
           <xs:group name="g"><xs:sequence><xs:element name="before" type="xs:int"/>
               </xs:sequence></xs:group>
           </xs:schema>"#
    );
    let inner = format!(
        r#"{SCHEMA} targetNamespace="urn:t"><xs:complexType name="T"><xs:sequence>
             <xs:element name="first" type="xs:int"/></xs:sequence></xs:complexType></xs:schema>"#
    );
    let found = imported(&[
        ("main.wsdl", &main),
        ("base.xsd", &base),
        ("inner.xsd", &inner),
    ]);
    assert_eq!(found.report.notes, []);
    let compiled = compiled(&found);
    assert_eq!(fields(&compiled, "T"), ["first", "more"]);
    assert_eq!(fields(&compiled, "response"), ["before", "after"]);
}

#[test]
fn encodings_are_read_and_others_refused() {
    let text = |encoding: &str| {
        format!(
            "<?xml version='1.0' encoding='{encoding}'?>{}",
            wsdl(
                r#"<xs:element name="request"><xs:annotation>
                    <xs:documentation>é</xs:documentation></xs:annotation></xs:element>"#
            )
        )
    };
    let e_acute = |replacement: &[u8], encoding: &str| {
        let text = text(encoding);
        let (before, after) = text.split_once('é').unwrap();
        [before.as_bytes(), replacement, after.as_bytes()].concat()
    };
    let utf_16: Vec<u8> = text("UTF-16")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let marked: Vec<u8> = [&[0xFF, 0xFE], utf_16.as_slice()].concat();
    let rows = [
        (e_acute(&[0xE9], "ISO-8859-1"), None),
        (e_acute(&[0xE9], "windows-1252"), None),
        (e_acute("é".as_bytes(), "UTF-8"), None),
        (e_acute(&[0xE9], "UTF-8"), Some("iso-8859-15")),
        (e_acute(&[0xA8, 0xA6], "GB2312"), None),
        (e_acute(&[0x8F, 0xAB, 0xB1], "euc-jp"), None),
        (e_acute("é".as_bytes(), "us-ascii"), None),
        (utf_16, None),
        (marked, None),
    ];
    for (bytes, charset) in rows {
        let mut documents = Documents::default();
        documents.add_fetched("m", "m", charset, &bytes).unwrap();
        let found = read(&documents, "m").unwrap();
        let element = found
            .schema
            .elements
            .exact(&QName::new("urn:t", "request"))
            .unwrap();
        assert_eq!(element.documentation.as_deref(), Some("é"));
    }
    for (bytes, reason) in [
        (
            e_acute(&[0xE9], "UTF-8"),
            "the bytes do not match the encoding \"UTF-8\"",
        ),
        (
            e_acute(b"e", "x-unknown"),
            "the encoding \"x-unknown\" is not supported",
        ),
    ] {
        let refused = Documents::default().add("m", &bytes).unwrap_err();
        assert_eq!(
            (refused.code(), &*refused.to_string()),
            ("wsdl.encoding", reason)
        );
    }
    let mut documents = Documents::default();
    let gb2312 = include_bytes!("../../tests/cases/gb2312.wsdl");
    documents.add("m", gb2312).unwrap();
    let text = &documents.find("m").unwrap().text;
    assert!(text.contains("<documentation>中文</documentation>"));
}

#[test]
fn hostile_documents_are_refused_at_the_door() {
    let deep = format!("{}{}", "<a>".repeat(20_000), "</a>".repeat(20_000));
    let attributes: String = (0..10_000).map(|at| format!(" a{at}=''")).collect();
    let namespaces: String = (0..500).map(|at| format!(" xmlns:a{at}='u'")).collect();
    let nested = format!("<a{namespaces}><b{namespaces}><c{namespaces}/></b></a>");
    let rows = [
        (deep, "wsdl.depth"),
        (format!("<a{attributes}/>"), "wsdl.attributes"),
        (nested, "wsdl.namespaces"),
        ("<a>".to_owned(), "wsdl.malformed"),
        ("<a>&unknown;</a>".to_owned(), "wsdl.malformed"),
        ("<a/><a/>".to_owned(), "wsdl.malformed"),
        ("<a/>".to_owned(), "wsdl.root"),
        (
            "<description xmlns='http://www.w3.org/ns/wsdl'/>".to_owned(),
            "wsdl.version",
        ),
        (String::new(), "wsdl.malformed"),
    ];
    for (text, code) in rows {
        let refused = Documents::default().add("m", text.as_bytes()).unwrap_err();
        let start: String = text.chars().take(60).collect();
        assert_eq!(refused.code(), code, "{start}: {refused}");
    }
}

const MAIN: &str = include_str!("../../tests/cases/doctype.wsdl");
const COPY: &str = include_str!("../../tests/cases/xmldsig-core-schema.xsd");

#[test]
fn built_in_schemas_take_the_place_of_copies_that_have_a_doctype() {
    let imports = "<wsdl:import xmlns:wsdl='http://schemas.xmlsoap.org/wsdl/' \
        namespace='http://www.w3.org/2000/09/xmldsig#' location='xmldsig-core-schema.xsd'/>";
    let none = "<xs:import namespace=\"http://www.w3.org/2000/09/xmldsig#\" \
        schemaLocation=\"xmldsig-core-schema.xsd\"/>";
    let as_wsdl = MAIN
        .replace(none, "")
        .replace("<types>", &format!("{imports}<types>"));
    let included = format!(
        r#"<types>{SCHEMA} targetNamespace="http://www.w3.org/2000/09/xmldsig#">
           <xs:include schemaLocation="xmldsig-core-schema.xsd"/></xs:schema>"#
    );
    let included = MAIN.replace(none, "").replace("<types>", &included);
    for main in [MAIN, &as_wsdl, &included] {
        let set = documents(&[("main.wsdl", main), ("xmldsig-core-schema.xsd", COPY)]);
        let uris = set.reached("main.wsdl").into_iter();
        assert_eq!(uris.map(|it| &it.uri).collect::<Vec<_>>(), ["main.wsdl"]);
        let found = read(&set, "main.wsdl").unwrap();
        assert_eq!(found.report.notes, []);
        let compiled = compiled(&found);
        assert_eq!(compiled.plan.operations[0].proxy_only, None);
        // The copy has one of these.
        let signature = fields(&compiled, "SignatureType");
        let expected = ["SignedInfo", "SignatureValue", "KeyInfo", "Object"];
        assert_eq!(signature, expected);
    }
}

#[test]
fn a_document_with_a_doctype_is_not_read_and_leaves_a_proxy() {
    let main = wsdl(
        r#"<xs:element name="request" type="xs:int"/>
           <xs:element name="response" type="xs:int"/>

           <xs:include schemaLocation="common.xsd"/>"#,
    );
    let doctype = "<!DOCTYPE s [<!ENTITY a 'xs:int'><!ENTITY b SYSTEM 'file:///etc/passwd'>]>";
    let common = format!(
        r#"{doctype}{SCHEMA} targetNamespace="urn:t"><xs:include schemaLocation="gone.xsd"/>
           <xs:element name="a" type="&a;"><xs:annotation><xs:documentation>&b;</xs:documentation>
           </xs:annotation></xs:element></xs:schema>"#
    );
    let own = ("main.wsdl", &*main);
    let other = format!("{doctype}<schema/>");
    let found = imported(&[own, ("common.xsd", &common), ("other.xsd", &other)]);
    let line = main[..main.find("common.xsd").unwrap()].lines().count();
    let line = u32::try_from(line).unwrap();
    assert_eq!(codes(&found), [("wsdl.doctype", "main.wsdl", line)]);
    assert_eq!(found.report.documents.len(), 1);
    assert!(
        found
            .schema
            .elements
            .exact(&QName::new("urn:t", "a"))
            .is_none()
    );
    let compiled = compiled(&found);
    let operation = &compiled.plan.operations[0];
    let why = operation.proxy_only.as_deref().unwrap();
    assert_eq!(why, "common.xsd has a DOCTYPE and is not read");
    assert_eq!(
        &*operation.request.body.as_ref().unwrap().name.local,
        "request"
    );
    // What has ports or may be the main one.
    let bare = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/">
        <import location="main.wsdl"/></definitions>"#;
    let whole = format!("{doctype}{main}");
    let rows = [
        ("main.wsdl", [own, ("main.wsdl", "")], None),
        (
            "main.wsdl",
            [("main.wsdl", &*whole), own],
            Some("main.wsdl"),
        ),
        ("bare.wsdl", [("bare.wsdl", bare), own], None),
        (
            "bare.wsdl",
            [("bare.wsdl", bare), ("main.wsdl", &whole)],
            None,
        ),
    ];
    for (main, files, refused) in rows {
        let read = read(&documents(&files), main).map(|_| ());
        let refused = refused.map(|uri| ImportError::Doctype(uri.to_owned()));
        assert_eq!(read.err(), refused);
    }
    let found = imported(&[("bare.wsdl", bare), ("main.wsdl", &whole)]);
    let refused = compile(&found, &Choice::default()).unwrap_err().to_string();
    assert!(refused.contains("main.wsdl has a DOCTYPE"), "{refused}");
    // A page of a server is no part of a contract.
    let page = "<!DOCTYPE html><html lang=en><p>Log in";
    let page = Documents::default().add("a.xsd", page.as_bytes());
    assert_eq!(page, Err(DocumentError::Root("html".to_owned())));
}

#[test]
fn a_set_is_held_to_its_bounds() {
    let limits = Limits {
        documents_max: 2,
        bytes_max: 1_000,
        elements_max: 10,
        components_max: 3,
        ..Limits::default()
    };
    let mut documents = Documents::new(limits);
    let schema = |elements: usize| {
        format!(
            "{SCHEMA}>{}</xs:schema>",
            r#"<xs:element name="a"/>"#.repeat(elements)
        )
    };
    let elements = documents.add("a", schema(10).as_bytes());
    assert_eq!(elements, Err(DocumentError::TooManyElements(10)));
    let bytes = documents.add("a", " ".repeat(1_001).as_bytes());
    assert_eq!(bytes, Err(DocumentError::TooLarge(1_000)));
    let main = format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><types>{}</types></definitions>"#,
        schema(4)
    );
    documents.add("a", main.as_bytes()).unwrap();
    documents.add("b", schema(1).as_bytes()).unwrap();
    assert_eq!(
        documents.add("c", schema(1).as_bytes()),
        Err(DocumentError::TooMany(2))
    );
    assert_eq!(
        read(&documents, "a").map(|_| ()),
        Err(ImportError::TooManyComponents(3))
    );
    assert_eq!(
        read(&documents, "b").map(|_| ()),
        Err(ImportError::NotWsdl("b".to_owned()))
    );
    assert_eq!(
        read(&documents, "x").map(|_| ()),
        Err(ImportError::NoMain("x".to_owned()))
    );
}

#[test]
fn parts_that_are_not_understood_are_noted_with_their_line() {
    let main = wsdl(
        r#"
           <xs:element name="request" type="xs:int"><xs:key name="k"/></xs:element>
           <xs:element name="request"/>
           <xs:element name="response" type="xs:int" minOccurs="x"><x:y xmlns:x="urn:x"/>
               </xs:element>"#,
    )
    .replace(
        "<portType",
        "<p:Policy xmlns:p='urn:p' xmlns:w='http://schemas.xmlsoap.org/wsdl/'
        w:required='true'/><portType",
    );
    let found = imported(&[("main.wsdl", &main)]);
    let line = |needle: &str| {
        let at = main.find(needle).unwrap();
        u32::try_from(main[..at].matches('\n').count() + 1).unwrap()
    };
    assert_eq!(
        codes(&found),
        [
            ("wsdl.required_extension", "main.wsdl", line("<p:Policy")),
            ("schema.identity", "main.wsdl", line("<xs:key")),
            ("schema.twice", "main.wsdl", line("<xs:key") + 1),
            ("schema.extension", "main.wsdl", line("<x:y")),
        ]
    );
}

#[test]
fn missing_documents_are_noted_with_their_lines_and_a_set_has_its_main() {
    let main = wsdl("");
    let main = main.replace(
        "<types>",
        "<import location='common.wsdl'/>\n<import location='gone.wsdl'/>\n\n<types>",
    );
    let common = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/">
        <import location="main.wsdl"/></definitions>"#;
    let lone = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>"#;
    let set = documents(&[("main.wsdl", &main), ("lone.wsdl", lone)]);
    assert_eq!(set.mains(), ["main.wsdl", "lone.wsdl"]);
    let missing = set.missing("main.wsdl").into_iter();
    let lines: Vec<(String, u32)> = missing.map(|missing| (missing.uri, missing.line)).collect();
    let line = |needle: &str| {
        let at = main.find(needle).unwrap();
        u32::try_from(main[..at].matches('\n').count() + 1).unwrap()
    };
    let expected = ["common.wsdl", "gone.wsdl"].map(|uri| (uri.to_owned(), line(uri)));
    assert_eq!(lines, expected);
    // In a circle every document is referred to by another.
    let circle = documents(&[("main.wsdl", &main), ("common.wsdl", common)]);
    assert_eq!(circle.mains(), Vec::<&str>::new());
}
