use serde_json::{Value, json};
use tollgate_xml::{Bounds, decode};

use super::*;
use crate::plan::{
    Complex, Content, Element, Elements, Field, FieldKind, Kind, Name, NamespaceId, Occurs,
    Operation, Particle, Presence, ServicePlan, Simple, Type, TypeId, WhiteSpace,
};
use crate::to_json::{Options, Outcome, Program, Scratch};

fn element(local: &str, ty: u32) -> Element {
    Element {
        name: Name {
            namespace: NamespaceId(1),
            local: local.into(),
        },
        ty: TypeId(ty),
        nillable: false,
        is_abstract: false,
        default: None,
        fixed: None,
    }
}

/// Returns an operation with a fault `OrderNotFound`; its element `orderMissing` has an `id`.
fn plan() -> ServicePlan {
    let string = Simple {
        kind: Kind::String,
        white_space: WhiteSpace::Preserve,
        facets: None,
    };
    let id = Field {
        json: "id".into(),
        kind: FieldKind::Element(element("id", 0)),
        is_array: false,
    };
    let one = Particle::Field(
        0,
        Occurs {
            min: 1,
            max: Some(1),
        },
    );
    let elements = Elements {
        fields: vec![id],
        order: Particle::Sequence(vec![one], Presence::Required),
    };
    let complex = Complex {
        name: None,
        json: "OrderMissing".into(),
        is_abstract: false,
        attributes: Vec::new(),
        any_attribute: false,
        content: Content::Elements(elements),
        derived: Vec::new(),
        is_list: false,
    };
    let fault = |name: &str, local: &str| plan::Fault {
        name: name.into(),
        element: element(local, 1),
    };
    ServicePlan {
        namespaces: vec!["".into(), "urn:t".into()],
        types: vec![Type::Simple(string), Type::Complex(complex)],
        globals: vec![element("hint", 0)],
        operations: vec![Operation {
            name: "get".into(),
            overload: None,
            version: SoapVersion::V1_1,
            action: "".into(),
            request: plan::Message::default(),
            response: Some(plan::Message::default()),
            faults: vec![
                fault("OrderNotFound", "orderMissing"),
                fault("Busy", "busy"),
            ],
            proxy_only: None,
        }],
    }
}

fn problem(version: SoapVersion, fault: &str, options: Options) -> (u16, Value) {
    let text = format!(
        "<e:Envelope xmlns:e='{}' xmlns:t='urn:t'><e:Body><e:Fault>{fault}</e:Fault></e:Body>\
         </e:Envelope>",
        version.envelope_namespace()
    );
    let text = decode(text.as_bytes(), None, Bounds::default()).unwrap();
    let program = Program::load(&plan(), options);
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    match program.answer(0, &text, &(), &mut scratch, &mut out) {
        Ok(Outcome::Fault { status }) => {
            let problem: Value = serde_json::from_slice(&out).unwrap();
            assert_eq!(problem["status"], status);
            (status, problem)
        }
        other => panic!("{other:?}"),
    }
}

// rest.fault.typed_detail
#[test]
fn a_declared_fault_has_its_name_typed_detail_and_the_status_of_its_name() {
    let (status, problem) = problem(
        SoapVersion::V1_1,
        "<faultcode>e:Client</faultcode><faultstring xml:lang='en'>no order &lt;7&gt;</faultstring>\
         <faultactor>urn:a</faultactor><detail><t:orderMissing><t:id>7</t:id></t:orderMissing>\
         </detail>",
        Options::default(),
    );
    assert_eq!(status, 404);
    let expected = json!({
        "type": "urn:tollgate:soap-fault:orderMissing",
        "title": "no order <7>",
        "status": 404,
        "fault": {
            "code": "Client", "actor": "urn:a", "name": "OrderNotFound", "detail": {"id": "7"}
        }
    });
    assert_eq!(problem, expected);
}

// rest.fault.subcodes
#[test]
fn a_fault_of_1_2_has_subcodes_reasons_and_a_role() {
    let (status, problem) = problem(
        SoapVersion::V1_2,
        "<e:Code><e:Value>e:Sender</e:Value><e:Subcode><e:Value>t:a</e:Value><e:Subcode>\
         <e:Value>t:b</e:Value></e:Subcode></e:Subcode></e:Code>\
         <e:Reason><e:Text xml:lang='de'>nein</e:Text><e:Text xml:lang='en-GB'>no</e:Text>\
         </e:Reason><e:Node>urn:n</e:Node><e:Role>urn:r</e:Role>\
         <e:Detail><t:x a='1'/>text<t:hint>h</t:hint></e:Detail>",
        Options::default(),
    );
    assert_eq!(status, 400);
    let expected = json!({
        "type": "urn:tollgate:soap-fault",
        "title": "no",
        "status": 400,
        "fault": {
            "code": "Sender",
            "subcode": "{urn:t}b",
            "role": "urn:r",
            "any": ["<t:x xmlns:t='urn:t' a='1'/>", "text", {"hint": "h"}]
        }
    });
    assert_eq!(problem, expected);
}

