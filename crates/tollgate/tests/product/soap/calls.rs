//! The operation of a call, and that messages are forwarded unchanged.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;
use tollgate_testkit::{Behaviour, Connection, http};

use super::{
    House, ORDERS, V1_1, V1_2, WSDL, XML, archive, archive_with, message, order_request,
    place_order,
};
use crate::house::builder;

const GET: &str = "getOrder";
const PLACE: &str = "placeOrder";
const UNKNOWN: &str = "_unknown";
const SOAP_12: (&str, &str) = ("Content-Type", "application/soap+xml; charset=utf-8");

const PACKAGE: &str = "multipart/related; boundary=b1; type=\"application/xop+xml\"; \
    start=\"<root@x>\"; start-info=\"text/xml\"";

/// Returns a message with an attachment, as `PACKAGE` declares.
fn package(message: &[u8]) -> Vec<u8> {
    [
        b"--b1\r\nContent-Type: application/xop+xml; charset=UTF-8; type=\"text/xml\"\r\n\
          Content-Transfer-Encoding: binary\r\nContent-ID: <root@x>\r\n\r\n",
        message,
        b"\r\n--b1\r\nContent-ID: <a@x>\r\nContent-Type: image/png\r\n\r\n\
          \0\xff\r\n--b\r\n\r\n--b1--\r\n",
    ]
    .concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    zipped.write_all(bytes).unwrap();
    zipped.finish().unwrap()
}

/// Returns a body in chunks of this size.
fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let chunks = body.chunks(size).flat_map(|piece| {
        let head = format!("{:x}\r\n", piece.len());
        [head.as_bytes(), piece, b"\r\n"].concat()
    });
    chunks.chain(*b"0\r\n\r\n").collect()
}

/// Returns the content of the chunks of a body.
fn unchunked(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = chunks.windows(2).position(|it| it == b"\r\n").unwrap();
        let size = std::str::from_utf8(&chunks[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return body;
        }
        chunks = &chunks[end + 2..];
        body.extend_from_slice(&chunks[..size]);
        assert_eq!(chunks[size..][..2], *b"\r\n");
        chunks = &chunks[size + 2..];
    }
}

/// A call that is forwarded: id, fields, body, and its operation.
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
    let latin = |declared: &str| -> Vec<u8> {
        let text = message(V1_1, "", "<o:getOrder><o:id>\u{e4}</o:id></o:getOrder>");
        let text = format!("{declared}{text}");
        text.chars()
            .map(|it| u8::try_from(u32::from(it)).unwrap())
            .collect()
    };
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
        // An encrypted body names no operation, so the parameter does.
        (
            "proxy.action.parameter_first",
            vec![(
                "Content-Type",
                "application/soap+xml; action=\"urn:orders:getOrder\"; charset=utf-8",
            )],
            message(V1_2, "", encrypted).into_bytes(),
            GET,
        ),
        (
            "proxy.action.parameter_between",
            vec![(
                "Content-Type",
                "Application/SOAP+XML; x=\"; action=urn:orders:getOrder\" ; \
                 Action=\"urn:orders:placeOrder\";charset=\"utf-8\"",
            )],
            message(V1_2, "", encrypted).into_bytes(),
            PLACE,
        ),
        (
            "proxy.action.parameter_last",
            vec![(
                "Content-Type",
                "application/soap+xml;charset=utf-8;action=urn:orders:getOrder",
            )],
            message(V1_2, "", encrypted).into_bytes(),
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
            latin(""),
            GET,
        ),
        (
            "proxy.encoding.latin_1",
            vec![("Content-Type", "text/xml")],
            latin("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"),
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
            vec![("Content-Type", PACKAGE)],
            package(&place_order()),
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
            gzip(&place_order()),
            PLACE,
        ),
        (
            "proxy.operation.unknown",
            vec![XML],
            message(V1_1, "", "<o:dropOrder/>").into_bytes(),
            UNKNOWN,
        ),
        (
            "proxy.operation.no_namespace",
            vec![XML],
            message(V1_1, "", "<getOrder/>").into_bytes(),
            GET,
        ),
        (
            "proxy.operation.other_namespace",
            vec![XML, ("SOAPAction", "\"\"")],
            message(V1_1, "", "<getOrder xmlns='urn:other'/>").into_bytes(),
            GET,
        ),
        (
            "proxy.operation.by_action",
            vec![XML, ("SOAPAction", "urn:orders:placeOrder")],
            message(V1_1, "", "<o:dropOrder/>").into_bytes(),
            PLACE,
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
            "proxy.body.encrypted_without_action",
            vec![XML],
            message(V1_1, "", encrypted).into_bytes(),
            UNKNOWN,
        ),
        (
            "proxy.body.several_children",
            vec![XML],
            message(V1_1, "", "<o:getOrder/><o:placeOrder/>").into_bytes(),
            GET,
        ),
        // Content after the name of the operation is for the back end to validate.
        (
            "proxy.body.malformed_behind_the_name",
            vec![XML],
            text(
                "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\
                  <getOrder xmlns='urn:orders'><a></b>&none;<c",
            ),
            GET,
        ),
        (
            "proxy.body.deep_behind_the_name",
            vec![XML],
            text(&message(
                V1_1,
                "",
                &format!("<o:getOrder>{}", "<x>".repeat(20_000)),
            )),
            GET,
        ),
    ]
}

