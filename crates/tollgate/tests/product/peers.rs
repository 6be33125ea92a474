//! The SOAP peers that the tests of SOAP rely on, called directly: what they say is proved before a
//! gateway stands between them.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Peer, Peers, http};

/// Operations that npm's soap serves too.
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
/// Orders whose trouble only CXF makes.
const TROUBLE: &[u64] = &[501, 502];

/// The peers, where they are built.
pub(crate) fn peers() -> Option<Peers> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers");
    Peers::find(folder).unwrap()
}

/// The server of Apache CXF, which refuses and never sends what its schemas do not allow; one for
/// all tests, since it takes seconds to start.
pub(crate) fn shop(peers: &Peers) -> &'static Peer {
    static SHOP: OnceLock<Peer> = OnceLock::new();
    SHOP.get_or_init(|| peers.strict_cxf().unwrap())
}

/// The calls that zeep makes of a service.
pub(crate) fn calls(service: &str) -> Value {
    let calls: Value = serde_json::from_str(include_str!("../peers/calls.json")).unwrap();
    calls[service].clone()
}

/// What zeep reads of a server that it knows by its WSDL alone.
fn read(peers: &Peers, peer: &Peer, (path, service, port): (&str, &str, &str)) -> Vec<Value> {
    let wsdl = format!("{}/{path}?wsdl", peer.url);
    let calls = calls(service);
    let wanted = json!({ "wsdl": wsdl, "service": service, "port": port, "calls": calls });
    let dumps = peers.zeep(&wanted).unwrap();
    dumps.as_array().unwrap().clone()
}

/// A call of the shop in SOAP 1.1, its body's content given.
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
    let first = read(&peers, cxf, ("shop", "Shop", "ShopSoap11"));
    let second = read(&peers, cxf, ("shop", "Shop", "ShopSoap12"));
    let till = read(&peers, cxf, ("till", "Till", "Till"));

    // A substitution group is beyond zeep; it says so each time.
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
    let other = read(&peers, &node, ("shop", "Shop", "ShopSoap11"));
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
async fn what_the_servers_send_is_valid_by_the_contract() {
    let Some(peers) = peers() else { return };
    let mut judge = peers.judge().unwrap();
    let contract = peers.contract();
    let wanted = [
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
    let calls = wanted.iter().flat_map(|it| [(&cxf, it), (&node, it)]);
    for (peer, content) in calls.chain(of_cxf.iter().map(|it| (&cxf, it))) {
        let answer = post(peer, content).await;
        assert_eq!(
            answer.status,
            if content.contains("77") { 500 } else { 200 }
        );
        let xml = answer.text();
        let fault = judge.fault(&contract, &xml, None).unwrap();
        assert_eq!(fault, None, "{content} got {xml}");
        // The judge is one: what the contract does not know is refused.
        let wrong = xml.replace("orderId>", "order>").replace("title>", "name>");
        if wrong != xml {
            let fault = judge.fault(&contract, &wrong, None).unwrap();
            assert!(fault.is_some(), "{wrong}");
        }
    }
    let size = post(&cxf, wanted[5]).await.body.len();
    assert_eq!(size, 5_000);
}

#[tokio::test]
async fn a_one_way_call_arrives_and_binary_content_can_come_as_mtom() {
    let Some(peers) = peers() else { return };
    let cxf = shop(&peers);
    for peer in [cxf, &peers.node_soap().unwrap()] {
        // An order of this test alone: the server counts for all.
        let shipped = "<notifyShipped><orderId>700007</orderId>\
                       <shipped>2026-01-01T00:00:00Z</shipped></notifyShipped>";
        let answer = post(peer, shipped).await;
        assert_eq!((answer.status, answer.text().as_str()), (202, ""));
        // Who answers a one-way call may not have looked at it yet.
        let begun = Instant::now();
        let count = "<countShipped><orderId>700007</orderId></countShipped>";
        while !post(peer, count).await.text().contains("count>1</") {
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "it did not arrive"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    let wanted = "<getDocument><name>d-1000</name><attached>true</attached></getDocument>";
    let answer = post(cxf, wanted).await;
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
