use tollgate_xml::{Bounds, decode};

use super::*;
use crate::compile::{Choice, compile};
use crate::import::{Documents, read};
use crate::testing::{compiled, wsdl};
use crate::to_json::{self, Options, Outcome};
use crate::to_xml::{Program, Request, Scratch, Settings};

const CONTRACT: &str = r#"<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t" targetNamespace="urn:t">
  <wsdl:types>
    <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"
        elementFormDefault="qualified">
      <xs:complexType name="Lines">
        <xs:sequence>
          <xs:element name="line" type="t:Line" nillable="true" minOccurs="0"
              maxOccurs="unbounded"/>
        </xs:sequence>
      </xs:complexType>
      <xs:complexType name="Line">
        <xs:sequence>
          <xs:element name="note" type="xs:string" minOccurs="0"/>
          <xs:element name="more" type="t:Lines" nillable="true" minOccurs="0"/>
        </xs:sequence>
        <xs:attribute name="number" type="xs:int"/>
        <xs:attribute name="type" type="xs:string"/>
        <xs:attribute name="note" type="xs:string"/>
      </xs:complexType>
      <xs:element name="echo">
        <xs:complexType><xs:sequence>
          <xs:element name="lines" type="t:Lines" maxOccurs="2"/>
        </xs:sequence></xs:complexType>
      </xs:element>
    </xs:schema>
  </wsdl:types>
  <wsdl:message name="Echo"><wsdl:part name="body" element="t:echo"/></wsdl:message>
  <wsdl:portType name="Port"><wsdl:operation name="echo">
    <wsdl:input message="t:Echo"/><wsdl:output message="t:Echo"/>
  </wsdl:operation></wsdl:portType>
  <wsdl:binding name="Binding" type="t:Port">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="echo">
      <soap:operation soapAction=""/>
      <wsdl:input><soap:body use="literal"/></wsdl:input>
      <wsdl:output><soap:body use="literal"/></wsdl:output>
    </wsdl:operation>
  </wsdl:binding>
  <wsdl:service name="Service"><wsdl:port name="Port" binding="t:Binding">
    <soap:address location="http://localhost/"/>
  </wsdl:port></wsdl:service>
</wsdl:definitions>"#;

fn plan(shape: Shape) -> ServicePlan {
    let mut documents = Documents::default();
    documents.add("a.wsdl", CONTRACT.as_bytes()).unwrap();
    let imported = read(&documents, "a.wsdl").unwrap();
    let mut plan = compile(&imported, &Choice::default()).unwrap().plan;
    shape.apply(&mut plan);
    plan
}

/// Returns the XML of the body's child, or the violations.
fn to_xml(plan: &ServicePlan, json: &str) -> Result<String, Vec<String>> {
    let program = Program::load(plan, &Settings::default()).unwrap();
    let request = Request {
        body: Some(json.as_bytes()),
        ..Request::default()
    };
    let mut out = Vec::new();
    match program.write(0, &request, &mut Scratch::default(), &mut out) {
        Ok(()) => Ok(String::from_utf8(out).unwrap()),
        Err(violations) => Err(violations
            .iter()
            .map(|of| format!("{} {}", of.pointer, of.sentence))
            .collect()),
    }
}

fn to_json(plan: &ServicePlan, xml: &str) -> (String, u32) {
    let program = to_json::Program::load(plan, Options::default());
    let text = decode(xml.as_bytes(), None, Bounds::default()).unwrap();
    let (mut scratch, mut out) = (to_json::Scratch::default(), Vec::new());
    let outcome = program.answer(0, &text, &(), &mut scratch, &mut out);
    assert_eq!(outcome, Ok(Outcome::Json));
    (String::from_utf8(out).unwrap(), scratch.mismatches().count)
}

// rest.option.marks_attributes
#[test]
fn all_attributes_are_marked_where_the_publisher_wants_it() {
    let plan = plan(Shape {
        marks_attributes: true,
        ..Shape::default()
    });
    let json = r#"{"lines":[{"line":[{"@number":7,"@type_2":"x","@note":"a","note":"b"}]}]}"#;
    let xml = to_xml(&plan, json).unwrap();
    let line = r#"<n1:line number="7" type="x" note="a"><n1:note>b</n1:note></n1:line>"#;
    assert!(xml.contains(line), "{xml}");
    assert_eq!(to_json(&plan, &xml), (json.into(), 0));
}

