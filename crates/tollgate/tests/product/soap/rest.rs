//! A SOAP service as REST, from its contract to the responses: JSON on one side, envelopes on the
//! other. The ids of rows are those of `edges/rest.md`.

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Behaviour, http};

use super::{House, V1_1};
use crate::house::builder;

mod answers;
mod back_end;
mod given;
mod open;
mod requests;

const SHOP: &str = include_str!("rest/shop.wsdl");
pub(crate) const JSON: (&str, &str) = ("Content-Type", "application/json");

/// Creates a shop as REST at `/orders/1.0`, by the port of SOAP 1.1.
pub(crate) async fn shop() -> House {
    shop_by("Shop11").await
}

async fn shop_by(port: &str) -> House {
    let query = format!("kind=soap_to_rest&port={port}");
    let contract = ("text/xml", SHOP.as_bytes());
    House::of(&builder(), &query, contract).await
}

/// Returns a response of the back end in SOAP 1.1.
pub(crate) fn envelope(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><s:Envelope xmlns:s=\"{V1_1}\" xmlns:o=\"urn:shop\">\
         <s:Body>{body}</s:Body></s:Envelope>"
    )
}

pub(crate) fn order(content: &str) -> String {
    envelope(&format!(
        "<o:getOrderResponse>{content}</o:getOrderResponse>"
    ))
}

/// Returns a behaviour of the back end: the rest of its status line, its fields and its body.
pub(crate) fn respond_with(line: &str, fields: &str, body: &[u8]) -> Behaviour {
    let length = body.len();
    let head = format!("HTTP/1.1 {line}\r\n{fields}Content-Length: {length}\r\n\r\n");
    Behaviour::Answer([head.as_bytes(), body].concat().into())
}

/// Returns a 200 in XML.
pub(crate) fn ok(envelope: &str) -> Behaviour {
    respond_with(
        "200 OK",
        "Content-Type: text/xml; charset=utf-8\r\n",
        envelope.as_bytes(),
    )
}

impl House {
    /// Calls a resource with the consumer's key.
    pub(crate) async fn rest(
        &self,
        (method, path): (&str, &str),
        fields: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut all = vec![("apikey", self.consumer.key.as_str())];
        all.extend_from_slice(fields);
        let target = format!("/orders/1.0{path}");
        self.send(&http::request(method, &target, &all, body.as_bytes()))
            .await
    }

    /// Gets an order.
    async fn order(&self) -> Answer {
        self.rest(("GET", "/order/7"), &[], "").await
    }

    /// Returns the only request of the back end since the last reset: its head in lower case, its
    /// body.
    fn request_seen(&self) -> (String, String) {
        let received = self.upstream.received();
        let text = String::from_utf8(received.concat()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.to_ascii_lowercase(), body.to_owned())
    }
}

/// Returns the locations that a refusal lists, with their messages.
fn errors(answer: &Answer) -> Vec<(String, String)> {
    let errors = answer.json()["errors"].clone();
    let errors = errors.as_array().cloned().unwrap_or_default().into_iter();
    let word = |error: &Value, key: &str| error[key].as_str().unwrap_or_default().to_owned();
    errors
        .map(|error| (word(&error, "pointer"), word(&error, "detail")))
        .collect()
}

/// Returns limits that allow this number of calls of an operation a day.
fn a_day(amount: u32) -> Value {
    json!([{ "per": "operation", "amount": amount, "window": "day" }])
}
