//! Memory left behind by imports of contracts.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tollgate_testkit::Control;

use crate::house::builder;

const WSDL: &str = r#"<definitions targetNamespace="urn:t" xmlns:t="urn:t"
    xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/">
  <documentation>NUMBER</documentation>
  <message name="m"/><portType name="P"><operation name="o"><input message="t:m"/></operation>
  </portType>
  <binding name="B" type="t:P"><s:binding style="rpc"
    transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="o"><s:operation soapAction=""/>
      <input><s:body use="literal" namespace="urn:t"/></input></operation></binding>
  <service name="S"><port name="B" binding="t:B"><s:address location="http://back.internal/"/>
  </port></service>
</definitions>"#;
/// Size of a contract that is cached.
const PADDING: usize = 80_000;
/// Number of imports until memory is stable.
const WARM_UP: usize = 50;
const IMPORTS: usize = 350;
const GROWTH_KIB: u64 = 20 * 1_024;

/// Imports contracts of these numbers, has them compiled, and deletes their APIs.
async fn import(admin: &Control, next: &AtomicUsize, end: usize) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= end {
            return;
        }
        let contract = WSDL.replace("NUMBER", &format!("{number}{}", "x".repeat(PADDING)));
        let path = format!("/api/v1/apis/import/wsdl?context=%2Fc{number}&name=C{number}");
        let sent = admin.send_bytes("POST", &path, "text/xml", contract.as_bytes());
        let answer = sent.await.unwrap();
        assert_eq!(answer.status, 201, "{}", answer.text());
        let imported = answer.json();
        let version = imported["version"]["id"].as_str().unwrap();
        let document = format!("/api/v1/versions/{version}/document?of=draft");
        let served = admin.send("GET", &document, None).await.unwrap();
        assert_eq!(served.status, 200, "{}", served.text());
        let api = format!("/api/v1/apis/{}", imported["api"]["id"].as_str().unwrap());
        admin.done("DELETE", &api, None).await.unwrap();
    }
}

// Nothing was evicted before a thousand contracts were cached, whatever their size and although
// their APIs were deleted: these would leave 28 MB.
#[tokio::test]
async fn imports_and_deletions_leave_no_memory_behind() {
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let next = AtomicUsize::new(0);
    tokio::join!(
        import(&admin, &next, WARM_UP),
        import(&admin, &next, WARM_UP)
    );
    let before = tollgate.memory_kib().unwrap();
    next.store(WARM_UP, Ordering::Relaxed);
    let end = WARM_UP + IMPORTS;
    tokio::join!(import(&admin, &next, end), import(&admin, &next, end));
    let after = tollgate.memory_kib().unwrap();
    println!("{before} KiB before, {after} KiB after {IMPORTS} imports");
    assert!(
        after < before + GROWTH_KIB,
        "{before} KiB, then {after} KiB"
    );
    let left = admin.done("GET", "/api/v1/apis", None).await.unwrap();
    assert_eq!(left["items"], json!([]), "{left}");
}