#[tokio::test]
async fn the_body_determines_the_operation_and_is_forwarded_unchanged() {
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
    let usage = house.admin.done("GET", "/api/v1/usage", None).await;
    // The false action, and the three of `proxy.operation` not named by the name of their body.
    assert_eq!(usage.unwrap()["rows"][0]["mismatched"], 4);
}

#[tokio::test]
async fn a_body_in_pieces_is_read_as_it_arrives() {
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
    let zipped = ("Content-Encoding", "gzip");
    let rows: [(_, &[_], _, _); 2] = [
        ("proxy.coding.chunked", &[XML], body.into_bytes(), 997),
        (
            "proxy.coding.gzip_chunked",
            &[XML, zipped],
            gzip(&place_order()),
            7,
        ),
    ];
    for (id, fields, body, size) in rows {
        let fields = [&[key, ("Transfer-Encoding", "chunked")], fields].concat();
        let head = http::request("POST", "/orders/1.0", &fields, b"");
        let head = String::from_utf8(head).unwrap();
        let head = head.replace("Content-Length: 0\r\n", "");
        let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
        connection.send(head.as_bytes()).await.unwrap();
        for piece in chunked(&body, size).chunks(size) {
            connection.send(piece).await.unwrap();
            tokio::task::yield_now().await;
        }
        let answer = connection.answer(false).await.unwrap();
        assert_eq!(answer.status, 200, "{id}: {}", answer.text());
        assert!(
            unchunked(&answer.body) == body,
            "{id}: the data is not the same"
        );
    }

    // A caller that waits with its body gets a 100, since the body determines the operation.
    let waiting = http::request(
        "POST",
        "/orders/1.0",
        &[key, XML, ("Expect", "100-continue")],
        &order_request(),
    );
    let at = waiting.len() - order_request().len();
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection.send(&waiting[..at]).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    connection.send(&waiting[at..]).await.unwrap();
    let answer = connection.answer(false).await.unwrap();
    assert_eq!((answer.status, answer.body), (200, order_request()));
    let expected = [("getOrder".to_owned(), 1), ("placeOrder".to_owned(), 2)];
    assert_eq!(house.calls(3).await, expected);
}

