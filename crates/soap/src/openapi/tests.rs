use serde_json::{Value, json};

use super::*;
use crate::compile::Compiled;
use crate::resources::{Style, propose};
use crate::testing::{compiled, compiled_schema, wsdl};
use crate::to_xml::{Program, Request, Scratch, Settings};
use tollgate_model::security::Security;

fn described(schema: &str) -> Value {
    document_of(&compiled_schema(schema), Strings::default())
}

fn document_of(compiled: &Compiled, strings: Strings) -> Value {
    document_with(compiled, &propose(&compiled.plan, Style::Rest), strings)
}

fn document_with(compiled: &Compiled, resources: &[Resource], strings: Strings) -> Value {
    let security = Security::api_key("apikey");
    let info = Info {
        title: "Shop",
        version: "1",
        server: Some("https://api.example.org/shop/1"),
        security: Some(&security),
        fixed: &[],
        fault_statuses: &[],
        strings,
    };
    let document = document(&compiled.plan, resources, &compiled.documentation, &info);
    document.unwrap()
}

/// Returns the envelope of a request's JSON; `None` if it does not match.
fn sent(compiled: &Compiled, json: &Value) -> Option<String> {
    let program = Program::load(&compiled.plan, &Settings::default()).unwrap();
    let json = json.to_string();
    let request = Request {
        body: Some(json.as_bytes()),
        ..Request::default()
    };
    let mut out = Vec::new();
    let written = program.write(0, &request, &mut Scratch::default(), &mut out);
    written.ok().map(|()| String::from_utf8(out).unwrap())
}

const RECURSIVE: &str = r#"
  <xs:element name="request"><xs:complexType><xs:sequence>
    <xs:element name="tree" type="t:Tree"/>
    <xs:element name="size" minOccurs="0"><xs:simpleType><xs:restriction base="xs:int">
      <xs:minInclusive value="1"/></xs:restriction></xs:simpleType></xs:element>
  </xs:sequence></xs:complexType></xs:element>
  <xs:element name="response" type="t:Tree"/>
  <xs:complexType name="Tree"><xs:sequence>
    <xs:element name="tree" type="t:Tree" minOccurs="0" maxOccurs="unbounded"/>
    <xs:choice><xs:element name="leaf" type="xs:string" nillable="true"><xs:annotation>
      <xs:documentation>One of many.</xs:documentation></xs:annotation></xs:element>
      <xs:element name="fruit" type="xs:decimal"/></xs:choice>
  </xs:sequence><xs:attribute name="id" type="xs:token" use="required"/></xs:complexType>"#;

