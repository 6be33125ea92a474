//! Which operation a call is, and that what goes on is what came.

use std::collections::BTreeMap;
use std::io::Write as _;

use serde_json::json;
use tollgate_testkit::{Behaviour, Connection, http};

use super::{House, V1_1, V1_2, XML, message, order_wanted, place_order};
use crate::house::shared;

const GET: &str = "getOrder";
const PLACE: &str = "placeOrder";
const UNKNOWN: &str = "_unknown";
const SOAP_12: (&str, &str) = ("Content-Type", "application/soap+xml; charset=utf-8");

/// A call that goes through: id, fields, body, and the operation it is.
type Row = (
    &'static str,
    Vec<(&'static str, &'static str)>,
    Vec<u8>,
    &'static str,
);

fn rows() -> Vec<Row> {
    let get = |header: &str| message(V1_1, header, "<o:getOrder/>").into_bytes();
    let text = |text: &str| text.as_bytes().to_vec();
    let utf16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}")
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect()
    };
    let signed = "<s:Header><w:Security xmlns:w=\"http://docs.oasis-open.org/wss/2004/01/\
        oasis-200401-wss-wssecurity-secext-1.0.xsd\" s:mustUnderstand=\"1\">\r\n\
        <d:Signature xmlns:d='http://www.w3.org/2000/09/xmldsig#' ><d:SignatureValue>AAAA\r\n\
        </d:SignatureValue></d:Signature></w:Security></s:Header>";
    let encrypted = "<e:EncryptedData xmlns:e=\"http://www.w3.org/2001/04/xmlenc#\"/>";
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    zipped.write_all(&place_order()).unwrap();
    let zipped = zipped.finish().unwrap();
    let latin = message(V1_1, "", "<o:getOrder><o:id>\u{e4}</o:id></o:getOrder>");
    let latin = latin
        .chars()
        .map(|it| u8::try_from(u32::from(it)).unwrap())
        .collect();
    let package = [
        b"--b1\r\nContent-Type: application/xop+xml; charset=UTF-8; type=\"text/xml\"\r\n\
          Content-Transfer-Encoding: binary\r\nContent-ID: <root@x>\r\n\r\n",
        &place_order()[..],
        b"\r\n--b1\r\nContent-ID: <a@x>\r\nContent-Type: image/png\r\n\r\n\
          \0\xff\r\n--b\r\n\r\n--b1--\r\n",
    ]
    .concat();
    vec![
        (
            "proxy.action.quoted",
            vec![XML, ("SOAPAction", "\"urn:orders:getOrder\"")],
            get(""),
            GET,
        ),
        (
            "proxy.action.unquoted",
            vec![XML, ("SOAPAction", "urn:orders:getOrder")],
            get(""),
            GET,
        ),
        (
            "proxy.action.empty",
            vec![XML, ("SOAPAction", "\"\"")],
            get(""),
            GET,
        ),
        ("proxy.action.absent", vec![XML], get(""), GET),
        (
            "proxy.action.parameter_first",
            vec![(
                "Content-Type",
                "application/soap+xml; action=\"urn:orders:getOrder\"; charset=utf-8",
            )],
            message(V1_2, "", "<o:getOrder/>").into_bytes(),
            GET,
        ),
        (
            "proxy.action.parameter_last",
            vec![(
                "Content-Type",
                "application/soap+xml;charset=utf-8;action=urn:orders:getOrder",
            )],
            message(V1_2, "", "<o:getOrder/>").into_bytes(),
            GET,
        ),
        (
            "proxy.action.mismatch",
            vec![XML, ("SOAPAction", "urn:orders:getOrder")],
            place_order(),
            PLACE,
        ),
        (
            "proxy.envelope.default_namespace",
            vec![XML],
            text(
                "<Envelope xmlns='http://schemas.xmlsoap.org/soap/envelope/'><Body>\
                 <getOrder xmlns='urn:orders'/></Body></Envelope>",
            ),
            GET,
        ),
        (
            "proxy.envelope.comments_and_instructions",
            vec![XML],
            text(&format!(
                "<?xml version='1.0'?><!-- <s:Body> --><?x y?>{}",
                message(
                    V1_1,
                    "<!-- --><s:Header/>",
                    "<!-- <o:placeOrder/> --><?z?>\n<o:getOrder/>"
                )
            )),
            GET,
        ),
        (
            "proxy.encoding.mark",
            vec![XML],
            [b"\xef\xbb\xbf", &get("")[..]].concat(),
            GET,
        ),
        (
            "proxy.encoding.utf16",
            vec![("Content-Type", "text/xml")],
            utf16(&message(V1_1, "", "<o:getOrder/>")),
            GET,
        ),
        (
            "proxy.encoding.in_field_only",
            vec![("Content-Type", "text/xml; charset=ISO-8859-1")],
            latin,
            GET,
        ),
        ("proxy.header.empty", vec![XML], get("<s:Header/>"), GET),
        (
            "proxy.header.huge",
            vec![XML],
            get(&format!(
                "<s:Header><x>{}</x></s:Header>",
                "y".repeat(200_000)
            )),
            GET,
        ),
        ("proxy.header.signed", vec![XML], get(signed), GET),
        (
            "proxy.mtom",
            vec![(
                "Content-Type",
                "multipart/related; boundary=b1; type=\"application/xop+xml\"; \
                 start=\"<root@x>\"; start-info=\"text/xml\"",
            )],
            package,
            PLACE,
        ),
        (
            "proxy.version.1_2",
            vec![SOAP_12],
            message(V1_2, "", "<o:placeOrder/>").into_bytes(),
            PLACE,
        ),
        (
            "proxy.coding.gzip",
            vec![XML, ("Content-Encoding", "gzip")],
            zipped,
            PLACE,
        ),
        (
            "proxy.operation.unknown",
            vec![XML],
            message(V1_1, "", "<o:dropOrder/>").into_bytes(),
            UNKNOWN,
        ),
        (
            "proxy.operation.unknown_namespace",
            vec![XML],
            message(V1_1, "", "<getOrder/>").into_bytes(),
            UNKNOWN,
        ),
        (
            "proxy.body.encrypted",
            vec![XML, ("SOAPAction", "urn:orders:placeOrder")],
            message(V1_1, "", encrypted).into_bytes(),
            PLACE,
        ),
        (
            "proxy.body.empty",
            vec![XML, ("SOAPAction", "\"urn:orders:getOrder\"")],
            message(V1_1, "", "").into_bytes(),
            GET,
        ),
        (
            "proxy.body.several_children",
            vec![XML],
            message(V1_1, "", "<o:getOrder/><o:placeOrder/>").into_bytes(),
            GET,
        ),
    ]
}

