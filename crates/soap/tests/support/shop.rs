//! The contract of the shop, which Apache CXF serves in the tests with real peers, and messages
//! that were recorded there.

use tollgate_soap::compile::{Choice, compile};
use tollgate_soap::import::{Documents, read};
use tollgate_soap::plan::ServicePlan;

macro_rules! document {
    ($documents:ident, $path:literal) => {
        let text = include_bytes!(concat!("../../../tollgate/tests/peers/contract/", $path));
        $documents.add($path, text).expect($path);
    };
}

/// Returns the plan of its port for SOAP 1.1.
pub(crate) fn plan() -> ServicePlan {
    let mut documents = Documents::default();
    document!(documents, "shop.wsdl");
    document!(documents, "interface/shop.wsdl");
    document!(documents, "interface/till.wsdl");
    document!(documents, "schema/catalog.xsd");
    document!(documents, "schema/common.xsd");
    document!(documents, "schema/forms.xsd");
    document!(documents, "schema/measures.xsd");
    document!(documents, "schema/orders.xsd");
    let imported = read(&documents, "shop.wsdl").expect("a contract");
    let port = Choice {
        service: None,
        port: Some("ShopSoap11".into()),
    };
    let compiled = compile(&imported, &port).or_else(|_| compile(&imported, &Choice::default()));
    compiled.expect("a plan").plan
}

/// Returns the index of an operation in the plan.
pub(crate) fn operation(plan: &ServicePlan, name: &str) -> usize {
    let mut operations = plan.operations.iter();
    operations
        .position(|operation| &*operation.name == name)
        .expect(name)
}

/// Responses: operation and envelope.
pub(crate) const ANSWERS: [(&str, &[u8]); 5] = [
    (
        "lookupStock",
        include_bytes!("../messages/stock.response.xml"),
    ),
    ("getOrder", include_bytes!("../messages/order.response.xml")),
    (
        "updateOrder",
        include_bytes!("../messages/update.response.xml"),
    ),
    (
        "echoReport",
        include_bytes!("../messages/echo-3000.response.xml"),
    ),
    (
        "echoReport",
        include_bytes!("../messages/echo-100000.response.xml"),
    ),
];
