//! Real clients and real servers with the gateway between them: contracts are imported from the
//! server's own URL, and clients only get the gateway's contract.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_testkit::control::Imported;
use tollgate_testkit::{Answer, Control, Peer, Peers, Tollgate, http, upstream};

use super::{V1_1, V1_2, calls_by_operation};
use crate::house::builder;
use crate::peers::{calls, order_to_ship, peers, shop};

/// A running process and, behind it, services of peers.
pub(super) struct Gate {
    pub(super) tollgate: Tollgate,
    pub(super) admin: Control,
}

/// A published service of a peer, and its consumer.
pub(super) struct Published {
    pub(super) api: Imported,
    /// Its path at the gateway.
    pub(super) path: String,
    pub(super) key: String,
}

impl Gate {
    pub(super) async fn new() -> Self {
        // The peers are on the loopback, which imports may not reach by default.
        let builder = builder().set("control-fetch-allowed", "127.0.0.1");
        let tollgate = builder.start().unwrap();
        let admin = Control::administrator(&tollgate).await.unwrap();
        admin.plan("tested", json!([])).await.unwrap();
        Self { tollgate, admin }
    }

    /// Publishes a peer's service at this path from the WSDL that the peer serves there, as `name`.
    async fn publish(&self, peer: &Peer, place: (&str, &str), name: &str) -> Published {
        self.publish_as(("kind=soap", name), peer, place).await
    }

    /// Like [`Self::publish`], with further query parameters of the import, such as the kind.
    pub(super) async fn publish_as(
        &self,
        (query, name): (&str, &str),
        peer: &Peer,
        (path, service): (&str, &str),
    ) -> Published {
        let target = format!(
            "/api/v1/apis/import/wsdl?context=%2F{name}&version=2.1&name={name}\
             &service={service}&{query}"
        );
        let wsdl = json!({ "url": format!("{}/{path}?wsdl", peer.url) });
        let imported = self.admin.done("POST", &target, Some(&wsdl)).await.unwrap();
        let text = |pointer: &str| imported.pointer(pointer).unwrap().as_str().unwrap();
        let api = Imported {
            api: text("/api/id").to_owned(),
            version: text("/version/id").to_owned(),
        };
        let upstream = text("/proposed_upstream");
        assert_eq!(upstream, format!("{}/{path}", peer.url));
        self.admin.upstream(&api.version, upstream).await.unwrap();
        self.admin.attach(&api.version, &["tested"]).await.unwrap();
        let lifecycle = self.admin.lifecycle(&api.version, "published");
        lifecycle.await.unwrap();
        let consumer = self.admin.consumer(name, &api.version, "tested");
        Published {
            key: consumer.await.unwrap().key,
            path: format!("/{name}/2.1"),
            api,
        }
    }

    /// Returns the address of the gateway, as seen by callers.
    fn url(&self) -> String {
        format!("http://{}", self.tollgate.gateway)
    }

    pub(super) async fn draft(&self, published: &Published) -> Value {
        let path = format!("/api/v1/versions/{}/draft", published.api.version);
        self.admin.done("GET", &path, None).await.unwrap()
    }

    /// Changes the deployed revision.
    pub(super) async fn redeploy(&self, published: &Published, change: Value) {
        let version = &published.api.version;
        let path = format!("/api/v1/versions/{version}/draft");
        let done = self.admin.done("PATCH", &path, Some(&change));
        done.await.unwrap();
        let revision = self.admin.revision(version).await.unwrap();
        self.admin.deploy(version, revision).await.unwrap();
    }

    /// Returns the responses that zeep reads, given only the gateway's WSDL.
    async fn zeep(
        &self,
        peers: &Peers,
        published: &Published,
        (service, port, calls): (&str, &str, Value),
        key: Option<&str>,
    ) -> Vec<Value> {
        let wsdl = format!("{}{}?wsdl", self.url(), published.path);
        let mut headers = json!({});
        if let Some(key) = key {
            headers["apikey"] = json!(key);
        }
        let body = json!({
            "wsdl": wsdl, "service": service, "port": port, "calls": calls, "headers": headers,
        });
        read(peers, body).await
    }

