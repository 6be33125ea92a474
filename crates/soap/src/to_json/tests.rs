//! Hand-made plans, for cases that the tests by schema (`tests/to_json.rs`) do not cover.

mod lenient;
mod rows;

use serde_json::Value;
use tollgate_xml::decode;

use super::*;
use crate::plan::{
    Attribute, Complex, Content, Element, Elements, Field, FieldKind, Kind, Message, Name,
    NamespaceId, Occurs, Operation, Particle, Presence, ServicePlan, Simple, Type, TypeId,
    WhiteSpace,
};
use crate::version::SoapVersion;

const STRING: TypeId = TypeId(0);
const INT: TypeId = TypeId(1);
const ROOT: TypeId = TypeId(2);

fn simple(kind: Kind, white_space: WhiteSpace) -> Simple {
    Simple {
        kind,
        white_space,
        facets: None,
    }
}

fn int() -> Simple {
    let kind = Kind::Integer {
        min: Some(i32::MIN.into()),
        max: Some(i32::MAX.into()),
    };
    simple(kind, WhiteSpace::Collapse)
}

fn element(local: &str, ty: TypeId) -> Element {
    Element {
        name: Name {
            namespace: NamespaceId(1),
            local: local.into(),
        },
        ty,
        nillable: false,
        is_abstract: false,
        default: None,
        fixed: None,
    }
}

fn field(local: &str, ty: TypeId, is_array: bool) -> Field {
    Field {
        json: local.into(),
        kind: FieldKind::Element(element(local, ty)),
        is_array,
    }
}

fn complex(content: Content) -> Complex {
    Complex {
        name: None,
        json: "Root".into(),
        is_abstract: false,
        attributes: Vec::new(),
        any_attribute: false,
        content,
        derived: Vec::new(),
        is_list: false,
    }
}

fn many(field: u16) -> Particle {
    Particle::Field(field, Occurs { min: 0, max: None })
}

fn one(field: u16) -> Particle {
    Particle::Field(
        field,
        Occurs {
            min: 1,
            max: Some(1),
        },
    )
}

/// Returns a plan with the response `r` of the last type given.
fn plan(types: Vec<Type>) -> ServicePlan {
    let mut all = vec![
        Type::Simple(simple(Kind::String, WhiteSpace::Preserve)),
        Type::Simple(int()),
    ];
    all.extend(types);
    let body = element("r", TypeId(all.len() as u32 - 1));
    ServicePlan {
        namespaces: vec!["".into(), "urn:t".into()],
        types: all,
        globals: Vec::new(),
        operations: vec![Operation {
            name: "get".into(),
            overload: None,
            version: SoapVersion::V1_1,
            action: "".into(),
            request: Message::default(),
            response: Some(Message {
                body: Some(body),
                headers: Vec::new(),
                is_rpc: false,
            }),
            faults: Vec::new(),
            proxy_only: None,
        }],
    }
}

fn answer(plan: &ServicePlan, body: &str, options: Options) -> (Result<Outcome, Error>, String) {
    let text = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' \
         xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><e:Body>{body}</e:Body></e:Envelope>"
    );
    let program = Program::load(plan, options);
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let text = decode(text.as_bytes(), None, Bounds::default()).unwrap();
    let outcome = program.answer(0, &text, &(), &mut scratch, &mut out);
    (outcome, String::from_utf8(out).unwrap())
}

fn json(plan: &ServicePlan, body: &str) -> String {
    let (outcome, json) = answer(plan, body, Options::default());
    assert_eq!(outcome, Ok(Outcome::Json), "{body}");
    serde_json::from_str::<Value>(&json).expect(&json);
    json
}

/// `a*`, `b*`, then `c`.
fn two_arrays() -> ServicePlan {
    let elements = Elements {
        fields: vec![
            field("a", INT, true),
            field("b", STRING, true),
            field("c", STRING, false),
        ],
        order: Particle::Sequence(vec![many(0), many(1), one(2)], Presence::Required),
    };
    plan(vec![Type::Complex(complex(Content::Elements(elements)))])
}