// rest.option.collapses_arrays
#[test]
fn an_element_around_a_repeated_one_is_an_array_where_the_publisher_wants_it() {
    let plan = plan(Shape {
        collapses_arrays: true,
        ..Shape::default()
    });
    // The message itself stays an object.
    let json =
        r#"{"lines":[[{"number":1,"more":[{"note":"x"},null]},{"more":[]},{"more":null}],[]]}"#;
    let xml = to_xml(&plan, json).unwrap();
    let lines = concat!(
        r#"<n1:lines><n1:line number="1"><n1:more><n1:line><n1:note>x</n1:note></n1:line>"#,
        r#"<n1:line xsi:nil="true"/></n1:more></n1:line><n1:line><n1:more></n1:more></n1:line>"#,
        r#"<n1:line><n1:more xsi:nil="true"/></n1:line></n1:lines><n1:lines></n1:lines>"#,
    );
    assert!(xml.contains(lines), "{xml}");
    assert_eq!(to_json(&plan, &xml), (json.into(), 0));
    // Parameters create objects along their paths.
    let object = to_xml(&plan, r#"{"lines":[{"line":[{"number":1}]}]}"#).unwrap();
    assert!(
        object.contains(r#"<n1:line number="1"></n1:line>"#),
        "{object}"
    );
    assert_eq!(
        to_xml(&plan, r#"{"lines":["x",[{"more":"y"}]]}"#),
        Err(vec![
            "/lines/0 must be an array".into(),
            "/lines/1/0/more must be an array".into(),
        ])
    );
}

#[test]
fn unknown_content_of_a_list_is_left_out() {
    let plan = plan(Shape {
        collapses_arrays: true,
        ..Shape::default()
    });
    let (json, mismatches) = to_json(
        &plan,
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
         <echo xmlns='urn:t'><lines new='1'><other/><line/> x <other/><line/></lines></echo>\
         </e:Body></e:Envelope>",
    );
    assert_eq!((&*json, mismatches), (r#"{"lines":[[{},{}]]}"#, 4));
}

const ANY: &str = include_str!("../../../tests/cases/any-type.wsdl");
const ANY_ANSWER: &str = include_str!("../../../tests/cases/any-type-answer.xml");
const ANY_FAULT: &str = include_str!("../../../tests/cases/any-type-fault.xml");
const DATASET: &str = include_str!("../../../tests/cases/dataset.wsdl");
const DATASET_ANSWER: &str = include_str!("../../../tests/cases/dataset-answer.xml");

fn any_plan(wsdl: &str, opens_mixed: bool) -> ServicePlan {
    let mut plan = compiled(wsdl).plan;
    let shape = Shape {
        opens_mixed,
        ..Shape::default()
    };
    shape.apply(&mut plan);
    plan
}

/// Reads an answer strictly; returns the outcome, the JSON and the mismatches.
fn read_strictly(plan: &ServicePlan, xml: &str) -> (Result<Outcome, String>, String, u32) {
    let options = Options {
        is_strict: true,
        ..Options::default()
    };
    let program = to_json::Program::load(plan, options);
    let text = decode(xml.as_bytes(), None, Bounds::default()).unwrap();
    let (mut scratch, mut out) = (to_json::Scratch::default(), Vec::new());
    let outcome = program.answer(0, &text, &(), &mut scratch, &mut out);
    let outcome = outcome.map_err(|error| error.to_string());
    let json = String::from_utf8(out).unwrap();
    (outcome, json, scratch.mismatches().count)
}

// rest.option.any_members
#[test]
fn attributes_of_any_content_are_members_where_the_publisher_wants_it() {
    let json = concat!(
        r#"{"row":[{"{}id":"7","{}kind":"x","value":"<c xmlns='urn:t'>1</c>"}],"#,
        r#""untyped":{"{}code":"E1","value":"t"},"p":{"{}lang":"de","value":"m"},"#,
        r#""any":[{"F":{"{}code":"E2","value":""}}]}"#,
    );
    let fault = concat!(
        r#"{"type":"urn:tollgate:soap-fault:F","title":"x","status":500,"fault":{"#,
        r#""code":"Server","name":"F","#,
        r#""detail":{"{}code":"E42","value":"<m xmlns='urn:t'>n</m>"}}}"#,
    );
    // The wildcard of a DataSet is strict, so the diffgram itself is an unknown element.
    let dataset = concat!(
        r#"{"opResult":{"schema":{"{}id":"NewDataSet","{}targetNamespace":"urn:ds","#,
        r#""value":"<xs:element xmlns:xs='http://www.w3.org/2001/XMLSchema' name=\"a\"/>"},"#,
        r#""any":["<d:diffgram xmlns:d=\"urn:schemas-microsoft-com:xml-diffgram-v1\"/>"]}}"#,
    );
    let plan = any_plan(ANY, true);
    for (answer, outcome, json) in [
        (ANY_ANSWER, Outcome::Json, json),
        (ANY_FAULT, Outcome::Fault { status: 500 }, fault),
    ] {
        let (found, found_json, count) = read_strictly(&plan, answer);
        assert_eq!((found, &*found_json, count), (Ok(outcome), json, 0));
    }
    let found = to_json(&any_plan(DATASET, true), DATASET_ANSWER);
    assert_eq!(found, (dataset.into(), 1));
}

#[test]
fn attributes_that_the_text_form_loses_are_counted() {
    let plan = any_plan(ANY, false);
    for (answer, count) in [(ANY_ANSWER, 4), (ANY_FAULT, 1)] {
        // The publisher has chosen the form, so strict checking accepts it.
        let (outcome, json, found) = read_strictly(&plan, answer);
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!(found, count, "{json}");
    }
    // Twice: the attributes of the schema, and the diffgram.
    let (_, found) = to_json(&any_plan(DATASET, false), DATASET_ANSWER);
    assert_eq!(found, 2);
}

const OPEN: &str = "<xs:complexType name='Text' mixed='true'><xs:sequence/></xs:complexType>\
    <xs:element name='request' type='t:Both'/><xs:element name='response' type='t:Both'/>\
    <xs:complexType name='Both'><xs:sequence>\
    <xs:element name='a' nillable='true' minOccurs='0'/>\
    <xs:element name='m' type='t:Text' minOccurs='0'/></xs:sequence></xs:complexType>";

/// Returns an envelope with these children of the message.
fn envelope(inner: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' \
         xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:q='urn:q'><e:Body>\
         <response xmlns='urn:t'>{inner}</response></e:Body></e:Envelope>"
    )
}

#[test]
fn any_content_is_read_and_written_alike() {
    let plan = any_plan(&wsdl(OPEN), true);
    let rows = [
        ("<a/>", r#"{"a":{"value":""}}"#, "<n1:a></n1:a>"),
        (
            "<a q:x='1' y='&lt;'>t</a>",
            r#"{"a":{"{urn:q}x":"1","{}y":"<","value":"t"}}"#,
            r#"<n1:a q0:x="1" y="&lt;">t</n1:a>"#,
        ),
        (
            "<a xsi:type='q:T'>5</a>",
            r#"{"a":{"@type":"{urn:q}T","value":"5"}}"#,
            r#"<n1:a xsi:type="q0:T">5</n1:a>"#,
        ),
        (
            "<a xmlns='' xsi:type='T'/>",
            r#"{"a":{"@type":"{}T","value":""}}"#,
            r#"<n1:a xsi:type="T"></n1:a>"#,
        ),
        (
            "<a xsi:nil='true'/>",
            r#"{"a":null}"#,
            r#"<n1:a xsi:nil="true"/>"#,
        ),
        (
            "<a xsi:nil='true' xsi:type='q:T'/>",
            r#"{"a":{"@type":"{urn:q}T","@nil":true}}"#,
            r#"<n1:a xsi:type="q0:T" xsi:nil="true"/>"#,
        ),
        (
            "<a xsi:nil='true' x='1'/>",
            r#"{"a":{"{}x":"1","@nil":true}}"#,
            r#"<n1:a x="1" xsi:nil="true"/>"#,
        ),
        ("<m>t</m>", r#"{"m":"t"}"#, "<n1:m>t</n1:m>"),
    ];
    for (answer, json, request) in rows {
        let answer = answer.replace("<a xmlns='' ", "<t:a xmlns:t='urn:t' xmlns='' ");
        let (found, count) = to_json(&plan, &envelope(&answer));
        assert_eq!((&*found, count), (json, 0));
        let xml = to_xml(&plan, json).unwrap();
        assert!(xml.contains(request), "{xml}");
    }
    // A request may use the text form.
    let xml = to_xml(&plan, r#"{"a":"<b/>t"}"#).unwrap();
    assert!(xml.contains("<n1:a><b/>t</n1:a>"), "{xml}");
    for (json, violation) in [
        (
            r#"{"a":{"@type":"T"}}"#,
            r#"/a/@type must be the name of a type, "{namespace}name""#,
        ),
        (
            r#"{"a":{"@type":"{urn:q}a b"}}"#,
            r#"/a/@type must be the name of a type, "{namespace}name""#,
        ),
        (r#"{"a":{"x":"1"}}"#, "/a/x is not known here"),
        (r#"{"a":5.5}"#, "/a must be an object"),
        (r#"{"m":{"value":"t"}}"#, "/m must be XML in a string"),
    ] {
        assert_eq!(to_xml(&plan, json), Err(vec![violation.into()]));
    }
}

#[test]
fn what_any_content_cannot_express_is_counted() {
    let plan = any_plan(&wsdl(OPEN), true);
    for (answer, json) in [
        ("<a xsi:type='none:T'>t</a>", r#"{"a":{"value":"t"}}"#),
        ("<a xsi:type='q:'>t</a>", r#"{"a":{"value":"t"}}"#),
        // No wildcard allows it.
        ("<m x='1'>t</m>", r#"{"m":"t"}"#),
    ] {
        let answer = envelope(answer);
        assert_eq!(to_json(&plan, &answer), (json.into(), 1));
        let (outcome, ..) = read_strictly(&plan, &answer);
        let error = outcome.unwrap_err();
        assert!(error.contains("does not match its contract"), "{error}");
    }
}

#[test]
fn plans_of_earlier_releases_are_read() {
    // `Mixed` keeps its number in the encoding; a new kind of content follows it.
    let old = postcard::to_stdvec(&Content::Mixed).unwrap();
    assert_eq!(old, [3]);
    assert_eq!(postcard::to_stdvec(&Content::Open).unwrap(), [4]);
}