    /// Returns the messages of a CXF client that only gets the gateway's WSDL, by file name; or its
    /// error if a call fails.
    async fn cxf(
        &self,
        peers: &Peers,
        published: &Published,
        version: &'static str,
    ) -> Result<BTreeMap<String, String>, String> {
        let wsdl = format!("{}{}?wsdl", self.url(), published.path);
        let (peers, key) = (peers.clone(), published.key.clone());
        let called = tokio::task::spawn_blocking(move || {
            let folder = tempfile::tempdir().unwrap();
            let headers = [("apikey", key.as_str())];
            let called = peers.call_with_cxf(&wsdl, version, folder.path(), &headers);
            called.map_err(|error| error.to_string())?;
            let files = std::fs::read_dir(folder.path()).unwrap();
            let messages = files.map(|file| {
                let file = file.unwrap();
                let text = std::fs::read_to_string(file.path()).unwrap();
                (file.file_name().into_string().unwrap(), text)
            });
            Ok(messages.collect())
        });
        called.await.unwrap()
    }
}

/// Returns the responses that zeep reads, without blocking other tasks.
async fn read(peers: &Peers, request: Value) -> Vec<Value> {
    let peers = peers.clone();
    let dumps = tokio::task::spawn_blocking(move || peers.zeep(&request).unwrap());
    dumps.await.unwrap().as_array().unwrap().clone()
}

/// Returns the names of the called operations, and their number of calls.
fn counted(calls: &Value) -> BTreeMap<String, u64> {
    let mut counted = BTreeMap::new();
    for call in calls.as_array().unwrap() {
        let name = call["operation"].as_str().unwrap().to_owned();
        *counted.entry(name).or_default() += 1;
    }
    counted
}

