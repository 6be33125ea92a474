use super::*;

const FAULT: Fault<'_> = Fault {
    party: Party::Sender,
    code: "admit.operation",
    status: 429,
    title: "The operation's limit is used up.",
    detail: Some("a < b & c\u{1}"),
    policy: Some("\"p\""),
    request_id: "00ff",
};

#[test]
fn a_fault_of_1_1_has_its_children_in_order_and_no_prefix_on_them() {
    assert_eq!(
        FAULT.envelope(SoapVersion::V1_1),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>\
         <soap:Fault><faultcode>soap:Client</faultcode>\
         <faultstring>The operation's limit is used up. a &lt; b &amp; c\u{fffd}</faultstring>\
         <faultactor>urn:tollgate:gateway</faultactor>\
         <detail><refusal xmlns=\"urn:tollgate:refusal\"><code>admit.operation</code>\
         <status>429</status><requestId>00ff</requestId><policy>\"p\"</policy></refusal></detail>\
         </soap:Fault></soap:Body></soap:Envelope>\n"
    );
}

#[test]
fn a_fault_of_1_2_has_code_reason_node_and_detail_in_that_order() {
    let fault = Fault {
        party: Party::Receiver,
        detail: None,
        policy: None,
        ..FAULT
    };
    assert_eq!(
        fault.envelope(SoapVersion::V1_2),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <env:Envelope xmlns:env=\"http://www.w3.org/2003/05/soap-envelope\" \
         xmlns:t=\"urn:tollgate:refusal\"><env:Body><env:Fault>\
         <env:Code><env:Value>env:Receiver</env:Value>\
         <env:Subcode><env:Value>t:admit.operation</env:Value></env:Subcode></env:Code>\
         <env:Reason><env:Text xml:lang=\"en\">The operation's limit is used up.</env:Text>\
         </env:Reason><env:Node>urn:tollgate:gateway</env:Node>\
         <env:Detail><refusal xmlns=\"urn:tollgate:refusal\"><code>admit.operation</code>\
         <status>429</status><requestId>00ff</requestId></refusal></env:Detail>\
         </env:Fault></env:Body></env:Envelope>\n"
    );
}

#[test]
fn the_status_is_that_of_the_soap_version_but_for_the_challenge() {
    use Party::{Receiver, Sender};
    use SoapVersion::{V1_1, V1_2};
    let rows = [
        (V1_1, Sender, 429, 500),
        (V1_1, Receiver, 504, 500),
        (V1_2, Sender, 403, 400),
        (V1_2, Receiver, 503, 500),
        (V1_1, Sender, 401, 401),
        (V1_2, Sender, 401, 401),
    ];
    for (version, party, logical, expected) in rows {
        assert_eq!(
            status(version, party, logical),
            expected,
            "{version:?} {party:?} {logical}"
        );
    }
}
