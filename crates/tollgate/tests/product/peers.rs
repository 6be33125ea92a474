//! The SOAP peers of the SOAP tests, called directly: their behaviour is verified before a gateway
//! is placed in between.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Peer, Peers, http};

/// Operations that npm's soap also serves.
const OF_NODE_SOAP: &[&str] = &[
    "getOrder",
    "searchOrders",
    "createOrder",
    "deleteOrder",
    "getItem",
    "getCategories",
    "getReport",
    "echoReport",
    "getDocument",
    "storeDocument",
    "ping",
];
/// Orders with errors that only CXF produces.
const TROUBLE: &[u64] = &[501, 502];

/// Returns the peers, if they are built.
pub(crate) fn peers() -> Option<Peers> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers");
    Peers::find(folder).unwrap()
}

/// Returns the server of Apache CXF, which rejects and never sends messages that violate its
/// schemas.
pub(crate) fn shop(peers: &Peers) -> Peer {
    peers.strict_cxf().unwrap()
}

/// Returns the number of an order that no other test ships: the servers, which all tests share,
/// count shipments.
pub(crate) fn order_to_ship() -> u32 {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    700_000_000 + std::process::id() % 1_000_000 * 100 + count
}

/// Returns the calls that zeep makes to a service.
pub(crate) fn calls(service: &str) -> Value {
    let calls: Value = serde_json::from_str(include_str!("../peers/calls.json")).unwrap();
    calls[service].clone()
}

/// Returns the responses that zeep reads from a server, given only its WSDL.
fn zeep_responses(
    peers: &Peers,
    peer: &Peer,
    (path, service, port): (&str, &str, &str),
) -> Vec<Value> {
    let wsdl = format!("{}/{path}?wsdl", peer.url);
    let calls = calls(service);
    let body = json!({ "wsdl": wsdl, "service": service, "port": port, "calls": calls });
    let dumps = peers.zeep(&body).unwrap();
    dumps.as_array().unwrap().clone()
}

/// Calls the shop in SOAP 1.1 with this content of the body.
async fn post(peer: &Peer, content: &str) -> Answer {
    let envelope = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' \
         xmlns='http://shop.example/orders'><e:Body>{content}</e:Body></e:Envelope>"
    );
    let fields = [("content-type", "text/xml; charset=utf-8")];
    let request = http::request("POST", "/shop", &fields, envelope.as_bytes());
    let address = peer.url.strip_prefix("http://").unwrap();
    http::call(address.parse().unwrap(), &request)
        .await
        .unwrap()
}

#[tokio::test]
async fn zeep_reads_the_same_in_both_versions_and_from_both_servers() {
    let Some(peers) = peers() else { return };
    let cxf = shop(&peers);
    let first = zeep_responses(&peers, &cxf, ("shop", "Shop", "ShopSoap11"));
    let second = zeep_responses(&peers, &cxf, ("shop", "Shop", "ShopSoap12"));
    let till = zeep_responses(&peers, &cxf, ("till", "Till", "Till"));

    // zeep does not support substitution groups; it reports an error each time.
    let failed = |dumps: &[Value]| -> Vec<String> {
        let errors = dumps.iter().filter(|dump| dump.get("error").is_some());
        errors.map(|dump| dump["operation"].to_string()).collect()
    };
    assert_eq!(failed(&first), ["\"listItems\""]);
    assert_eq!(failed(&second), ["\"listItems\""]);
    assert_eq!(failed(&till), Vec::<String>::new());
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(first.get("answer"), second.get("answer"));
        assert_eq!(first["fault"]["message"], second["fault"]["message"]);
    }
    let subcodes: Vec<_> = second
        .iter()
        .map(|dump| &dump["fault"]["subcodes"])
        .collect();
    assert!(subcodes.contains(&&json!(["{urn:shop:trouble}NotYours"])));

    let node = peers.node_soap().unwrap();
    let other = zeep_responses(&peers, &node, ("shop", "Shop", "ShopSoap11"));
    let mut compared = 0;
    for ((call, first), other) in calls("Shop")
        .as_array()
        .unwrap()
        .iter()
        .zip(&first)
        .zip(&other)
    {
        let operation = call["operation"].as_str().unwrap();
        let order = call["arguments"]["orderId"].as_u64();
        let is_same = !order.is_some_and(|order| TROUBLE.contains(&order));
        if OF_NODE_SOAP.contains(&operation) && is_same {
            assert_eq!(first, other, "{call}");
            compared += 1;
        }
    }
    assert!(compared > OF_NODE_SOAP.len(), "{compared}");
}