#[test]
fn items_that_come_late_are_put_into_their_array() {
    let plan = two_arrays();
    let rows = [
        ("<c/>", r#"{"c":"","a":[],"b":[]}"#),
        ("<a>1</a><c>x</c>", r#"{"a":[1],"c":"x","b":[]}"#),
        (
            "<a>1</a><a>2</a><b>x</b><c/>",
            r#"{"a":[1,2],"b":["x"],"c":""}"#,
        ),
        (
            "<a>1</a><b>x</b><a>2</a><b>y</b><c/><a>3</a>",
            r#"{"a":[1,2,3],"b":["x","y"],"c":""}"#,
        ),
        (
            "<c/><b>x</b><a>1</a><b>y</b><a>2</a>",
            r#"{"c":"","b":["x","y"],"a":[1,2]}"#,
        ),
    ];
    for (body, expected) in rows {
        let body = format!("<r xmlns='urn:t'>{body}</r>");
        assert_eq!(json(&plan, &body), expected, "{body}");
    }
}

#[test]
fn late_items_may_have_late_items_themselves() {
    let inner = Elements {
        fields: vec![field("a", INT, true), field("b", STRING, true)],
        order: Particle::Sequence(vec![many(0), many(1)], Presence::Required),
    };
    let outer = Elements {
        fields: vec![field("i", ROOT, true), field("n", INT, true)],
        order: Particle::Sequence(vec![many(0), many(1)], Presence::Required),
    };
    let plan = plan(vec![
        Type::Complex(complex(Content::Elements(inner))),
        Type::Complex(complex(Content::Elements(outer))),
    ]);
    let inner = "<i><a>1</a><b>x</b><a>2</a></i>";
    let body = format!("<r xmlns='urn:t'><n>0</n>{inner}<n>1</n>{inner}<n>2</n>{inner}</r>");
    let item = r#"{"a":[1,2],"b":["x"]}"#;
    let expected = format!(r#"{{"n":[0,1,2],"i":[{item},{item},{item}]}}"#);
    assert_eq!(json(&plan, &body), expected);
}

#[test]
fn a_turn_of_a_group_ends_where_its_order_begins_again() {
    let group = |order| {
        let group = Elements {
            fields: vec![
                field("k", STRING, false),
                field("v", INT, false),
                field("w", INT, true),
            ],
            order,
        };
        let group = Field {
            json: "turns".into(),
            kind: FieldKind::Group(group),
            is_array: true,
        };
        let elements = Elements {
            fields: vec![group, field("z", INT, false)],
            order: Particle::Sequence(vec![many(0), one(1)], Presence::Required),
        };
        plan(vec![Type::Complex(complex(Content::Elements(elements)))])
    };
    let optional = |field| {
        Particle::Field(
            field,
            Occurs {
                min: 0,
                max: Some(1),
            },
        )
    };
    let two = Particle::Field(
        2,
        Occurs {
            min: 0,
            max: Some(2),
        },
    );
    let sequence = group(Particle::Sequence(
        vec![one(0), optional(1), two],
        Presence::Required,
    ));
    let choice = group(Particle::Choice(
        vec![one(0), one(1), many(2)],
        Presence::Required,
    ));
    let rows = [
        (&sequence, "<z>1</z>", r#"{"z":1,"turns":[]}"#),
        (
            &sequence,
            "<k>a</k><v>1</v><k>b</k><k>c</k><w>2</w><w>3</w><z>1</z>",
            r#"{"turns":[{"k":"a","v":1,"w":[]},{"k":"b","w":[]},{"k":"c","w":[2,3]}],"z":1}"#,
        ),
        (
            &sequence,
            "<k>a</k><w>2</w><w>3</w><w>4</w><z>1</z>",
            r#"{"turns":[{"k":"a","w":[2,3]},{"w":[4]}],"z":1}"#,
        ),
        (
            &sequence,
            "<k>a</k><unknown/><v>1</v><z>1</z><k>b</k>",
            r#"{"turns":[{"k":"a","v":1,"w":[]},{"k":"b","w":[]}],"z":1}"#,
        ),
        (
            &choice,
            "<k>a</k><v>1</v><k>b</k><w>2</w><w>3</w><z>1</z>",
            r#"{"turns":[{"k":"a"},{"v":1},{"k":"b"},{"w":[2,3]}],"z":1}"#,
        ),
    ];
    for (plan, body, expected) in rows {
        let body = format!("<r xmlns='urn:t'>{body}</r>");
        assert_eq!(json(plan, &body), expected, "{body}");
    }
}

#[test]
fn mismatches_are_counted_or_refused() {
    let mut plan = two_arrays();
    if let Some(Type::Complex(complex)) = plan.types.last_mut() {
        complex.attributes.push(Attribute {
            name: Name {
                namespace: NamespaceId(0),
                local: "n".into(),
            },
            json: "n".into(),
            value: int(),
            required: true,
            default: None,
            fixed: None,
        });
    }
    let rows = [
        (
            "<r n='1'><c/></r>",
            0,
            r#"{"n":1,"c":"","a":[],"b":[]}"#,
            None,
        ),
        (
            "<r n='1'><x><c/></x><c/></r>",
            1,
            r#"{"n":1,"c":"","a":[],"b":[]}"#,
            Some(What::Element),
        ),
        (
            "<r n='1'><c/><c/></r>",
            1,
            r#"{"n":1,"c":"","a":[],"b":[]}"#,
            Some(What::Element),
        ),
        (
            "<r n='1'><c xmlns=''>x</c></r>",
            1,
            r#"{"n":1,"c":"x","a":[],"b":[]}"#,
            Some(What::Name),
        ),
        (
            "<r n='1'><c>x</c><c xmlns=''/></r>",
            1,
            r#"{"n":1,"c":"x","a":[],"b":[]}"#,
            Some(What::Element),
        ),
        (
            "<r n='1' m='2'><c/></r>",
            1,
            r#"{"n":1,"c":"","a":[],"b":[]}"#,
            Some(What::Attribute),
        ),
        (
            "<r n='1'>x<c/></r>",
            1,
            r#"{"n":1,"c":"","a":[],"b":[]}"#,
            Some(What::Text),
        ),
        (
            "<r n='1'><a>x</a><c/></r>",
            1,
            r#"{"n":1,"a":["x"],"c":"","b":[]}"#,
            Some(What::Value),
        ),
        (
            "<r n='1'><a/><c/></r>",
            1,
            r#"{"n":1,"a":[null],"c":"","b":[]}"#,
            Some(What::Value),
        ),
        (
            "<r n='1'><c>a<x/>b</c></r>",
            1,
            r#"{"n":1,"c":"ab","a":[],"b":[]}"#,
            Some(What::Element),
        ),
        (
            "<r n='x'><c/></r>",
            1,
            r#"{"n":"x","c":"","a":[],"b":[]}"#,
            Some(What::Value),
        ),
        (
            "<r><c/></r>",
            1,
            r#"{"c":"","a":[],"b":[]}"#,
            Some(What::Missing),
        ),
        (
            "<r n='1'/>",
            1,
            r#"{"n":1,"a":[],"b":[]}"#,
            Some(What::Missing),
        ),
    ];
    for (body, count, expected, what) in rows {
        let body = body.replacen("<r", "<r xmlns='urn:t'", 1);
        let program = Program::load(&plan, Options::default());
        let text = format!(
            "<Envelope xmlns='http://schemas.xmlsoap.org/soap/envelope/'><Body>{body}</Body>\
             </Envelope>"
        );
        let text = decode(text.as_bytes(), None, Bounds::default()).unwrap();
        let (mut scratch, mut out) = (Scratch::default(), b"kept".to_vec());
        let outcome = program.answer(0, &text, &(), &mut scratch, &mut out);
        assert_eq!(outcome, Ok(Outcome::Json));
        assert_eq!(String::from_utf8_lossy(&out), format!("kept{expected}"));
        let mismatches = scratch.mismatches();
        assert_eq!(
            (mismatches.count, mismatches.first.map(|it| it.what)),
            (count, what),
            "{body}"
        );

        let strict = Options {
            is_strict: true,
            ..Options::default()
        };
        match (answer(&plan, &body, strict), what) {
            ((Ok(_), json), None) => assert_eq!(json, expected),
            ((Err(Error::Mismatch(mismatch)), json), Some(what)) => {
                assert_eq!((mismatch.what, json.as_str()), (what, ""), "{body}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_element_may_not_have_more_children_than_the_bound() {
    let options = Options {
        children_max: 3,
        ..Options::default()
    };
    let body = |count: usize| format!("<r xmlns='urn:t'>{}<c/></r>", "<a>1</a><b/>".repeat(count));
    assert_eq!(
        answer(&two_arrays(), &body(1), options.clone()).0,
        Ok(Outcome::Json)
    );
    assert_eq!(
        answer(&two_arrays(), &body(2), options).0,
        Err(Error::Children)
    );
}

#[test]
fn included_parts_are_base64_where_they_are_referred_to() {
    let base64 = simple(Kind::Base64, WhiteSpace::Collapse);
    let elements = Elements {
        fields: vec![field("data", ROOT, true)],
        order: Particle::Sequence(vec![many(0)], Presence::Required),
    };
    let plan = plan(vec![
        Type::Simple(base64),
        Type::Complex(complex(Content::Elements(elements))),
    ]);
    let message = b"--b\r\nContent-ID: <root>\r\n\r\n\
        <e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'><e:Body><r xmlns='urn:t'>\
        <data><x:Include xmlns:x='http://www.w3.org/2004/08/xop/include' href='cid:a%40b'/></data>\
        <data> Zm9v\n\r\nYmFy </data></r></e:Body></e:Envelope>\
        \r\n--b\r\nContent-ID: <a@b>\r\n\r\n\xff\0\r\n--b--";
    let bounds = crate::multipart::Bounds::default();
    let message = crate::multipart::Multipart::read(message, "b", None, bounds).unwrap();
    let text = decode(&message.root.body, None, Bounds::default()).unwrap();
    let program = Program::load(&plan, Options::default());
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let outcome = program.answer(0, &text, &message, &mut scratch, &mut out);
    assert_eq!(outcome, Ok(Outcome::Json));
    assert_eq!(out, br#"{"data":["/wA=","Zm9vYmFy"]}"#);
    assert_eq!(scratch.mismatches(), Mismatches::default());
    assert_eq!(
        program.answer(0, &text, &(), &mut scratch, &mut out),
        Err(Error::Part)
    );
}

#[test]
fn what_is_lost_beside_an_included_part_is_counted() {
    let plan = plan(vec![
        Type::Simple(simple(Kind::Base64, WhiteSpace::Collapse)),
        Type::Complex(complex(Content::Elements(Elements {
            fields: vec![field("data", ROOT, false)],
            order: Particle::Sequence(vec![one(0)], Presence::Required),
        }))),
    ]);
    let include = "<x:Include xmlns:x='http://www.w3.org/2004/08/xop/include' href='cid:a'/>";
    for (content, count) in [
        ("I", 0),
        (" I\n<!-- c -->", 0),
        ("Zm9vI", 1),
        ("IZm9v", 1),
        ("Zm<!-- c -->9vI", 1),
        ("&#90;I&#90;", 2),
        ("II", 1),
        ("I<b/>I", 2),
        ("O\n Z<b/></x:Include>", 2),
    ] {
        let open = include.replace("/>", ">");
        let content = match content.strip_prefix('O') {
            Some(rest) => open + rest,
            None => content.replace('I', include),
        };
        let message = format!(
            "--b\r\n\r\n<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
             <r xmlns='urn:t'><data>{content}</data></r></e:Body></e:Envelope>\
             \r\n--b\r\nContent-ID: <a>\r\n\r\nabc\r\n--b--"
        );
        let bounds = crate::multipart::Bounds::default();
        let message =
            crate::multipart::Multipart::read(message.as_bytes(), "b", None, bounds).unwrap();
        let text = decode(&message.root.body, None, Bounds::default()).unwrap();
        let program = Program::load(&plan, Options::default());
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        let outcome = program.answer(0, &text, &message, &mut scratch, &mut out);
        assert_eq!(outcome, Ok(Outcome::Json));
        assert_eq!(out, br#"{"data":"YWJj"}"#);
        assert_eq!(scratch.mismatches().count, count, "{content}");
    }
}

#[test]
fn an_answer_of_another_operation_or_none_is_distinguished() {
    let mut plan = two_arrays();
    let get = |plan: &ServicePlan, body: &str| answer(plan, body, Options::default()).0;
    let reason = |plan: &ServicePlan, body: &str| get(plan, body).unwrap_err().to_string();
    // Its name in another namespace cannot be any other element.
    assert_eq!(get(&plan, "<r/>"), Ok(Outcome::Json));
    assert_eq!(
        reason(&plan, "<q xmlns='urn:t'/>"),
        "its body has `q` in \"urn:t\" in place of `r` in \"urn:t\""
    );
    assert_eq!(get(&plan, ""), Err(Error::NoElement));
    assert_eq!(get(&plan, "<e:Fault/>"), Ok(Outcome::Fault { status: 500 }));
    let children = Err(Error::Envelope(envelope::Error::Children));
    assert_eq!(get(&plan, "<r xmlns='urn:t'><c/></r><r/>"), children);

    plan.operations[0].response = None;
    assert_eq!(get(&plan, ""), Ok(Outcome::Empty));
    assert_eq!(get(&plan, "<e:Fault/>"), Ok(Outcome::Fault { status: 500 }));
    assert_eq!(
        reason(&plan, "<r/>"),
        "its body has `r` in no namespace, and the operation has no response"
    );
    plan.operations[0].response = Some(Message::default());
    assert_eq!(get(&plan, ""), Ok(Outcome::Empty));

    let void = plan_of_void();
    assert_eq!(
        answer(&void, "<r xmlns='urn:t'/>", Options::default()),
        (Ok(Outcome::Empty), String::new(),)
    );
}

#[test]
fn the_response_of_a_void_operation_may_lack_its_wrapper_and_is_counted() {
    let void = plan_of_void();
    let program = Program::load(&void, Options::default());
    let text = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body/>\
                </e:Envelope>";
    let text = decode(text.as_bytes(), None, Bounds::default()).unwrap();
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let outcome = program.answer(0, &text, &(), &mut scratch, &mut out);
    assert_eq!((outcome, out.len()), (Ok(Outcome::Empty), 0));
    assert_eq!(scratch.mismatches().count, 1);
    let strict = Options {
        is_strict: true,
        ..Options::default()
    };
    let missing = |error: &Error| matches!(error, Error::Mismatch(it) if it.what == What::Missing);
    assert!(
        answer(&void, "", strict)
            .0
            .is_err_and(|error| missing(&error))
    );
}

#[test]
fn only_a_one_way_call_succeeds_despite_its_response_unless_it_is_a_fault() {
    let mut plan = two_arrays();
    let succeeds = |plan: &ServicePlan, body: &str, is_strict: bool| {
        let options = Options {
            is_strict,
            ..Options::default()
        };
        let error = answer(plan, body, options.clone()).0.unwrap_err();
        let program = Program::load(plan, options);
        program.succeeds_despite(0, &crate::message::Error::Answer(error))
    };
    let (other, broken) = ("<q xmlns='urn:t'/>", "<e:Fault><p:x/></e:Fault>");
    assert!(!succeeds(&plan, other, false));
    plan.operations[0].response = None;
    assert!(succeeds(&plan, other, false));
    assert!(succeeds(&plan, "text", false));
    assert!(!succeeds(&plan, other, true));
    assert!(!succeeds(&plan, broken, false));
    let and_more = "<e:Fault><faultcode>e:Server</faultcode></e:Fault><q/>";
    assert!(!succeeds(&plan, and_more, false));
}

fn plan_of_void() -> ServicePlan {
    plan(vec![Type::Complex(complex(Content::Empty))])
}