/// A response of a back end: id, status line, fields, body, and the body as sent.
type BackEndResponse = (&'static str, &'static str, &'static str, Vec<u8>, Vec<u8>);

fn answers() -> Vec<BackEndResponse> {
    let whole = |id, line, fields, body: &[u8]| (id, line, fields, body.to_vec(), body.to_vec());
    let pieces = |id, fields, body: Vec<u8>| {
        let sent = chunked(&body, 1_000);
        (id, "200 OK", fields, body, sent)
    };
    let fault = "<s:Fault><faultcode>s:VersionMismatch</faultcode><faultstring>no</faultstring>\
        </s:Fault>";
    let fault = message(V1_1, "", fault).into_bytes();
    let fault_1_2 = "<s:Fault><s:Code><s:Value>s:Sender</s:Value></s:Code><s:Reason>\
        <s:Text xml:lang='de'>\u{e4}</s:Text></s:Reason></s:Fault>";
    let fault_1_2 = message(V1_2, "", fault_1_2).into_bytes();
    let answer = |size| message(V1_1, "", &format!("<o:x>{}</o:x>", "x".repeat(size))).into_bytes();
    let (error, ok, xml) = (
        "500 Internal Server Error",
        "200 OK",
        "Content-Type: text/xml\r\n",
    );
    vec![
        whole("proxy.answer.fault.1_1", error, xml, &fault),
        whole(
            "proxy.answer.fault.1_2",
            "400 Bad Request",
            "Content-Type: application/soap+xml; charset=\"utf-8\"; action=\"urn:x\"\r\n",
            &fault_1_2,
        ),
        whole("proxy.answer.fault_in_200", ok, xml, &fault),
        whole("proxy.answer.one_way", "202 Accepted", "", b""),
        whole(
            "proxy.answer.gzip",
            ok,
            "Content-Type: text/xml\r\nContent-Encoding: gzip\r\n",
            &gzip(&answer(5_000)),
        ),
        pieces(
            "proxy.answer.chunked",
            "Content-Type: text/xml\r\nTransfer-Encoding: chunked\r\n",
            answer(100_000),
        ),
        pieces(
            "proxy.answer.gzip_chunked",
            "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
            gzip(&answer(5_000)),
        ),
        whole(
            "proxy.answer.mtom",
            ok,
            "Content-Type: multipart/related; boundary=b1; type=\"application/xop+xml\"; \
             start=\"<root@x>\"; start-info=\"text/xml\"\r\nMIME-Version: 1.0\r\n",
            &package(&answer(1)),
        ),
        whole("proxy.answer.large", ok, xml, &answer(3_000_000)),
    ]
}

#[tokio::test]
async fn the_back_ends_response_is_forwarded_unchanged() {
    let house = House::new().await;
    for (id, line, fields, body, sent) in answers() {
        let length = match fields.contains("chunked") {
            true => String::new(),
            false => format!("Content-Length: {}\r\n", sent.len()),
        };
        let head = format!("HTTP/1.1 {line}\r\n{fields}{length}\r\n");
        let response = [head.as_bytes(), &sent].concat();
        house.upstream.behave(Behaviour::Answer(response.into()));
        for (media_type, version) in [(XML, V1_1), (SOAP_12, V1_2)] {
            let request = message(version, "", "<o:getOrder/>");
            let answer = house.post(&[media_type], request.as_bytes()).await;
            assert_eq!(answer.status.to_string(), line[..3], "{id}");
            for field in fields.split_terminator("\r\n") {
                let (name, value) = field.split_once(": ").unwrap();
                assert_eq!(answer.field(&name.to_lowercase()), Some(value), "{id}");
            }
            assert!(answer.body == body, "{id}: the body is not the same");
        }
    }
}

#[tokio::test]
async fn a_large_response_is_forwarded_while_it_arrives() {
    let house = House::new().await;
    // proxy.answer.streamed: the other half is not sent before the first one is read.
    let half = vec![b'x'; 1_500_000];
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 3000000\r\n\r\n";
    let response = [head.as_bytes(), &half].concat();
    let hour = Duration::from_secs(3_600);
    house
        .upstream
        .behave(Behaviour::Repeat(hour, response.into()));
    let key = ("apikey", house.consumer.key.as_str());
    let request = http::request("POST", "/orders/1.0", &[key, XML], &order_request());
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection.send(&request).await.unwrap();
    let (begun, mut came) = (Instant::now(), 0);
    while came <= half.len() {
        let (bytes, has_closed) = connection.until_quiet(Duration::from_millis(100)).await;
        came += bytes.len();
        let is_late = begun.elapsed() > Duration::from_secs(30);
        assert!(!has_closed && !is_late, "{came} bytes came");
    }
}

#[tokio::test]
async fn a_soap_version_that_the_port_does_not_support_is_forwarded() {
    let rows = [
        ("proxy.version.1_1_on_1_2", "Orders12", (XML, V1_1)),
        ("proxy.version.1_2_on_1_1", "Orders11", (SOAP_12, V1_2)),
    ];
    for (id, port, (media_type, version)) in rows {
        let query = format!("kind=soap&port={port}");
        let house = House::of(&builder(), &query, ("application/zip", &archive())).await;
        assert_eq!(house.imported["port"], port, "{id}");
        let body = message(version, "", "<o:placeOrder/>").into_bytes();
        let answer = house.post(&[media_type], &body).await;
        assert_eq!((answer.status, answer.body), (200, body), "{id}");
        assert_eq!(house.calls(1).await, [(PLACE.to_owned(), 1)], "{id}");
    }
}

#[tokio::test]
async fn a_name_in_two_port_types_is_that_of_the_chosen_port() {
    // In the archive, too, `getOrder` is an operation: with the message of `placeOrder`.
    let archive = r#"<portType name="Archive"><operation name="getOrder">
        <input message="o:placeOrder"/></operation></portType>
      <binding name="BA" type="o:Archive">
        <s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
        <operation name="getOrder"><s:operation soapAction="urn:archive:getOrder"/>
          <input><s:body use="literal"/></input></operation></binding>
      <service name="OrderService"><port name="Archive" binding="o:BA">
        <s:address location="http://back.internal:8001/archive"/></port>"#;
    let wsdl = WSDL.replace("<service name=\"OrderService\">", archive);
    let rows = [
        ("proxy.port_types.preferred", "", [GET, PLACE]),
        ("proxy.port_types.chosen", "&port=Archive", [UNKNOWN, GET]),
    ];
    for (id, port, [get, place]) in rows {
        let contract = archive_with(&wsdl, ORDERS);
        let query = format!("kind=soap{port}");
        let house = House::of(&builder(), &query, ("application/zip", &contract)).await;
        // Ports that are not published are still reported, and only exist at the gateway.
        let ports = &house.imported["report"]["services"][0]["ports"];
        assert_eq!(ports[0]["operations"][0]["name"], GET, "{id}");
        assert_eq!(ports[0]["name"], "Archive", "{id}");
        let served = house.get("/orders/1.0?wsdl").await.text();
        assert!(!served.contains("back.internal"), "{id}: {served}");
        house.post(&[XML], &order_request()).await;
        house.post(&[XML], &place_order()).await;
        house.post(&[XML], &place_order()).await;
        // Reading the contract is not a call.
        let mut expected =
            [("-", 1), (get, 1), (place, 2)].map(|(of, calls)| (of.to_owned(), calls));
        expected.sort();
        assert_eq!(house.calls(4).await, expected, "{id}");
    }
}

#[tokio::test]
async fn an_operation_has_its_own_limit_and_a_false_action_evades_nothing() {
    let house = House::new().await;
    house
        .redeploy(json!({ "soap": {
            "operations": [
                { "name": "getOrder", "limits": per_day(3) },
                { "name": "placeOrder", "limits": per_day(4) },
            ],
            "unknown": { "limits": per_day(1) },
        } }))
        .await;
    let action = |name: &'static str| [XML, ("SOAPAction", name)];
    let (get, place) = ("urn:orders:getOrder", "\"urn:orders:placeOrder\"");
    let unknown = |name: &str| message(V1_1, "", &format!("<o:{name}/>")).into_bytes();
    assert_eq!(house.post(&action(get), &order_request()).await.status, 200);
    // Each of these two counts for getOrder and for placeOrder.
    assert_eq!(
        house.post(&action(place), &order_request()).await.status,
        200
    );
    assert_eq!(house.post(&action(get), &place_order()).await.status, 200);
    // proxy.limit: getOrder is exhausted, under every name.
    for fields in [action(get), action(place), [XML, ("SOAPAction", "\"\"")]] {
        let refused = house.post(&fields, &order_request()).await;
        assert!(
            refused.text().contains("<code>admit.operation</code>"),
            "{}",
            refused.text()
        );
        assert!(refused.field("retry-after").is_some());
    }
    assert_eq!(house.post(&action(get), &place_order()).await.status, 500);
    assert_eq!(house.post(&action(get), &unknown("a")).await.status, 500);
    // proxy.limit.neighbour: placeOrder was charged twice, and for no refused call.
    for _ in 0..2 {
        assert_eq!(house.post(&action(place), &place_order()).await.status, 200);
    }
    assert_eq!(house.post(&action(place), &place_order()).await.status, 500);
    // proxy.limit.unknown: unknown names share one limit.
    assert_eq!(house.post(&[XML], &unknown("b")).await.status, 200);
    assert_eq!(house.post(&[XML], &unknown("c")).await.status, 500);
    assert_eq!(house.upstream.requests(), 6);
}

/// Returns whether a call is forwarded, or the code of its refusal.
async fn outcome(house: &House, action: &str, body: &str) -> &'static str {
    let fields = [XML, ("SOAPAction", action)];
    let answer = house
        .post(&fields, message(V1_1, "", body).as_bytes())
        .await;
    let text = answer.text();
    match answer.status {
        200 => "passes",
        429 if text.contains("<code>admit.operation</code>") => "has no call left",
        404 if text.contains("<code>route.no_operation</code>") => "is refused as unknown",
        status => panic!("{status}: {text}"),
    }
}