#[tokio::test]
async fn messages_of_the_servers_are_valid_by_the_contract() {
    let Some(peers) = peers() else { return };
    let mut judge = peers.judge().unwrap();
    let contract = peers.contract();
    let contents = [
        "<getOrder><orderId>30</orderId></getOrder>",
        "<getOrder><orderId>20</orderId></getOrder>",
        "<getOrder><orderId>77</orderId></getOrder>",
        "<searchOrders><limit>60</limit></searchOrders>",
        "<getCategories><depth>3</depth></getCategories>",
        "<getReport><bytes>5000</bytes></getReport>",
    ];
    let of_cxf = [
        "<listItems/>",
        "<getNotice><noticeId>1</noticeId></getNotice>",
        "<stockOf>BK-0001</stockOf>",
    ];
    let cxf = peers.cxf().unwrap();
    let node = peers.node_soap().unwrap();
    let calls = contents.iter().flat_map(|it| [(&cxf, it), (&node, it)]);
    for (peer, content) in calls.chain(of_cxf.iter().map(|it| (&cxf, it))) {
        let answer = post(peer, content).await;
        assert_eq!(
            answer.status,
            if content.contains("77") { 500 } else { 200 }
        );
        let xml = answer.text();
        let fault = judge.fault(&contract, &xml, None).unwrap();
        assert_eq!(fault, None, "{content} got {xml}");
        // The validator works: a message outside the contract is rejected.
        let wrong = xml.replace("orderId>", "order>").replace("title>", "name>");
        if wrong != xml {
            let fault = judge.fault(&contract, &wrong, None).unwrap();
            assert!(fault.is_some(), "{wrong}");
        }
    }
    let size = post(&cxf, contents[5]).await.body.len();
    assert_eq!(size, 5_000);
}

#[tokio::test]
async fn a_one_way_call_arrives_and_binary_content_can_come_as_mtom() {
    let Some(peers) = peers() else { return };
    let cxf = shop(&peers);
    for peer in [&cxf, &peers.node_soap().unwrap()] {
        let order = order_to_ship();
        let shipped = format!(
            "<notifyShipped><orderId>{order}</orderId>\
             <shipped>2026-01-01T00:00:00Z</shipped></notifyShipped>"
        );
        let answer = post(peer, &shipped).await;
        assert_eq!((answer.status, answer.text().as_str()), (202, ""));
        // A server may respond to a one-way call before it processes it.
        let begun = Instant::now();
        let count = format!("<countShipped><orderId>{order}</orderId></countShipped>");
        while !post(peer, &count).await.text().contains("count>1</") {
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "it did not arrive"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    let content = "<getDocument><name>d-1000</name><attached>true</attached></getDocument>";
    let answer = post(&cxf, content).await;
    let kind = answer.field("content-type").unwrap();
    assert!(kind.starts_with("multipart/related;"), "{kind}");
    assert!(kind.contains("type=\"application/xop+xml\""), "{kind}");
}

#[tokio::test]
async fn a_client_of_cxf_needs_nothing_but_the_wsdl() {
    let Some(peers) = peers() else { return };
    let cxf = shop(&peers);
    let wsdl = format!("{}/shop?wsdl", cxf.url);
    for version in ["1.1", "1.2"] {
        let folder = tempfile::tempdir().unwrap();
        peers
            .call_with_cxf(&wsdl, version, folder.path(), &[])
            .unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(
            read("report-5000.response.xml").contains("soap-envelope"),
            version == "1.2"
        );
        assert!(read("fault.response.xml").contains("orderNotFound"));
    }
}