#[tokio::test]
async fn the_body_says_what_is_called_and_its_bytes_go_on_untouched() {
    let _machine = shared().await;
    let house = House::new().await;
    house
        .redeploy(json!({ "soap": { "prefix_bytes_max": 262_144 } }))
        .await;
    let mut expected = BTreeMap::<String, u64>::new();
    for (id, fields, body, operation) in rows() {
        let answer = house.post(&fields, &body).await;
        assert_eq!(answer.status, 200, "{id}: {}", answer.text());
        assert_eq!(
            answer.field("x-echo"),
            Some("POST /back/orders HTTP/1.1"),
            "{id}"
        );
        assert!(answer.body == body, "{id}: the body is not the same");
        *expected.entry(operation.to_owned()).or_default() += 1;
    }
    let calls = house.calls(expected.values().sum()).await;
    assert_eq!(calls, Vec::from_iter(expected));
}

#[tokio::test]
async fn a_body_that_comes_in_pieces_is_read_as_it_comes() {
    let _machine = shared().await;
    let house = House::new().await;
    let body = message(
        V1_1,
        &format!("<s:Header><x>{}</x></s:Header>", "y".repeat(5_000)),
        &format!(
            "<o:placeOrder><o:note>{}</o:note></o:placeOrder>",
            "z".repeat(100_000)
        ),
    );
    let key = ("apikey", house.consumer.key.as_str());
    // proxy.coding.chunked: each chunk on its own.
    let head = http::request(
        "POST",
        "/orders/1.0",
        &[key, XML, ("Transfer-Encoding", "chunked")],
        b"",
    );
    let head = String::from_utf8(head)
        .unwrap()
        .replace("Content-Length: 0\r\n", "");
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection.send(head.as_bytes()).await.unwrap();
    for piece in body.as_bytes().chunks(997) {
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        connection.send(&chunk).await.unwrap();
        tokio::task::yield_now().await;
    }
    connection.send(b"0\r\n\r\n").await.unwrap();
    let answer = connection.answer(false).await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    let echoed = String::from_utf8(answer.body).unwrap();
    let plain: String = {
        let mut lines = echoed.split("\r\n");
        let mut plain = String::new();
        while let (Some(size), Some(data)) = (lines.next(), lines.next()) {
            if size == "0" {
                break;
            }
            assert_eq!(usize::from_str_radix(size, 16).unwrap(), data.len());
            plain += data;
        }
        plain
    };
    assert!(plain == body, "the chunks' data is not the same");

    // A caller that waits with its body is asked for it, since it says what is called.
    let waiting = http::request(
        "POST",
        "/orders/1.0",
        &[key, XML, ("Expect", "100-continue")],
        &order_wanted(),
    );
    let at = waiting.len() - order_wanted().len();
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection.send(&waiting[..at]).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    connection.send(&waiting[at..]).await.unwrap();
    let answer = connection.answer(false).await.unwrap();
    assert_eq!((answer.status, answer.body), (200, order_wanted()));
    let expected = [("getOrder".to_owned(), 1), ("placeOrder".to_owned(), 1)];
    assert_eq!(house.calls(2).await, expected);
}