#[tokio::test]
async fn zeep_reads_the_same_from_the_gateway_as_from_the_server() {
    let Some(peers) = peers() else { return };
    let gate = Gate::new().await;
    let cxf = &shop(&peers);
    let node = peers.node_soap().unwrap();
    // proxy.peer.zeep: a client by the gateway's WSDL alone.
    // id, server, path there, service, its ports
    let rows: [(_, _, _, _, &[&str]); 3] = [
        (
            "cxf",
            cxf,
            "shop",
            "Shop",
            &["ShopSoap11", "ShopSoap12"][..],
        ),
        ("till", cxf, "till", "Till", &["Till"]),
        ("node", &node, "shop", "Shop", &["ShopSoap11"]),
    ];
    let mut expected = BTreeMap::<String, u64>::new();
    for (id, peer, path, service, ports) in rows {
        let published = gate.publish(peer, (path, service), id).await;
        let calls = calls(service);
        let operations: BTreeSet<_> = counted(&calls).into_keys().collect();
        // Every operation of the contract is called.
        let draft = &gate.draft(&published).await["soap"]["operations"];
        let names = draft.as_array().unwrap().iter();
        let names: BTreeSet<_> = names
            .map(|it| it["name"].as_str().unwrap().into())
            .collect();
        assert_eq!(operations, names, "{id}");
        for port in ports {
            let wsdl = format!("{}/{path}?wsdl", peer.url);
            let direct =
                json!({ "wsdl": wsdl, "service": service, "port": port, "calls": calls.clone() });
            let request = (service, *port, calls.clone());
            let (direct, through) = tokio::join!(
                read(&peers, direct),
                gate.zeep(&peers, &published, request, Some(&published.key))
            );
            for ((call, direct), through) in
                calls.as_array().unwrap().iter().zip(&direct).zip(&through)
            {
                assert_eq!(direct, through, "{id}, {port}: {call}");
            }
            assert_eq!(direct.len(), through.len(), "{id}, {port}");
            let answered = through.iter().filter(|it| it.get("answer").is_some());
            assert!(answered.count() >= 3, "{id}, {port}: {through:?}");
            for (name, count) in counted(&calls) {
                *expected.entry(name).or_default() += count;
            }
        }
    }
    // The calls of zeep are counted; reading the contract is not an operation.
    let begun = Instant::now();
    loop {
        let mut usage = BTreeMap::<String, u64>::new();
        for (name, calls) in calls_by_operation(&gate.admin, 1).await {
            *usage.entry(name).or_default() += calls;
        }
        usage.remove("-");
        if usage == expected {
            break;
        }
        let is_late = begun.elapsed() > Duration::from_secs(30);
        assert!(!is_late, "{usage:?} and not {expected:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Calls the shop in a SOAP version with this content of the body.
async fn post(
    url: &str,
    path: &str,
    (version, content): (&str, &str),
    key: Option<&str>,
) -> Answer {
    let envelope = format!(
        "<e:Envelope xmlns:e='{version}' xmlns='http://shop.example/orders'>\
         <e:Body>{content}</e:Body></e:Envelope>"
    );
    let media_type = match version {
        V1_1 => "text/xml; charset=utf-8",
        _ => "application/soap+xml; charset=utf-8",
    };
    let mut fields = vec![("content-type", media_type)];
    fields.extend(key.map(|key| ("apikey", key)));
    let request = http::request("POST", path, &fields, envelope.as_bytes());
    let address = url.strip_prefix("http://").unwrap();
    http::call(address.parse().unwrap(), &request)
        .await
        .unwrap()
}

#[tokio::test]
async fn faults_and_one_way_responses_are_forwarded_unchanged() {
    let Some(peers) = peers() else { return };
    let gate = Gate::new().await;
    let cxf = &shop(&peers);
    let node = peers.node_soap().unwrap();
    // proxy.peer.faults: they are not changed.
    // id, content, whether npm's soap also sends it
    let rows = [
        (
            "declared",
            "<getOrder><orderId>77</orderId></getOrder>",
            true,
        ),
        (
            "exception",
            "<getOrder><orderId>500</orderId></getOrder>",
            true,
        ),
        (
            "detail",
            "<getOrder><orderId>501</orderId></getOrder>",
            false,
        ),
        (
            "role_and_subcode",
            "<getOrder><orderId>502</orderId></getOrder>",
            false,
        ),
        (
            "not_valid",
            "<getOrder><orderId>x</orderId></getOrder>",
            false,
        ),
        ("unknown_operation", "<dropOrder/>", true),
        ("no_operation", "", true),
    ];
    for (peer, name, versions) in [
        (cxf, "cxf", &[V1_1, V1_2][..]),
        (&node, "node", &[V1_1][..]),
    ] {
        let published = gate.publish(peer, ("shop", "Shop"), name).await;
        let key = Some(published.key.as_str());
        let at_gate = |content| {
            let (url, path) = (gate.url(), &published.path);
            async move { post(&url, path, content, key).await }
        };
        for &version in versions {
            for (id, content, is_both) in rows {
                if name == "node" && !is_both {
                    continue;
                }
                let direct = post(&peer.url, "/shop", (version, content), None).await;
                let through = at_gate((version, content)).await;
                let seen = |answer: &Answer| {
                    let media_type = answer.field("content-type").map(str::to_owned);
                    (answer.status, media_type, answer.text())
                };
                assert_eq!(seen(&direct), seen(&through), "{name}, {version}: {id}");
                assert!(through.status >= 400, "{name}, {version}: {id}");
            }
        }
        // proxy.peer.one_way: it is accepted, and arrives.
        // A server may respond to a one-way call before it processes it.
        let order = order_to_ship();
        let shipped = format!(
            "<notifyShipped><orderId>{order}</orderId>\
             <shipped>2026-01-01T00:00:00Z</shipped></notifyShipped>"
        );
        let answer = at_gate((V1_1, &shipped)).await;
        assert_eq!((answer.status, answer.text().as_str()), (202, ""), "{name}");
        let begun = Instant::now();
        let count = format!("<countShipped><orderId>{order}</orderId></countShipped>");
        while !at_gate((V1_1, &count)).await.text().contains("count>1</") {
            let is_late = begun.elapsed() > Duration::from_secs(30);
            assert!(!is_late, "{name}: it did not arrive");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Returns the code of a fault of the gateway as read by zeep, which must be complete.
fn refusal(dump: &Value, is_1_2: bool) -> (String, String) {
    let fault = &dump["fault"];
    assert!(!fault["message"].as_str().unwrap().is_empty(), "{dump}");
    let detail = fault["detail"].as_str().unwrap();
    let code = detail.split("code>").nth(1).unwrap().split("</").next();
    let party = fault["code"].as_str().unwrap().split(':').next_back();
    let party = party.unwrap();
    let names = match is_1_2 {
        true => ["Sender", "Receiver"],
        false => ["Client", "Server"],
    };
    assert!(names.contains(&party), "{dump}");
    let at_fault = if party == names[0] {
        "caller"
    } else {
        "server"
    };
    (code.unwrap().to_owned(), at_fault.to_owned())
}

#[tokio::test]
async fn clients_read_a_refusal_of_the_gateway_as_a_fault_of_their_version() {
    let Some(peers) = peers() else { return };
    let gate = Gate::new().await;
    let cxf = &shop(&peers);
    // proxy.peer.refusals: zeep reads each as a fault.
    for (port, name) in [("ShopSoap11", "first"), ("ShopSoap12", "second")] {
        let published = gate.publish(cxf, ("shop", "Shop"), name).await;
        let draft = gate.draft(&published).await;
        let mut operations = draft["soap"]["operations"].as_array().unwrap().clone();
        // `ping` is not an operation any more; `getOrder` has a limit of two a day.
        operations.retain(|it| it["name"] != "ping");
        for operation in &mut operations {
            if operation["name"] == "getOrder" {
                operation["limits"] = json!([{ "per": "operation", "amount": 2, "window": "day" }]);
            }
        }
        let unknown = json!({ "refused": true });
        let change = json!({ "soap": { "operations": operations, "unknown": unknown } });
        gate.redeploy(&published, change).await;

        let get = json!({ "operation": "getOrder", "arguments": { "orderId": 5 } });
        let ping = json!({ "operation": "ping" });
        let item = json!({ "operation": "getItem", "arguments": { "sku": "GD-0006" } });
        let calls = json!([get, ping, get, item, get, item]);
        let request = |calls: &Value| ("Shop", port, calls.clone());
        let key = Some(published.key.as_str());
        let one = json!([get]);
        let (through, stranger, wrong) = tokio::join!(
            gate.zeep(&peers, &published, request(&calls), key),
            gate.zeep(&peers, &published, request(&one), None),
            gate.zeep(&peers, &published, request(&one), Some("tg_live_x")),
        );
        let is_1_2 = port == "ShopSoap12";
        let refusal_of = |dump: &Value| match dump.get("fault") {
            Some(_) => refusal(dump, is_1_2),
            None => (String::new(), dump["answer"]["@type"].to_string()),
        };
        let codes: Vec<_> = through.iter().map(|it| refusal_of(it).0).collect();
        let expected = ["", "route.no_operation", "", "", "admit.operation", ""];
        assert_eq!(codes, expected, "{port}: {through:?}");
        let callers = |code: &str| (code.to_owned(), "caller".to_owned());
        assert_eq!(
            refusal_of(&through[4]),
            callers("admit.operation"),
            "{port}"
        );
        assert_eq!(
            refusal_of(&stranger[0]),
            callers("authenticate.missing"),
            "{port}"
        );
        assert_eq!(
            refusal_of(&wrong[0]),
            callers("authenticate.invalid"),
            "{port}"
        );

        let refusing = format!("http://{}/shop", upstream::refusing().unwrap());
        let change = json!({ "upstream": { "url": refusing } });
        gate.redeploy(&published, change).await;
        let down = gate.zeep(&peers, &published, request(&json!([item])), key);
        let servers = ("upstream.connect".to_owned(), "server".to_owned());
        assert_eq!(refusal_of(&down.await[0]), servers, "{port}");
    }
}

#[tokio::test]
async fn a_client_of_cxf_needs_nothing_but_the_gateways_wsdl() {
    let Some(peers) = peers() else { return };
    let gate = Gate::new().await;
    let published = gate.publish(&shop(&peers), ("shop", "Shop"), "cxf").await;
    // proxy.peer.cxf: a client by the gateway's WSDL alone.
    // Its first call is `lookupStock`: enough for two runs.
    let mut operations = gate.draft(&published).await["soap"]["operations"].clone();
    for operation in operations.as_array_mut().unwrap() {
        if operation["name"] == "lookupStock" {
            operation["limits"] = json!([{ "per": "operation", "amount": 2, "window": "day" }]);
        }
    }
    let change = json!({ "soap": { "operations": operations } });
    gate.redeploy(&published, change).await;
    let (first, second) = tokio::join!(
        gate.cxf(&peers, &published, "1.1"),
        gate.cxf(&peers, &published, "1.2"),
    );
    for (called, version) in [(first, "1.1"), (second, "1.2")] {
        let messages = called.unwrap();
        assert!(messages["order.response.xml"].contains("order"));
        let fault = &messages["fault.response.xml"];
        assert!(fault.contains("orderNotFound"), "{fault}");
        assert_eq!(fault.contains(V1_2), version == "1.2", "{fault}");
    }

    // By default CXF reads only faults of the status 500, which SOAP 1.2 does not use for the
    // sender.
    let (first, second) = tokio::join!(
        gate.cxf(&peers, &published, "1.1"),
        gate.cxf(&peers, &published, "1.2"),
    );
    let (first, second) = (first.unwrap_err(), second.unwrap_err());
    let fault = "SoapFault: The operation's limit is used up.";
    assert!(first.contains(fault), "{first}");
    assert!(second.contains("HTTP response '400"), "{second}");
}