// rest.fault.codes
#[test]
fn a_fault_with_the_children_of_the_other_version_is_read_too() {
    // The fault of npm's soap for an unknown operation.
    let (status, problem) = problem(
        SoapVersion::V1_1,
        "<Code><Value>SOAP-ENV:Server</Value><Subcode><Value>InternalServerError</Value></Subcode>\
         </Code><Reason><Text>it broke</Text></Reason>",
        Options::default(),
    );
    let expected = json!({
        "type": "urn:tollgate:soap-fault",
        "title": "it broke",
        "status": 500,
        "fault": { "code": "Server", "subcode": "InternalServerError" }
    });
    assert_eq!((status, problem), (500, expected));
}

#[test]
fn codes_decide_where_no_declared_name_does() {
    let rows = [
        ("e:Client", "Client", 400),
        ("Client.Auth", "Client.Auth", 400),
        ("e:Server", "Server", 500),
        ("undeclared:Server", "Server", 500),
        ("e:MustUnderstand", "MustUnderstand", 502),
        ("e:VersionMismatch", "VersionMismatch", 502),
        ("t:Own", "{urn:t}Own", 500),
        ("", "", 500),
    ];
    for (code, expected, status) in rows {
        let fault = format!("<faultcode>{code}</faultcode><faultstring/>");
        let (got, problem) = problem(SoapVersion::V1_1, &fault, Options::default());
        assert_eq!(
            (got, problem["fault"]["code"].as_str()),
            (status, Some(expected)),
            "{code}"
        );
        assert_eq!(problem["title"], "the service answered with a fault");
    }
}

// rest.fault.chosen_status
#[test]
fn the_publisher_may_choose_the_status_of_a_fault() {
    let fault = "<faultcode>e:Server</faultcode><faultstring>x</faultstring>\
                 <detail><t:busy><t:id>1</t:id></t:busy></detail>";
    assert_eq!(problem(SoapVersion::V1_1, fault, Options::default()).0, 500);
    let chosen = Options {
        fault_statuses: vec![("Busy".into(), 503)],
        ..Options::default()
    };
    assert_eq!(problem(SoapVersion::V1_1, fault, chosen).0, 503);
    let impossible = Options {
        fault_statuses: vec![("Busy".into(), 200)],
        ..Options::default()
    };
    assert_eq!(problem(SoapVersion::V1_1, fault, impossible).0, 500);
}

// rest.fault.names
#[test]
fn the_words_of_a_fault_name_decide_on_its_status() {
    let rows = [
        ("OrderNotFound", Some(404)),
        ("NoSuchBookException", Some(404)),
        ("unknown_customer", Some(404)),
        ("AlreadyExists", Some(409)),
        ("DUPLICATE", Some(409)),
        ("validation-fault", Some(422)),
        ("BadRequest", Some(422)),
        ("AccessDenied", Some(403)),
        ("AuthFault", Some(403)),
        ("AuthorFault", None),
        ("BadgeFault", None),
        ("NotReallyFound", None),
    ];
    for (name, status) in rows {
        assert_eq!(status_of_name(name), status, "{name}");
    }
}

// rest.fault.stack_traces
#[test]
fn stack_traces_are_cut_unless_they_are_kept() {
    let fault = "<faultcode>e:Server</faultcode>\
                 <faultstring>broken\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)</faultstring>\
                 <detail><stackTrace>x</stackTrace><t:x>fine</t:x>\
                 <t:y>java.lang.E: z\n   at a.B.c(B.java:1)</t:y></detail>";
    let cut = problem(SoapVersion::V1_1, fault, Options::default()).1;
    assert_eq!(cut["title"], "broken");
    assert_eq!(
        cut["fault"]["any"],
        json!(["<t:x xmlns:t='urn:t'>fine</t:x>"])
    );
    let keeping = Options {
        keeps_stack_traces: true,
        ..Options::default()
    };
    let kept = problem(SoapVersion::V1_1, fault, keeping).1;
    assert!(kept["title"].as_str().unwrap().contains("B.java:2"));
    assert_eq!(kept["fault"]["any"].as_array().unwrap().len(), 3);
}

// rest.fault.axis
#[test]
fn details_of_axis_are_left_out_with_the_stack_traces() {
    let fault = "<faultcode>e:Server.userException</faultcode><faultstring>broken</faultstring>\
                 <detail><t:x>fine</t:x>\
                 <a:hostname xmlns:a='http://xml.apache.org/axis/'>app-7.internal</a:hostname>\
                 <exceptionName xmlns='http://xml.apache.org/axis/'>shop.Db</exceptionName>\
                 <t:hostname>of the contract</t:hostname></detail>";
    let any = |options| problem(SoapVersion::V1_1, fault, options).1["fault"]["any"].clone();
    let disclosed = json!([
        "<t:x xmlns:t='urn:t'>fine</t:x>",
        "<t:hostname xmlns:t='urn:t'>of the contract</t:hostname>"
    ]);
    assert_eq!(any(Options::default()), disclosed);
    let keeping = Options {
        keeps_stack_traces: true,
        ..Options::default()
    };
    assert_eq!(any(keeping).as_array().unwrap().len(), 4);
}