fn per_day(amount: u32) -> serde_json::Value {
    json!([{ "per": "operation", "amount": amount, "window": "day" }])
}

#[tokio::test]
async fn a_call_with_a_deviating_name_is_charged_to_all_that_name_and_action_point_to() {
    let house = House::new().await;
    house
        .redeploy(json!({ "soap": {
            "fault_status": "http",
            "operations": [
                { "name": "getOrder", "limits": per_day(1) },
                { "name": "placeOrder", "limits": per_day(3) },
            ],
            "unknown": { "limits": per_day(2) },
        } }))
        .await;
    let (get, place) = ("urn:orders:getOrder", "urn:orders:placeOrder");
    let order = "<o:getOrder><o:id>1</o:id></o:getOrder>";
    let other_namespace = "<getOrder xmlns=\"urn:other\"/>";
    let no_call_left = "has no call left";
    let rows = [
        // proxy.limit.other_namespace
        ("", order, "passes"),
        ("", other_namespace, no_call_left),
        (get, other_namespace, no_call_left),
        (place, other_namespace, no_call_left),
        ("urn:none", "<getOrder/>", no_call_left),
        // proxy.limit.unknown_by_action: both `_unknown` and the operation of the action.
        (get, "<o:dropOrder/>", no_call_left),
        (place, "<o:dropOrder/>", "passes"),
        ("", "<o:dropOrder/>", "passes"),
        (place, "<o:dropOrder/>", no_call_left),
        (place, "<o:placeOrder/>", "passes"),
        (place, "<x:placeOrder xmlns:x=\"urn:x\"/>", "passes"),
        (place, "<o:placeOrder/>", no_call_left),
    ];
    for (at, (action, body, expected)) in rows.into_iter().enumerate() {
        assert_eq!(outcome(&house, action, body).await, expected, "row {at}");
    }
    // A refused call keeps the name that it would have had.
    let expected = [(UNKNOWN, 1), (GET, 6), (PLACE, 5)];
    let expected = expected.map(|(name, calls)| (name.to_owned(), calls));
    assert_eq!(house.calls(12).await, expected);
    // proxy.operation.refused: an action does not make it one of the contract.
    house
        .redeploy(json!({ "soap": {
            "operations": [{ "name": "getOrder" }, { "name": "placeOrder" }],
            "unknown": { "refused": true },
        } }))
        .await;
    for action in ["", get] {
        let refused = outcome(&house, action, "<o:dropOrder/>").await;
        assert_eq!(refused, "is refused as unknown", "{action}");
    }
    assert_eq!(outcome(&house, "", other_namespace).await, "passes");
}

