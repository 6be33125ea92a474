//! A SOAP service behind the gateway, as seen by callers and its back end. The ids of rows are
//! those of `soap/edges/proxy.md`.

use std::io::{Cursor, Write as _};

use serde_json::{Value, json};
use tollgate_testkit::control::{Consumer, Imported};
use tollgate_testkit::{Answer, Behaviour, Builder, Control, Tollgate, Upstream, http};

use crate::house::builder;

mod calls;
mod catalogue;
mod contract;
mod doctype;
mod edges;
mod encodings;
mod faults;
mod generated;
mod holes;
mod hostile;
mod memory;
mod own_query;
mod peers;
mod resources;
pub(crate) mod rest;
mod rest_peers;

/// The gateway's address in contracts.
const PUBLIC: &str = "https://api.example.com/edge";

pub(crate) const WSDL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions name="Orders" targetNamespace="urn:orders" xmlns="http://schemas.xmlsoap.org/wsdl/"
    xmlns:o="urn:orders" xmlns:x="http://www.w3.org/2001/XMLSchema"
    xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:t="http://schemas.xmlsoap.org/wsdl/soap12/">
  <types><x:schema><x:import namespace="urn:orders" schemaLocation="sub/orders.xsd"/></x:schema>
    </types>
  <message name="getOrder"><part name="p" element="o:getOrder"/></message>
  <message name="getOrderResponse"><part name="p" element="o:getOrderResponse"/></message>
  <message name="placeOrder"><part name="p" element="o:placeOrder"/></message>
  <portType name="Orders">
    <operation name="getOrder"><input message="o:getOrder"/><output message="o:getOrderResponse"/>
      </operation>
    <operation name="placeOrder"><input message="o:placeOrder"/></operation>
  </portType>
  <binding name="B11" type="o:Orders"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="getOrder"><s:operation soapAction="urn:orders:getOrder"/>
      <input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation>
    <operation name="placeOrder"><s:operation soapAction="urn:orders:placeOrder"/>
      <input><s:body use="literal"/></input></operation>
  </binding>
  <binding name="B12" type="o:Orders"><t:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="getOrder"><t:operation soapAction="urn:orders:getOrder"/>
      <input><t:body use="literal"/></input><output><t:body use="literal"/></output></operation>
    <operation name="placeOrder"><t:operation soapAction="urn:orders:placeOrder"/>
      <input><t:body use="literal"/></input></operation>
  </binding>
  <service name="OrderService">
    <port name="Orders11" binding="o:B11"><s:address location="http://back.internal:8001/orders"/>
      </port>
    <port name="Orders12" binding="o:B12">
      <t:address location="http://back.internal:8001/orders12"/></port>
  </service>
</definitions>
"#;

pub(crate) const ORDERS: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema"
    xmlns:c="urn:common" targetNamespace="urn:orders" elementFormDefault="qualified">
  <import namespace="urn:common" schemaLocation="../common.xsd"/>
  <element name="getOrder"><complexType><sequence><element name="id" type="c:id"/></sequence>
    </complexType></element>
  <element name="getOrderResponse"><complexType><sequence><element name="id" type="c:id"/>
    </sequence></complexType></element>
  <element name="placeOrder"><complexType><sequence><element name="note" type="string"/>
    </sequence></complexType></element>
</schema>
"#;

pub(crate) const COMMON: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema"
  targetNamespace="urn:common">
  <simpleType name="id"><restriction base="string"/></simpleType>
</schema>
"#;

/// Returns the contract as an archive.
pub(crate) fn archive() -> Vec<u8> {
    archive_with(WSDL, ORDERS)
}

/// Returns the archive of another contract, or with another schema of its messages.
fn archive_with(wsdl: &str, orders: &str) -> Vec<u8> {
    zipped(&[
        ("contract/orders.wsdl", wsdl),
        ("contract/sub/orders.xsd", orders),
        ("contract/common.xsd", COMMON),
        ("contract/readme.txt", "not a part of it"),
    ])
}

