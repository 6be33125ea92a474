use super::*;
use crate::compile::{Choice, Compiled, compile};
use crate::import::name::QName;
use crate::import::schema::Schema;
use crate::import::table::Table;
use crate::import::{Documents, Imported, read};
use crate::testing::wsdl;

const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
const XENC: &str = "http://www.w3.org/2001/04/xmlenc#";
const WSU: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
const WSSE: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";

/// Reads the contract of these schema contents, with a prefix for each of the namespaces above, and
/// `k` for this one.
fn imported(namespace: &str, schema: &str) -> Imported {
    let mut prefixes = format!(
        r#"<definitions xmlns:ds="{DS}" xmlns:xenc="{XENC}" xmlns:wsu="{WSU}" xmlns:wsse="{WSSE}" "#
    );
    if namespace != name::XML {
        prefixes += &format!(r#"xmlns:k="{namespace}" "#);
    }
    let main = wsdl(schema).replacen("<definitions ", &prefixes, 1);
    let mut documents = Documents::default();
    documents.add("main.wsdl", main.as_bytes()).unwrap();
    assert!(documents.missing("main.wsdl").is_empty());
    read(&documents, "main.wsdl").unwrap()
}

/// Compiles the contract, in which everything must be understood.
fn compiled(imported: &Imported) -> Compiled {
    assert_eq!(imported.report.notes, []);
    let compiled = compile(imported, &Choice::default()).unwrap();
    assert_eq!(compiled.warnings, []);
    assert_eq!(compiled.plan.operations[0].proxy_only, None);
    compiled
}

/// Returns the declaration of a response that has this content.
fn response(content: &str) -> String {
    format!(
        r#"<xs:element name="request" type="xs:int"/><xs:element name="response"><xs:complexType>
           {content}</xs:complexType></xs:element>"#
    )
}

/// Returns a row for each declaration of a namespace.
fn rows<T>(
    table: &Table<T>,
    prefixed: (&str, &str),
    row: impl Fn(usize, &str) -> String,
) -> String {
    let (namespace, prefix) = prefixed;
    let names = table.iter().map(|(name, _)| name);
    let names = names.filter(|name| &*name.namespace == namespace);
    let names = names.map(|name| format!("{prefix}:{}", name.local));
    names.enumerate().map(|(at, name)| row(at, &name)).collect()
}

/// Returns a response that uses everything that a built-in schema declares.
fn uses(namespace: &str, schema: &Schema) -> String {
    let prefix = if namespace == name::XML { "xml" } else { "k" };
    let own = (namespace, prefix);
    let within = |name: String, content: String| {
        format!(
            r#"<xs:element name="{name}" minOccurs="0"><xs:complexType>{content}</xs:complexType>
               </xs:element>"#
        )
    };
    let elements = rows(&schema.elements, own, |at, name| {
        let content = format!(r#"<xs:sequence><xs:element ref="{name}"/></xs:sequence>"#);
        within(format!("element{at}"), content)
    });
    let types = rows(&schema.types, own, |at, name| {
        format!(r#"<xs:element name="type{at}" type="{name}" minOccurs="0"/>"#)
    });
    let groups = rows(&schema.groups, own, |at, name| {
        within(format!("group{at}"), format!(r#"<xs:group ref="{name}"/>"#))
    });
    let attributes = rows(&schema.attributes, own, |at, name| {
        within(
            format!("attribute{at}"),
            format!(r#"<xs:attribute ref="{name}"/>"#),
        )
    });
    let grouped = rows(&schema.attribute_groups, own, |at, name| {
        within(
            format!("attributes{at}"),
            format!(r#"<xs:attributeGroup ref="{name}"/>"#),
        )
    });
    response(&format!(
        "<xs:sequence>{elements}{types}{groups}{attributes}{grouped}</xs:sequence>"
    ))
}

#[test]
fn each_built_in_schema_refers_only_to_what_is_declared() {
    for (namespace, text) in KNOWN {
        let target = format!("targetNamespace=\"{namespace}\"");
        assert!(text.contains(&target), "{namespace}");
        let import = format!(r#"<xs:import namespace="{namespace}"/>"#);
        let found = imported(namespace, &format!("{import}{}", response("")));
        let uses = uses(namespace, &found.schema);
        let found = imported(namespace, &format!("{import}{uses}"));
        assert_eq!(found.report.notes, [], "{namespace}");
        let compiled = compile(&found, &Choice::default()).unwrap();
        assert_eq!(compiled.plan.operations[0].proxy_only, None, "{namespace}");
        // A type of attachments is noted wherever it is used.
        let mut warnings = compiled.warnings.iter();
        let other = warnings.find(|note| note.code != "schema.attachment");
        assert_eq!(other, None, "{namespace}");
    }
}

#[test]
fn what_other_standards_use_of_signatures_encryption_and_security_is_declared() {
    // A part of what XAdES, UBL's signature components, XKMS and services with WS-Security use.
    let elements = [
        (
            "ds",
            "Signature SignedInfo SignatureValue KeyInfo KeyName KeyValue RSAKeyValue X509Data",
        ),
        (
            "ds",
            "CanonicalizationMethod SignatureMethod DigestMethod DigestValue Reference Object",
        ),
        (
            "ds",
            "Transforms Transform Manifest SignatureProperties RetrievalMethod DSAKeyValue",
        ),
        (
            "xenc",
            "EncryptedData EncryptedKey CipherData CipherReference ReferenceList",
        ),
        (
            "xenc",
            "EncryptionProperties EncryptionProperty AgreementMethod",
        ),
        ("wsu", "Timestamp Created Expires"),
        (
            "wsse",
            "Security UsernameToken Password Nonce BinarySecurityToken KeyIdentifier",
        ),
        (
            "wsse",
            "SecurityTokenReference Reference Embedded TransformationParameters",
        ),
    ];
    let types = [
        (
            "ds",
            "SignatureType KeyInfoType X509IssuerSerialType X509DataType CryptoBinary ObjectType",
        ),
        (
            "ds",
            "DigestMethodType DigestValueType TransformsType CanonicalizationMethodType",
        ),
        (
            "ds",
            "SignatureValueType SignatureMethodType ReferenceType RSAKeyValueType PGPDataType",
        ),
        (
            "xenc",
            "EncryptedDataType EncryptedKeyType EncryptionMethodType ReferenceType",
        ),
        (
            "wsu",
            "TimestampType AttributedDateTime AttributedURI tTimestampFault",
        ),
        (
            "wsse",
            "SecurityHeaderType UsernameTokenType PasswordString AttributedString tUsage",
        ),
        (
            "wsse",
            "BinarySecurityTokenType EncodedString ReferenceType FaultcodeEnum",
        ),
    ];
    let mut content = String::new();
    let mut count = 0;
    for (prefix, names) in elements {
        for name in names.split(' ') {
            count += 1;
            content += &format!(
                r#"<xs:element name="of{count}"><xs:complexType><xs:sequence>
                   <xs:element ref="{prefix}:{name}"/></xs:sequence></xs:complexType></xs:element>"#
            );
        }
    }
    for (prefix, names) in types {
        for name in names.split(' ') {
            count += 1;
            content += &format!(r#"<xs:element name="of{count}" type="{prefix}:{name}"/>"#);
        }
    }
    let imports = [DS, XENC, WSU, WSSE];
    let imports: String = imports
        .iter()
        .map(|of| format!(r#"<xs:import namespace="{of}" schemaLocation="elsewhere.xsd"/>"#))
        .collect();
    let response = response(&format!(
        r#"<xs:sequence>{content}</xs:sequence><xs:attribute ref="wsu:Id"/>
           <xs:attribute ref="wsse:Usage"/><xs:attributeGroup ref="wsu:commonAtts"/>"#
    ));
    drop(compiled(&imported(
        "urn:k",
        &format!("{imports}{response}"),
    )));
}

#[test]
fn own_definitions_of_a_built_in_namespace_are_kept_and_completed() {
    let own = format!(
        r#"<xs:import namespace="{WSU}"/>{}"#,
        response(
            r#"<xs:sequence><xs:element ref="wsu:Created"/><xs:element ref="wsu:Expires"/>
               </xs:sequence>"#
        )
    );
    let own = wsdl(&own).replacen(
        "<types>",
        &format!(
            r#"<types xmlns:wsu="{WSU}"><xs:schema targetNamespace="{WSU}">
               <xs:element name="Created" type="xs:date"/></xs:schema>"#
        ),
        1,
    );
    let mut documents = Documents::default();
    documents.add("main.wsdl", own.as_bytes()).unwrap();
    let found = read(&documents, "main.wsdl").unwrap();
    let compiled = compiled(&found);
    let place = |local: &str| {
        let name = QName::new(WSU, local);
        found.schema.elements.exact(&name).unwrap().place
    };
    assert_eq!(found.sources.uri(place("Created")), "main.wsdl");
    assert!(found.sources.is_built_in(place("Expires")));
    assert_eq!(compiled.plan.globals, []);
}
