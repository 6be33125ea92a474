//! Names in other namespaces than the contract's.

use tollgate_xml::decode;

use super::super::*;
use crate::plan::{Complex, Content, FieldKind, ServicePlan, Type};
use crate::testing::{compiled, compiled_schema, wsdl};

/// Returns a plan with this content of the response.
fn plan(types: &str, content: &str) -> ServicePlan {
    compiled_schema(&schema(types, content)).plan
}

fn schema(types: &str, content: &str) -> String {
    format!(
        "{types}<xs:element name='request'><xs:complexType/></xs:element>\
         <xs:element name='response'><xs:complexType>{content}</xs:complexType></xs:element>"
    )
}

/// Returns JSON and the number of mismatches, or the error.
fn transcoded(plan: &ServicePlan, body: &str, is_strict: bool) -> Result<(String, u32), Error> {
    let envelope = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' \
         xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:t='urn:t' xmlns:o='urn:o'>\
         <e:Body>{body}</e:Body></e:Envelope>"
    );
    let options = Options {
        is_strict,
        ..Options::default()
    };
    let program = Program::load(plan, options);
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let text = decode(envelope.as_bytes(), None, Bounds::default()).unwrap();
    program.answer(0, &text, &(), &mut scratch, &mut out)?;
    Ok((String::from_utf8(out).unwrap(), scratch.mismatches().count))
}