/// Returns an archive of these files, by name.
fn zipped(files: &[(impl AsRef<str>, impl AsRef<str>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in files {
        zip.start_file(name.as_ref(), options).unwrap();
        zip.write_all(text.as_ref().as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A running process with a published SOAP service at `/orders/1.0`, and a consumer.
pub(crate) struct House {
    pub(crate) tollgate: Tollgate,
    pub(crate) admin: Control,
    pub(crate) upstream: Upstream,
    pub(crate) api: Imported,
    pub(crate) consumer: Consumer,
    /// The response to the import.
    pub(crate) imported: Value,
}

impl House {
    /// Creates one with a back end that echoes.
    pub(crate) async fn new() -> Self {
        Self::with(&builder().set("gateway-public-url", PUBLIC)).await
    }

    pub(crate) async fn with(builder: &Builder) -> Self {
        Self::of(builder, "kind=soap", ("application/zip", &archive())).await
    }

    /// Creates one with another contract and more parameters of its import.
    pub(crate) async fn of(
        builder: &Builder,
        query: &str,
        (media_type, contract): (&str, &[u8]),
    ) -> Self {
        let tollgate = builder.start().unwrap();
        let admin = Control::administrator(&tollgate).await.unwrap();
        let upstream = Upstream::start(Behaviour::Echo).unwrap();
        admin.plan("tested", json!([])).await.unwrap();
        let path = "/api/v1/apis/import/wsdl?context=%2Forders&version=1.0&name=Orders";
        let path = format!("{path}&{query}");
        let answer = admin
            .send_bytes("POST", &path, media_type, contract)
            .await
            .unwrap();
        assert_eq!(answer.status, 201, "{}", answer.text());
        let imported = answer.json();
        let id = |pointer: &str| {
            imported
                .pointer(pointer)
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned()
        };
        let api = Imported {
            api: id("/api/id"),
            version: id("/version/id"),
        };
        let url = format!("{}/back/orders", upstream.url());
        admin.upstream(&api.version, &url).await.unwrap();
        admin.attach(&api.version, &["tested"]).await.unwrap();
        admin.lifecycle(&api.version, "published").await.unwrap();
        let consumer = admin
            .consumer("shop", &api.version, "tested")
            .await
            .unwrap();
        Self {
            tollgate,
            admin,
            upstream,
            api,
            consumer,
            imported,
        }
    }

    /// Changes the draft and deploys it.
    pub(crate) async fn redeploy(&self, change: Value) {
        let version = &self.api.version;
        let path = format!("/api/v1/versions/{version}/draft");
        self.admin
            .done("PATCH", &path, Some(&change))
            .await
            .unwrap();
        let revision = self.admin.revision(version).await.unwrap();
        self.admin.deploy(version, revision).await.unwrap();
    }

    pub(crate) async fn send(&self, request: &[u8]) -> Answer {
        http::call(self.tollgate.gateway, request).await.unwrap()
    }

    /// POSTs a message with the consumer's key.
    pub(crate) async fn post(&self, fields: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut all = vec![("apikey", self.consumer.key.as_str())];
        all.extend_from_slice(fields);
        self.send(&http::request("POST", "/orders/1.0", &all, body))
            .await
    }

    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.send(&http::request("GET", target, &[], b"")).await
    }

    /// Returns the calls by operation, once `expected` of them have been counted.
    pub(crate) async fn calls(&self, expected: u64) -> Vec<(String, u64)> {
        calls_by_operation(&self.admin, expected).await
    }
}

/// Returns the calls by operation, once `expected` of them have been counted; `-` for none.
pub(crate) async fn calls_by_operation(admin: &Control, expected: u64) -> Vec<(String, u64)> {
    let path = "/api/v1/usage?group_by=operation";
    for _ in 0..400 {
        let usage = admin.done("GET", path, None).await.unwrap();
        let rows = usage["rows"].as_array().unwrap();
        let mut calls: Vec<_> = rows
            .iter()
            .map(|row| {
                let name = row["operation"]["name"].as_str().unwrap_or("-");
                (name.to_owned(), row["calls"].as_u64().unwrap())
            })
            .collect();
        calls.sort();
        if calls.iter().map(|(_, calls)| calls).sum::<u64>() >= expected {
            return calls;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{expected} calls are not counted in time");
}

pub(crate) const V1_1: &str = "http://schemas.xmlsoap.org/soap/envelope/";
pub(crate) const V1_2: &str = "http://www.w3.org/2003/05/soap-envelope";
pub(crate) const XML: (&str, &str) = ("Content-Type", "text/xml; charset=utf-8");

/// Returns a message with this header and body; `o` is the prefix of the operations.
pub(crate) fn message(version: &str, header: &str, body: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"{version}\" xmlns:o=\"urn:orders\">{header}\
         <s:Body>{body}</s:Body></s:Envelope>"
    )
}

pub(crate) fn order_request() -> Vec<u8> {
    message(V1_1, "", "<o:getOrder><o:id>1</o:id></o:getOrder>").into_bytes()
}

pub(crate) fn place_order() -> Vec<u8> {
    message(V1_1, "", "<o:placeOrder><o:note>x</o:note></o:placeOrder>").into_bytes()
}