#[tokio::test]
async fn a_local_name_that_several_operations_have_is_charged_to_each_of_them() {
    let messages = r#"<message name="oldOrder"><part name="p" element="old:getOrder"/></message>
      <message name="getOrder">"#;
    let operation = r#"<operation name="oldOrder"><input message="o:oldOrder"/></operation>
      </portType>"#;
    let binding = r#"<operation name="oldOrder"><t:operation soapAction="urn:old:getOrder"/>
      <input><t:body use="literal"/></input></operation></binding>
      <service name="OrderService">"#;
    let schema = r#"</x:schema><x:schema targetNamespace="urn:old">
      <x:element name="getOrder" type="x:string"/></x:schema></types>"#;
    let wsdl = WSDL
        .replace("xmlns:o=", "xmlns:old=\"urn:old\" xmlns:o=")
        .replace("<message name=\"getOrder\">", messages)
        .replace("</portType>", operation)
        .replace("</binding>\n  <service name=\"OrderService\">", binding)
        .replace("</x:schema>\n    </types>", schema);
    let contract = archive_with(&wsdl, ORDERS);
    let house = House::of(&builder(), "kind=soap", ("application/zip", &contract)).await;
    house
        .redeploy(json!({ "soap": {
            "fault_status": "http",
            "operations": [
                { "name": "getOrder", "limits": per_day(3) },
                { "name": "oldOrder", "limits": per_day(4) },
                { "name": "placeOrder" },
            ],
        } }))
        .await;
    let old = "urn:old:getOrder";
    let rows = [
        // proxy.limit.ambiguous_name: each of these counts for getOrder and for oldOrder.
        ("", "<getOrder/>", "passes"),
        (old, "<getOrder xmlns=\"urn:other\"/>", "passes"),
        ("urn:orders:placeOrder", "<getOrder/>", "passes"),
        ("", "<getOrder/>", "has no call left"),
        (old, "<getOrder/>", "has no call left"),
        ("", "<o:getOrder/>", "has no call left"),
        (old, "<getOrder xmlns=\"urn:old\"/>", "passes"),
        (old, "<getOrder xmlns=\"urn:old\"/>", "has no call left"),
    ];
    for (at, (action, body, expected)) in rows.into_iter().enumerate() {
        assert_eq!(outcome(&house, action, body).await, expected, "row {at}");
    }
    let expected = [(UNKNOWN, 2), (GET, 1), ("oldOrder", 4), (PLACE, 1)];
    let expected = expected.map(|(name, calls)| (name.to_owned(), calls));
    assert_eq!(house.calls(8).await, expected);
}