// rest.openapi.component
#[test]
fn a_type_is_a_component_with_what_its_schema_demands() {
    let document = described(RECURSIVE);
    assert_eq!(document["openapi"], "3.1.0");
    let scheme = json!({ "type": "apiKey", "in": "header", "name": "apikey" });
    assert_eq!(
        document["components"]["securitySchemes"],
        json!({ "key": scheme })
    );
    assert_eq!(document["security"], json!([{ "key": [] }]));
    let call = &document["paths"]["/call"]["post"];
    assert_eq!(call["operationId"], "call");
    assert_eq!(call["x-soap"]["request"], "{urn:t}request");
    let reference = json!({ "$ref": "#/components/schemas/Tree" });
    assert_eq!(
        call["responses"]["200"]["content"]["application/json"]["schema"],
        reference
    );
    let tree = &document["components"]["schemas"]["Tree"];
    assert_eq!(
        tree["properties"]["tree"],
        json!({ "type": "array", "items": reference })
    );
    assert_eq!(tree["properties"]["id"], json!({ "type": "string" }));
    assert_eq!(tree["properties"]["leaf"]["description"], "One of many.");
    assert_eq!(tree["required"], json!(["id"]));
    assert_eq!(tree["additionalProperties"], false);
    assert_eq!(
        tree["not"]["not"],
        json!({ "oneOf": [{ "required": ["fruit"] }, { "required": ["leaf"] }] })
    );
    let text = document.to_string();
    assert!(text.contains(r#""minimum":1"#), "{text}");
    assert_eq!(text, described(RECURSIVE).to_string());
}

// rest.openapi.derived
#[test]
fn derived_types_are_alternatives_distinguished_by_their_names() {
    let document = described(
        r#"<xs:element name="request" type="t:Shape"/>
        <xs:element name="response"><xs:complexType/></xs:element>
        <xs:complexType name="Shape" abstract="true"><xs:sequence/></xs:complexType>
        <xs:complexType name="Circle"><xs:complexContent><xs:extension base="t:Shape">
          <xs:sequence><xs:element name="radius" type="xs:double"/></xs:sequence>
        </xs:extension></xs:complexContent></xs:complexType>"#,
    );
    let call = &document["paths"]["/call"]["post"];
    let schema = &call["requestBody"]["content"]["application/json"]["schema"];
    let circle = "#/components/schemas/Circle";
    assert_eq!(schema["oneOf"], json!([{ "$ref": circle }]));
    assert_eq!(
        schema["discriminator"],
        json!({ "propertyName": "@type", "mapping": { "Circle": circle } })
    );
    let circle = &document["components"]["schemas"]["Circle"];
    let name = json!({ "type": "string", "const": "Circle" });
    assert_eq!(circle["properties"]["@type"], name);
    assert_eq!(circle["required"], json!(["radius"]));
    assert!(call["responses"]["204"].is_object(), "{call}");
}

// rest.openapi.abstract
#[test]
fn an_abstract_type_without_derived_ones_is_a_component_for_answers() {
    let schema = r#"<xs:element name="request"><xs:complexType><xs:sequence>
          <xs:element name="id" type="xs:int"/><xs:element name="of" type="t:Base" minOccurs="0"/>
        </xs:sequence></xs:complexType></xs:element>
        <xs:element name="response"><xs:complexType><xs:sequence>
          <xs:element name="one" type="t:Base"/><xs:element ref="t:head" maxOccurs="3"/>
        </xs:sequence></xs:complexType></xs:element>
        <xs:element name="head" type="t:Base" abstract="true"/>
        <xs:element name="member" type="t:Base" substitutionGroup="t:head"/>
        <xs:complexType name="Base" abstract="true"><xs:sequence>
          <xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType>"#;
    let compiled = compiled_schema(schema);
    let document = document_of(&compiled, Strings::default());
    let schemas = &document["components"]["schemas"];
    let base = json!({ "$ref": "#/components/schemas/Base" });
    let answer = &schemas["response"]["properties"];
    assert_eq!(answer["one"], base);
    assert_eq!(answer["head"]["items"]["oneOf"][0]["allOf"][0], base);
    assert_eq!(schemas["Base"]["required"], json!(["name"]));
    assert_eq!(schemas["Base"]["readOnly"], true);
    let notes = compiled
        .warnings
        .iter()
        .map(|note| (&*note.code, &*note.detail));
    let sentence = "the type `Base` is abstract and has no derived types: requests cannot \
                contain it, and responses are read by its own declaration";
    assert_eq!(notes.collect::<Vec<_>>(), [("schema.abstract", sentence)]);
    assert!(sent(&compiled, &json!({ "id": 1 })).is_some());
    assert!(sent(&compiled, &json!({ "id": 1, "of": { "name": "n" } })).is_none());
}

// rest.openapi.references
#[test]
fn every_reference_leads_to_a_component() {
    let document = described(RECURSIVE);
    let mut open = vec![&document];
    let mut count = 0;
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(target)) = members.get("$ref") {
                    let pointer = target.strip_prefix('#').expect("a local reference");
                    assert!(document.pointer(pointer).is_some(), "{target}");
                    count += 1;
                }
                open.extend(members.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    assert!(count > 3);
}

#[test]
fn items_of_a_substitution_group_name_their_element_whatever_their_type() {
    let document = described(
        r#"<xs:element name="request"><xs:complexType><xs:sequence>
          <xs:element ref="t:shape" maxOccurs="9"/></xs:sequence></xs:complexType></xs:element>
        <xs:element name="response"><xs:complexType/></xs:element>
        <xs:element name="shape" type="t:Shape"/>
        <xs:element name="dot" type="t:Dot" substitutionGroup="t:shape" nillable="true"/>
        <xs:complexType name="Shape"><xs:sequence/></xs:complexType>
        <xs:complexType name="Dot"><xs:complexContent><xs:extension base="t:Shape"/>
          </xs:complexContent></xs:complexType>
        <xs:complexType name="Circle"><xs:complexContent><xs:extension base="t:Shape"/>
          </xs:complexContent></xs:complexType>"#,
    );
    let schemas = &document["components"]["schemas"];
    for name in ["Shape", "Dot", "Circle"] {
        let element = &schemas[name]["properties"]["@element"];
        assert_eq!(*element, json!({ "type": "string" }), "{name}");
    }
    // One for each type of each element: generators handle a `oneOf` in an `allOf` badly.
    let items = &schemas["request"]["properties"]["shape"]["items"]["oneOf"];
    let items = items.as_array().unwrap().iter();
    let items: Vec<_> = items
        .map(|item| {
            let (first, second) = (&item["allOf"][0], &item["allOf"][1]);
            let named = second["properties"].get("@element");
            let element = named.unwrap_or(&first["properties"]["@element"]);
            (
                first["$ref"].as_str(),
                &element["const"],
                &second["required"],
            )
        })
        .collect();
    let (both, one) = (json!(["@element", "@type"]), json!(["@element"]));
    assert_eq!(
        items,
        [
            (Some("#/components/schemas/Shape"), &json!("shape"), &both),
            (Some("#/components/schemas/Dot"), &json!("shape"), &both),
            (Some("#/components/schemas/Circle"), &json!("shape"), &both),
            (Some("#/components/schemas/Dot"), &json!("dot"), &one),
            (None, &json!("dot"), &one),
        ]
    );
}

// rest.openapi.facets
#[test]
fn patterns_of_texts_and_numbers_of_items_are_described() {
    let document = described(
        r#"<xs:element name="request"><xs:complexType><xs:sequence>
          <xs:element name="day" type="xs:date"/>
          <xs:element name="sku"><xs:simpleType><xs:restriction base="xs:string">
            <xs:pattern value="[A-Z]{2}-@[\-0-9a-f]{4}"/></xs:restriction></xs:simpleType>
            </xs:element>
          <xs:element name="tag" type="xs:string" minOccurs="2" maxOccurs="4"/>
          <xs:element name="list"><xs:simpleType><xs:list itemType="xs:string"/></xs:simpleType>
            </xs:element>
          <xs:sequence minOccurs="0"><xs:element name="tag" type="xs:string"/>
            <xs:element name="at" type="xs:time" maxOccurs="9"/></xs:sequence>
        </xs:sequence></xs:complexType></xs:element>
        <xs:element name="response"><xs:complexType/></xs:element>"#,
    );
    let properties = &document["components"]["schemas"]["request"]["properties"];
    let date = "^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})?$";
    let day = json!({ "type": "string", "pattern": date, "examples": ["2026-01-31"] });
    assert_eq!(properties["day"], day);
    // In ECMA-262, where only special characters are escaped.
    let sku = json!({ "type": "string", "pattern": r"^(?:[A-Z]{2}-@[\-0-9a-f]{4})$" });
    assert_eq!(properties["sku"], sku);
    let word = json!({ "type": "string", "pattern": r"^[^ \t\r\n]+$" });
    assert_eq!(properties["list"]["items"], word);
    let count = |key: &str| {
        let array = &properties[key];
        (array["minItems"].as_u64(), array["maxItems"].as_u64())
    };
    assert_eq!(count("tag"), (Some(2), Some(5)));
    assert_eq!(count("at"), (None, Some(9)));
}

// rest.openapi.header
#[test]
fn patterns_of_one_step_are_alternatives_and_those_of_all_steps_hold() {
    let compiled = compiled_schema(
        r#"<xs:element name="request"><xs:complexType><xs:choice>
          <xs:element name="either" type="t:Either"/><xs:element name="both" type="t:Both"/>
          <xs:element name="word" type="t:Word"/><xs:element name="day" type="t:Day"/>
          <xs:element name="union" type="t:Union"/>
          <xs:element name="set"><xs:simpleType><xs:restriction base="xs:string">
            <xs:pattern value="[a\s]+"/></xs:restriction></xs:simpleType></xs:element>
        </xs:choice></xs:complexType></xs:element>
        <xs:element name="response"><xs:complexType/></xs:element>
        <xs:simpleType name="Either"><xs:restriction base="xs:string">
          <xs:pattern value="[A-Z]{2}"/><xs:pattern value="[0-9]+|x"/></xs:restriction>
          </xs:simpleType>
        <xs:simpleType name="Both"><xs:restriction base="t:Either">
          <xs:pattern value=".{2}"/><xs:pattern value="[0-9]{4}"/></xs:restriction>
          </xs:simpleType>
        <xs:simpleType name="Word"><xs:restriction base="t:Either">
          <xs:pattern value="\w+"/></xs:restriction></xs:simpleType>
        <xs:simpleType name="Numbered"><xs:union memberTypes="xs:int xs:string"/></xs:simpleType>
        <xs:simpleType name="Union"><xs:restriction base="t:Numbered">
          <xs:pattern value="[0-9]{2}|x+"/></xs:restriction></xs:simpleType>
        <xs:simpleType name="Day"><xs:restriction base="xs:date">
          <xs:pattern value="2.*"/></xs:restriction></xs:simpleType>"#,
    );
    let document = document_of(&compiled, Strings::default());
    let properties = &document["components"]["schemas"]["request"]["properties"];
    let (either, both) = ("^(?:[A-Z]{2}|[0-9]+|x)$", r"^(?:[^\n\r]{2}|[0-9]{4})$");
    let one = json!({ "type": "string", "pattern": either });
    assert_eq!(properties["either"], one);
    let all = json!([{ "pattern": either }, { "pattern": both }]);
    assert_eq!(
        properties["both"],
        json!({ "type": "string", "allOf": all })
    );
    // Only the parts that ECMA-262 cannot express are left out.
    assert_eq!(properties["word"], one);
    assert_eq!(properties["set"], json!({ "type": "string" }));
    // The pattern of a union is that of the texts.
    assert_eq!(properties["union"]["pattern"], "^(?:[0-9]{2}|x+)$");
    let day = &properties["day"];
    assert_eq!(day["allOf"][1]["pattern"], r"^(?:2[^\n\r]*)$");
    let texts = [
        "",
        "x",
        "xx",
        "AB",
        "ABC",
        "A1",
        "1",
        "12",
        "123",
        "1234",
        "12345",
        "\n\n",
        "2026-01-31",
        "1999-01-31",
        "2",
    ];
    for (key, schema) in properties.as_object().unwrap() {
        let alone = std::slice::from_ref(schema);
        let all = schema["allOf"].as_array().map_or(alone, Vec::as_slice);
        let patterns = all.iter().filter_map(|schema| schema["pattern"].as_str());
        let patterns: Vec<_> = patterns.map(|it| regex::Regex::new(it).unwrap()).collect();
        for text in texts.iter().filter(|_| key != "set") {
            let is_described = patterns.iter().all(|pattern| pattern.is_match(text));
            let is_taken = sent(&compiled, &json!({ key: text })).is_some();
            assert_eq!(is_described, is_taken, "{key}: {text:?}");
        }
    }
}

/// Returns the contract with a header part `session` of this type, and these declarations for the
/// body.
fn with_session(session: &str, request: &str) -> Compiled {
    let schema = format!(
        r#"{request}<xs:element name="response"><xs:complexType/></xs:element>
        <xs:element name="session"><xs:complexType><xs:sequence>{session}
          </xs:sequence></xs:complexType></xs:element>"#
    );
    let part = r#"<part name="parameters" element="t:request"/>"#;
    let both = format!(r#"{part}<part name="session" element="t:session"/>"#);
    let body = r#"<input><soap:body use="literal"/>"#;
    let bound = r#"<input><soap:header message="t:request" part="session" use="literal"/>
        <soap:body use="literal" parts="parameters"/>"#;
    compiled(&wsdl(&schema).replace(part, &both).replace(body, bound))
}

/// Returns the body with this content of its type.
fn request(content: &str) -> String {
    format!(r#"<xs:element name="request"><xs:complexType>{content}</xs:complexType></xs:element>"#)
}

const FLAT: &str = r#"<xs:element name="token" type="xs:string"/>"#;
const DEEP: &str = r#"<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="b"
    maxOccurs="2"><xs:complexType/></xs:element></xs:sequence></xs:complexType></xs:element>"#;
const PROPERTIES: &str = "/requestBody/content/application~1json/schema/properties";

#[test]
fn a_header_block_is_in_the_head_or_in_the_body_and_never_in_both() {
    let of_header = |header: &str| {
        let compiled = with_session(header, &request(""));
        let mut document = document_of(&compiled, Strings::default());
        document["paths"]["/call"]["post"].take()
    };
    let body = format!("{PROPERTIES}/headers");
    let flat = of_header(FLAT);
    assert_eq!(flat["parameters"][0]["name"], "X-Soap-session-token");
    assert_eq!(flat.pointer(&body), None);
    let deep = of_header(DEEP);
    assert_eq!(deep["parameters"], Value::Null);
    assert!(deep.pointer(&body).unwrap()["properties"]["session"].is_object());
}

#[test]
fn a_property_of_the_body_that_is_called_headers_is_no_header_block() {
    let nested = r#"<xs:sequence><xs:element name="headers"><xs:complexType><xs:sequence>
          <xs:element name="session" type="xs:int"/><xs:element name="note" type="xs:string"/>
        </xs:sequence></xs:complexType></xs:element></xs:sequence>"#;
    for (session, block) in [
        (FLAT, json!({ "token": "t" })),
        (DEEP, json!({ "a": { "b": [{}] } })),
    ] {
        let compiled = with_session(session, &request(nested));
        let own = json!({ "session": 7, "note": "n" });
        let both = json!({ "headers": own, "@headers": { "session": block } });
        let xml = sent(&compiled, &both).unwrap();
        assert!(xml.contains("session>7</"), "{xml}");
        assert!(xml.contains("<soap:Header>"), "{xml}");

        // Its fields may be parameters, as in the document.
        let mut resources = propose(&compiled.plan, Style::Rest);
        let place = |key: &str| ["headers".to_owned(), key.to_owned()];
        resources[0].parameters.push(Parameter {
            place: Place::Query,
            name: "number".into(),
            path: place("session").into(),
            is_array: false,
            required: true,
        });
        assert_eq!(
            crate::resources::faults(&compiled.plan, &resources, &[]),
            []
        );
        let document = document_with(&compiled, &resources, Strings::default());
        let call = &document["paths"]["/call"]["post"];
        let number = call["parameters"].as_array().unwrap().last().unwrap();
        assert_eq!(number["schema"]["type"], "integer", "{call}");
        let properties = call.pointer(PROPERTIES).unwrap();
        let left = &properties["headers"]["properties"];
        assert_eq!(left["note"], json!({ "type": "string" }), "{properties}");
        assert_eq!(left["session"], Value::Null, "{properties}");
        let blocks = &properties["@headers"]["properties"];
        let is_in_body = session == DEEP;
        assert_eq!(blocks["session"].is_object(), is_in_body, "{properties}");
    }

    // Also if a parameter sets all of it, or an attribute has the name.
    let scalar = r#"<xs:sequence><xs:element name="headers" type="xs:string"/></xs:sequence>"#;
    let attribute = r#"<xs:attribute name="headers" type="xs:string"/>"#;
    for content in [scalar, attribute] {
        let compiled = with_session(DEEP, &request(content));
        let mut resources = propose(&compiled.plan, Style::Rest);
        resources[0].parameters = vec![Parameter {
            place: Place::Query,
            name: "headers".into(),
            path: vec!["headers".into()],
            is_array: false,
            required: true,
        }];
        let document = document_with(&compiled, &resources, Strings::default());
        let call = &document["paths"]["/call"]["post"];
        let properties = call.pointer(PROPERTIES).unwrap().as_object().unwrap();
        assert!(properties.contains_key("@headers"), "{properties:?}");
        assert!(!properties.contains_key("headers"), "{properties:?}");
        let sent = sent(&compiled, &json!({ "headers": "x", "@headers": {} }));
        assert!(sent.is_some(), "{content}");
    }
}

#[test]
fn a_derived_type_or_a_member_of_a_group_may_have_a_property_headers() {
    let derived = r#"<xs:element name="request" type="t:Plain"/>
        <xs:complexType name="Plain"><xs:sequence/></xs:complexType>
        <xs:complexType name="More"><xs:complexContent><xs:extension base="t:Plain">
          <xs:sequence><xs:element name="headers" type="xs:string"/></xs:sequence>
        </xs:extension></xs:complexContent></xs:complexType>"#;
    let group = r#"<xs:element name="shape" type="xs:string"/>
        <xs:element name="headers" type="xs:string" substitutionGroup="t:shape"/>"#;
    let content = r#"<xs:sequence><xs:element ref="t:shape"/></xs:sequence>"#;
    let group = request(content) + group;
    let own = json!({ "@type": "More", "headers": "x" });
    for (request, mut json) in [(derived, own), (&*group, json!({ "headers": "x" }))] {
        let compiled = with_session(DEEP, request);
        json["@headers"] = json!({ "session": { "a": { "b": [{}] } } });
        let xml = sent(&compiled, &json).expect(request);
        assert!(
            xml.contains("headers>x</") && xml.contains("session>"),
            "{xml}"
        );
        let document = document_of(&compiled, Strings::default());
        let call = &document["paths"]["/call"]["post"];
        let block = call.pointer(&format!("{PROPERTIES}/@headers"));
        assert!(block.is_some(), "{call}");
    }
}

#[test]
fn numbers_that_answers_write_as_strings_are_strings() {
    let schema = r#"<xs:element name="request" type="xs:string"/>
      <xs:element name="response"><xs:complexType><xs:sequence>
        <xs:element name="long" type="xs:long"/><xs:element name="int" type="xs:int"/>
        <xs:element name="price" type="xs:decimal"/>
      </xs:sequence></xs:complexType></xs:element>"#;
    let strings = Strings {
        longs: true,
        decimals: true,
    };
    let types = |document: Value| {
        let schemas = document["components"]["schemas"]
            .as_object()
            .unwrap()
            .clone();
        let mut properties = schemas.values().map(|schema| &schema["properties"]);
        let properties = properties.find(|of| of["long"].is_object()).unwrap();
        ["long", "int", "price"].map(|key| properties[key]["type"].as_str().unwrap().to_owned())
    };
    assert_eq!(types(described(schema)), ["integer", "integer", "number"]);
    assert_eq!(
        types(document_of(&compiled_schema(schema), strings)),
        ["string", "integer", "string"]
    );
}

// rest.openapi.generators
#[test]
fn names_of_types_in_python_hide_no_facets_and_are_no_components() {
    let document = described(
        r#"<xs:element name="request"><xs:complexType><xs:sequence>
          <xs:element name="str" type="xs:string"/><xs:element name="code" type="t:Code"/>
          <xs:element name="codes" type="t:Code" nillable="true" maxOccurs="2"/>
          <xs:element name="part" type="t:List" nillable="true"/>
        </xs:sequence><xs:attribute name="age" type="xs:byte"/></xs:complexType></xs:element>
        <xs:element name="response"><xs:complexType/></xs:element>
        <xs:simpleType name="Code"><xs:restriction base="xs:string"><xs:pattern value="a+"/>
          <xs:maxLength value="9"/></xs:restriction></xs:simpleType>
        <xs:complexType name="List"><xs:sequence><xs:element name="code" type="t:Code"/>
          </xs:sequence></xs:complexType>"#,
    );
    let schemas = &document["components"]["schemas"];
    let properties = &schemas["request"]["properties"];
    let facets = json!({ "pattern": "^(?:a+)$", "maxLength": 9 });
    let hidden = json!({ "type": "string", "not": { "not": facets } });
    assert_eq!(properties["code"], hidden);
    assert_eq!(properties["codes"]["items"]["anyOf"][0], hidden);
    assert_eq!(properties["codes"]["maxItems"], 2);
    let age = json!({ "minimum": -128, "maximum": 127 });
    assert_eq!(properties["age"]["not"]["not"], age);
    // rest.openapi.nil: TypeScript distinguishes the alternatives by a member of each.
    let list = &schemas["List_2"]["properties"];
    let visible = json!({ "type": "string", "pattern": "^(?:a+)$", "maxLength": 9 });
    assert_eq!(list["code"], visible);
    assert_eq!(list["@nil"], json!({ "type": "boolean", "enum": [false] }));
    let alternatives = &properties["part"]["anyOf"];
    assert_eq!(alternatives[0]["$ref"], "#/components/schemas/List_2");
    assert_eq!(alternatives[2]["properties"]["@nil"]["const"], true);
}

const RESPONSE: &str = r#"<xs:element name="response"><xs:complexType/></xs:element>"#;

/// Returns how many objects and arrays a document has.
fn size(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        _ => 0,
    }
}

// rest.openapi.large
#[test]
fn documents_grow_with_their_contracts_and_no_further_than_the_bound() {
    let branches = |count: usize| {
        let branch = |n| {
            format!(
                "<xs:sequence><xs:element name='a{n}' type='xs:int'/>\
                 <xs:element name='b{n}' type='xs:int' minOccurs='0'/></xs:sequence>"
            )
        };
        let branches: String = (0..count).map(branch).collect();
        let content = format!("<xs:choice>{branches}</xs:choice>");
        format!("{}{}", request(&content), RESPONSE)
    };
    let [some, many] = [50, 2_000].map(|count| size(&described(&branches(count))) / count);
    assert!(some > 5 && many.abs_diff(some) < 5, "{some} {many}");

    let of_types = |types: usize, elements: usize| {
        let derived = (0..types).map(|n| {
            format!(
                "<xs:complexType name='D{n}'><xs:complexContent><xs:extension base='t:Base'/>\
                 </xs:complexContent></xs:complexType>"
            )
        });
        let elements = (0..elements).map(|n| format!("<xs:element name='e{n}' type='t:Base'/>"));
        let elements = elements.collect::<String>();
        let derived = derived.collect::<String>();
        let base = "<xs:complexType name='Base'><xs:sequence/></xs:complexType>";
        let request = request(&format!("<xs:sequence>{elements}</xs:sequence>"));
        compiled_schema(&format!("{base}{derived}{request}{RESPONSE}"))
    };
    let info = Info {
        title: "Shop",
        version: "1",
        server: None,
        security: None,
        fixed: &[],
        fault_statuses: &[],
        strings: Strings::default(),
    };
    let of = |compiled: &Compiled| {
        let resources = propose(&compiled.plan, Style::Rpc);
        document(&compiled.plan, &resources, &Documentation::default(), &info)
    };
    assert!(of(&of_types(200, 200)).is_ok());
    assert_eq!(of(&of_types(1_500, 400)), Err(TooLarge));
}