/// The result of a row: JSON and the number of mismatches, or a part of the sentence.
type Row = (
    &'static str,
    &'static str,
    Result<(&'static str, u32), &'static str>,
);

fn check(types: &str, content: &str, rows: &[Row]) {
    let plan = plan(types, content);
    for (attributes, answer, expected) in rows {
        let body = format!("<t:response xmlns='urn:t' {attributes}>{answer}</t:response>");
        match (transcoded(&plan, &body, false), expected) {
            (Ok((json, count)), Ok(expected)) => assert_eq!((json.as_str(), count), *expected),
            (Err(error @ Error::Ambiguous(_)), Err(piece)) => {
                let sentence = error.to_string();
                assert!(sentence.contains(piece), "{sentence}");
            }
            other => panic!("{answer}: {other:?}"),
        }
        let is_sound = matches!(expected, Ok((_, 0)));
        assert_eq!(
            transcoded(&plan, &body, true).is_ok(),
            is_sound,
            "strict: {answer}"
        );
    }
}

#[test]
fn a_local_name_that_can_be_one_element_only_is_read_as_that() {
    let content = "<xs:sequence><xs:element name='id' type='xs:int' minOccurs='0'/>\
        <xs:element name='line' type='xs:string' minOccurs='0' maxOccurs='unbounded'/>\
        <xs:element name='plain' type='t:In' form='unqualified' minOccurs='0' nillable='true'/>\
        </xs:sequence>";
    let types = "<xs:complexType name='In'><xs:sequence>\
        <xs:element name='id' type='xs:int'/></xs:sequence></xs:complexType>";
    check(
        types,
        content,
        &[
            (
                "",
                "<id>1</id><line>a</line>",
                Ok((r#"{"id":1,"line":["a"]}"#, 0)),
            ),
            (
                "",
                "<id xmlns=''>1</id><line>a</line>",
                Ok((r#"{"id":1,"line":["a"]}"#, 1)),
            ),
            (
                "",
                "<o:line>a</o:line><line>b</line><line xmlns=''>c</line>",
                Ok((r#"{"line":["a","b","c"]}"#, 2)),
            ),
            (
                "",
                "<t:plain><id>1</id></t:plain>",
                Ok((r#"{"plain":{"id":1},"line":[]}"#, 1)),
            ),
            (
                "",
                "<o:plain><o:id>1</o:id></o:plain>",
                Ok((r#"{"plain":{"id":1},"line":[]}"#, 2)),
            ),
            (
                "",
                "<o:plain xsi:nil='true'/>",
                Ok((r#"{"plain":null,"line":[]}"#, 1)),
            ),
            ("", "<o:other>1</o:other>", Ok((r#"{"line":[]}"#, 1))),
            // An exact name takes precedence, and the element beside it is left out as always.
            (
                "",
                "<id>1</id><o:id>2</o:id>",
                Ok((r#"{"id":1,"line":[]}"#, 1)),
            ),
            (
                "",
                "<o:id>2</o:id><id>1</id>",
                Err("the response has it in \"urn:o\", the contract in \"urn:t\""),
            ),
            (
                "",
                "<o:id>2</o:id><id xmlns=''>1</id>",
                Err("`id` cannot be matched"),
            ),
            (
                "",
                "<plain xmlns=''><o:id>1</o:id></plain><o:id>2</o:id>",
                Ok((r#"{"plain":{"id":1},"id":2,"line":[]}"#, 2)),
            ),
        ],
    );
}

#[test]
fn a_local_name_that_can_be_several_elements_is_refused_with_all_namespaces() {
    let content = "<xs:sequence><xs:element name='id' type='xs:int' minOccurs='0'/>\
        <xs:element name='id' type='xs:int' form='unqualified' minOccurs='0'/></xs:sequence>";
    let sentence = "`id` cannot be matched: the response has it in \"urn:o\", the contract in \
        no namespace and in \"urn:t\"";
    check(
        "",
        content,
        &[
            (
                "",
                "<id>1</id><id xmlns=''>2</id>",
                Ok((r#"{"id":1,"id_2":2}"#, 0)),
            ),
            ("", "<o:id>1</o:id>", Err(sentence)),
            ("", "<id>1</id><o:id>1</o:id>", Err(sentence)),
            (
                "",
                "<id>1</id><id>2</id>",
                Err("the response has it in \"urn:t\", the contract in no namespace"),
            ),
            ("", "", Ok(("{}", 0))),
        ],
    );
}

#[test]
fn a_wildcard_takes_allowed_elements_and_a_missing_element_is_not_guessed() {
    let open = "<xs:any namespace='##other' processContents='lax' minOccurs='0' \
        maxOccurs='unbounded'/>";
    let optional = format!(
        "<xs:sequence><xs:element name='a' type='xs:int' minOccurs='0'/>{open}</xs:sequence>"
    );
    check(
        "",
        &optional,
        &[
            (
                "",
                "<o:a>1</o:a>",
                Ok((r#"{"any":["<o:a xmlns:o='urn:o'>1</o:a>"]}"#, 0)),
            ),
            (
                "",
                "<a>1</a><o:a/>",
                Ok((r#"{"a":1,"any":["<o:a xmlns:o='urn:o'/>"]}"#, 0)),
            ),
            ("", "<a xmlns=''>1</a>", Ok((r#"{"a":1,"any":[]}"#, 1))),
        ],
    );
    let required = format!("<xs:sequence><xs:element name='a' type='xs:int'/>{open}</xs:sequence>");
    check(
        "",
        &required,
        &[
            (
                "",
                "<a>1</a><o:a/>",
                Ok((r#"{"a":1,"any":["<o:a xmlns:o='urn:o'/>"]}"#, 0)),
            ),
            (
                "",
                "<o:a/>",
                Err("has it in \"urn:o\", the contract in \"urn:t\""),
            ),
            (
                "",
                "<o:b/>",
                Ok((r#"{"any":["<o:b xmlns:o='urn:o'/>"]}"#, 1)),
            ),
        ],
    );
}

#[test]
fn groups_choices_and_substitutes_are_found_by_local_names_too() {
    let pairs = "<xs:sequence><xs:sequence minOccurs='0' maxOccurs='unbounded'>\
        <xs:element name='k' type='xs:string'/><xs:element name='v' type='xs:int' minOccurs='0'/>\
        </xs:sequence><xs:element name='z' type='xs:int' minOccurs='0'/></xs:sequence>";
    let json = r#"{"kAndV":[{"k":"a","v":1},{"k":"b"}],"z":2}"#;
    check(
        "",
        pairs,
        &[
            ("", "<k>a</k><v>1</v><k>b</k><z>2</z>", Ok((json, 0))),
            (
                "",
                "<k>a</k><o:v>1</o:v><o:k>b</o:k><o:z>2</o:z>",
                Ok((json, 3)),
            ),
        ],
    );
    let choice = "<xs:choice><xs:element name='a' type='xs:int'/>\
        <xs:element name='b' type='xs:int'/></xs:choice>";
    check("", choice, &[("", "<o:b>1</o:b>", Ok((r#"{"b":1}"#, 1)))]);
    let types = "<xs:element name='h' type='xs:string'/>\
        <xs:element name='s' type='xs:string' substitutionGroup='t:h'/>";
    let many = "<xs:sequence><xs:element ref='t:h' maxOccurs='9'/></xs:sequence>";
    let both = r#"{"h":[{"@element":"s","value":"1"},{"@element":"h","value":"2"}]}"#;
    check(types, many, &[("", "<o:s>1</o:s><h>2</h>", Ok((both, 1)))]);
}

#[test]
fn types_and_attributes_are_found_by_local_names_too() {
    let types = "<xs:complexType name='B'><xs:sequence><xs:element name='a' type='xs:int'/>\
        </xs:sequence></xs:complexType><xs:complexType name='D'><xs:complexContent>\
        <xs:extension base='t:B'><xs:sequence><xs:element name='b' type='xs:int'/></xs:sequence>\
        </xs:extension></xs:complexContent></xs:complexType>";
    let content = "<xs:sequence><xs:element name='i' type='t:B'/></xs:sequence>\
        <xs:attribute name='type' type='xs:string'/>\
        <xs:attribute name='n' type='xs:int' form='qualified'/>";
    let derived = r#"{"i":{"@type":"D","a":1,"b":2}}"#;
    let item = "<i xsi:type='t:D'><a>1</a><b>2</b></i>";
    check(
        types,
        content,
        &[
            ("", item, Ok((derived, 0))),
            (
                "",
                "<i xsi:type='o:D'><a>1</a><b>2</b></i>",
                Ok((derived, 1)),
            ),
            (
                "",
                "<i xsi:type='undeclared:D'><a>1</a><b>2</b></i>",
                Ok((derived, 1)),
            ),
            (
                "n='7'",
                item,
                Ok((r#"{"n":7,"i":{"@type":"D","a":1,"b":2}}"#, 1)),
            ),
            (
                "t:n='7' o:n='8'",
                item,
                Ok((r#"{"n":7,"i":{"@type":"D","a":1,"b":2}}"#, 1)),
            ),
            ("n='7' o:n='8'", item, Err("`n` cannot be matched")),
            (
                "o:type='x'",
                item,
                Ok((r#"{"type":"x","i":{"@type":"D","a":1,"b":2}}"#, 1)),
            ),
            ("xsi:type='t:X' xml:n='1'", item, Ok((derived, 1))),
        ],
    );
    check(
        "",
        "<xs:attribute name='n' type='xs:int' form='qualified'/><xs:anyAttribute/>",
        &[("n='7'", "", Ok((r#"{"{}n":"7"}"#, 0)))],
    );
    check(
        "",
        "<xs:attribute name='n' type='xs:int' form='qualified' use='required'/><xs:anyAttribute/>",
        &[(
            "n='7'",
            "",
            Err("has it in no namespace, the contract in \"urn:t\""),
        )],
    );
}

#[test]
fn the_name_of_an_rpc_answer_is_ignored_unless_it_is_that_of_another() {
    let document = wsdl(&schema("", "<xs:sequence/>"));
    let rpc = document
        .replace("<soap:binding ", "<soap:binding style='rpc' ")
        .replace("use=\"literal\"", "use=\"literal\" namespace=\"urn:t\"")
        .replace(
            "name=\"parameters\" element=\"t:request\"",
            "name='a' type='xs:int'",
        )
        .replace(
            "name=\"parameters\" element=\"t:response\"",
            "name='result' type='xs:int'",
        );
    let mut plan = compiled(&rpc).plan;
    let fine = Ok((r#"{"result":42}"#.to_owned(), 0));
    let bent = |count| Ok((r#"{"result":42}"#.to_owned(), count));
    let rows = [
        ("<t:callResponse><result>42</result></t:callResponse>", fine),
        (
            "<t:callResponse><t:result>42</t:result></t:callResponse>",
            bent(1),
        ),
        (
            "<o:callResponse><result>42</result></o:callResponse>",
            bent(1),
        ),
        ("<callResponse><result>42</result></callResponse>", bent(1)),
        (
            "<o:callResponse><o:result>42</o:result></o:callResponse>",
            bent(2),
        ),
        ("<o:anything><result>42</result></o:anything>", bent(1)),
    ];
    for (body, expected) in rows {
        let is_sound = matches!(expected, Ok((_, 0)));
        assert_eq!(transcoded(&plan, body, false), expected, "{body}");
        assert_eq!(transcoded(&plan, body, true).is_ok(), is_sound, "{body}");
    }
    let is_other = |outcome| matches!(outcome, Err(Error::OtherElement(_)));
    let body = "<o:Fault><result>42</result></o:Fault>";
    assert!(is_other(transcoded(&plan, body, false)));
    let mut other = plan.operations[0].clone();
    other.name = "other".into();
    let answer = other.response.as_mut().and_then(|it| it.body.as_mut());
    answer.unwrap().name.local = "otherResponse".into();
    plan.operations.push(other);
    let body = "<o:otherResponse><result>42</result></o:otherResponse>";
    assert!(is_other(transcoded(&plan, body, false)));
}

#[test]
fn a_fault_and_its_declared_detail_are_recognised_by_their_local_names() {
    let content = "<xs:sequence><xs:element name='gone' type='xs:int'/></xs:sequence>";
    let mut plan = plan("", content);
    let elements = plan.types.iter().find_map(|ty| match ty {
        Type::Complex(Complex {
            content: Content::Elements(elements),
            ..
        }) => elements.fields.first(),
        _ => None,
    });
    let FieldKind::Element(gone) = &elements.unwrap().kind else {
        panic!("an element");
    };
    plan.operations[0].faults.push(crate::plan::Fault {
        name: "NotFound".into(),
        element: gone.clone(),
    });
    let fault = |name: &str, detail: &str| {
        let body =
            format!("<{name}><faultcode>e:Server</faultcode><detail>{detail}</detail></{name}>");
        transcoded(&plan, &body, false).unwrap()
    };
    let sound = fault("e:Fault", "<t:gone>7</t:gone>");
    assert!(
        sound.0.contains(r#""status":404"#) && sound.0.contains(r#""detail":7"#),
        "{sound:?}"
    );
    assert_eq!(fault("e:Fault", "<gone>7</gone>"), (sound.0.clone(), 1));
    assert_eq!(fault("Fault", "<o:gone>7</o:gone>"), (sound.0, 2));
}

#[test]
fn names_in_errors_are_bounded() {
    let content = "<xs:sequence><xs:element name='id' type='xs:int'/>\
        <xs:element name='id' type='xs:int' form='unqualified'/></xs:sequence>";
    let long = "\u{e4}".repeat(1000);
    let body = format!("<t:response><x:id xmlns:x='{long}'/></t:response>");
    let error = transcoded(&plan("", content), &body, false).unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
}