#[tokio::test]
async fn what_the_back_end_answers_comes_back_as_it_is() {
    let _machine = shared().await;
    let house = House::new().await;
    let fault = message(
        V1_1,
        "",
        "<s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring></s:Fault>",
    );
    let zipped = "\u{1f}\u{8b}not really";
    let large = "x".repeat(3_000_000);
    let answer = |line: &str, fields: &str, body: &str| {
        format!(
            "HTTP/1.1 {line}\r\n{fields}content-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let rows = [
        (
            "proxy.answer.fault",
            answer(
                "500 Internal Server Error",
                "content-type: text/xml\r\n",
                &fault,
            ),
            500,
            fault.as_str(),
        ),
        (
            "proxy.answer.fault_in_200",
            answer("200 OK", "content-type: text/xml\r\n", &fault),
            200,
            &fault,
        ),
        (
            "proxy.answer.one_way",
            "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned(),
            202,
            "",
        ),
        (
            "proxy.answer.gzip",
            answer("200 OK", "content-encoding: gzip\r\n", zipped),
            200,
            zipped,
        ),
        (
            "proxy.answer.large",
            answer("200 OK", "content-type: text/xml\r\n", &large),
            200,
            &large,
        ),
    ];
    for (id, bytes, status, body) in rows {
        house
            .upstream
            .behave(Behaviour::Answer(bytes.into_bytes().into()));
        let answer = house.post(&[XML], &order_wanted()).await;
        assert_eq!(answer.status, status, "{id}");
        assert!(
            answer.body == body.as_bytes(),
            "{id}: the body is not the same"
        );
    }
}

#[tokio::test]
async fn the_limit_of_an_operation_is_its_own_and_a_false_action_evades_nothing() {
    let _machine = shared().await;
    let house = House::new().await;
    let day = |amount: u32| json!([{ "per": "operation", "amount": amount, "window": "day" }]);
    house
        .redeploy(json!({ "soap": {
            "operations": [
                { "name": "getOrder", "limits": day(3) },
                { "name": "placeOrder", "limits": day(4) },
            ],
            "unknown": { "limits": day(1) },
        } }))
        .await;
    let action = |name: &'static str| [XML, ("SOAPAction", name)];
    let (get, place) = ("urn:orders:getOrder", "\"urn:orders:placeOrder\"");
    let unknown = |name: &str| message(V1_1, "", &format!("<o:{name}/>")).into_bytes();
    assert_eq!(house.post(&action(get), &order_wanted()).await.status, 200);
    // Each of these two is one of getOrder and one of placeOrder.
    assert_eq!(
        house.post(&action(place), &order_wanted()).await.status,
        200
    );
    assert_eq!(house.post(&action(get), &place_order()).await.status, 200);
    // proxy.limit: getOrder has none left, by whatever it is called.
    for fields in [action(get), action(place), [XML, ("SOAPAction", "\"\"")]] {
        let refused = house.post(&fields, &order_wanted()).await;
        assert!(
            refused.text().contains("<code>admit.operation</code>"),
            "{}",
            refused.text()
        );
        assert!(refused.field("retry-after").is_some());
    }
    assert_eq!(house.post(&action(get), &place_order()).await.status, 500);
    assert_eq!(house.post(&action(get), &unknown("a")).await.status, 500);
    // proxy.limit.neighbour: placeOrder was charged twice, and by no call that was refused.
    for _ in 0..2 {
        assert_eq!(house.post(&action(place), &place_order()).await.status, 200);
    }
    assert_eq!(house.post(&action(place), &place_order()).await.status, 500);
    // proxy.limit.unknown: unknown names share what they have.
    assert_eq!(house.post(&[XML], &unknown("b")).await.status, 200);
    assert_eq!(house.post(&[XML], &unknown("c")).await.status, 500);
    assert_eq!(house.upstream.requests(), 6);
}
