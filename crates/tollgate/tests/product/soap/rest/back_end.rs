//! Credentials at the back end, number of calls, and counts.

use std::time::Duration;

use super::*;

#[tokio::test]
async fn the_back_end_sees_the_configured_credentials_and_never_the_callers() {
    let house = shop().await;
    house.upstream.behave(ok(&order("<o:id>7</o:id>")));
    let token = |is_digest: bool| {
        let id = json!({
            "place": "path", "name": "orderId", "path": ["orderId"], "required": true,
        });
        json!({ "soap": { "rest": {
            "back_end": {
                "basic": { "name": "us", "password": "s:cret" },
                "username_token": {
                    "name": "u<s", "password": "pass&word", "is_digest": is_digest,
                },
                "headers": { "session": { "token": "fixed" } },
            },
            "resources": [{
                "operation": "getOrder", "method": "GET", "path": "/order/{orderId}",
                "parameters": [id],
            }],
        } } })
    };
    house.redeploy(token(false)).await;
    let own = [
        ("Authorization", "Basic eDp5"),
        ("X-Soap-session-token", "mine"),
    ];
    let answer = house.rest(("GET", "/order/7"), &own, "").await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let (head, body) = house.request_seen();
    let basic = "authorization: basic dxm6czpjcmv0";
    assert!(head.split("\r\n").any(|line| line == basic), "{head}");
    assert_eq!(head.matches("authorization").count(), 1, "{head}");
    for part in [
        "Username>u&lt;s</",
        "#PasswordText\">pass&amp;word</",
        "token>fixed</",
    ] {
        assert!(body.contains(part), "{part} in {body}");
    }
    assert!(!head.contains(&house.consumer.key.to_ascii_lowercase()));
    assert!(!body.contains("mine"), "{body}");
    // rest.back_end.digest: a nonce of its own each time.
    house.redeploy(token(true)).await;
    let mut nonces = Vec::new();
    for _ in 0..2 {
        house.upstream.forget();
        assert_eq!(house.order().await.status, 200);
        let (_, body) = house.request_seen();
        assert!(
            body.contains("#PasswordDigest\">") && !body.contains("pass&amp;word"),
            "{body}"
        );
        let nonce = body.split("#Base64Binary\">").nth(1).unwrap();
        nonces.push(nonce.split('<').next().unwrap().to_owned());
    }
    assert_ne!(nonces[0], nonces[1]);
}

#[tokio::test]
async fn a_service_in_soap_1_2_is_called_in_soap_1_2() {
    let house = shop_by("Shop12").await;
    let answer = order("<o:id>7</o:id>").replace(V1_1, super::super::V1_2);
    let fields = "Content-Type: application/soap+xml\r\n";
    house
        .upstream
        .behave(respond_with("200 OK", fields, answer.as_bytes()));
    let answer = house.order().await;
    assert_eq!(
        (answer.status, answer.text().as_str()),
        (200, r#"{"id":"7","line":[]}"#)
    );
    let (head, body) = house.request_seen();
    let line = "content-type: application/soap+xml; charset=utf-8; action=\"urn:shop:getorder\"";
    assert!(head.split("\r\n").any(|it| it == line), "{head}");
    assert!(!head.contains("soapaction"), "{head}");
    assert!(body.contains(super::super::V1_2), "{body}");
    // rest.fault.1_2: the innermost of its subcodes.
    let fault = format!(
        "<s:Envelope xmlns:s=\"{}\" xmlns:o=\"urn:shop\"><s:Body><s:Fault><s:Code>\
         <s:Value>s:Sender</s:Value><s:Subcode><s:Value>o:Time</s:Value><s:Subcode>\
         <s:Value>o:Late</s:Value></s:Subcode></s:Subcode></s:Code>\
         <s:Reason><s:Text xml:lang=\"en\">too late</s:Text></s:Reason></s:Fault></s:Body>\
         </s:Envelope>",
        super::super::V1_2
    );
    house
        .upstream
        .behave(respond_with("400 x", fields, fault.as_bytes()));
    let answer = house.order().await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert_eq!(answer.json()["fault"]["subcode"], "{urn:shop}Late");
    // rest.action.absent_1_2
    house.upstream.forget();
    let answer = house.rest(("DELETE", "/order/7"), &[], "").await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    let (head, _) = house.request_seen();
    let line = "content-type: application/soap+xml; charset=utf-8";
    assert!(head.split("\r\n").any(|it| it == line), "{head}");
}

#[tokio::test]
async fn limits_and_usage_are_those_of_the_operation() {
    let house = shop().await;
    let operations = json!([
        { "name": "getOrder", "limits": a_day(2) },
        { "name": "placeOrder" },
        { "name": "cancelOrder" },
        { "name": "noteEvent" },
    ]);
    house
        .redeploy(json!({ "soap": { "operations": operations } }))
        .await;
    house.upstream.behave(ok(&order("<o:id>7</o:id>")));
    for path in ["/order/1", "/order/2"] {
        let answer = house.rest(("GET", path), &[], "").await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(answer.field("ratelimit").is_some());
    }
    for method in ["GET", "HEAD"] {
        let key = ("apikey", house.consumer.key.as_str());
        let request = http::request(method, "/orders/1.0/order/3", &[key], b"");
        let mut connection = tollgate_testkit::Connection::open(house.tollgate.gateway)
            .await
            .unwrap();
        connection.send(&request).await.unwrap();
        let refused = connection.answer(method == "HEAD").await.unwrap();
        assert_eq!(refused.status, 429);
        assert!(refused.field("retry-after").is_some());
    }
    house
        .upstream
        .behave(ok(&envelope("<o:cancelOrderResponse/>")));
    let answer = house.rest(("DELETE", "/order/1"), &[], "").await;
    assert_eq!(answer.status, 204, "{}", answer.text());
    assert_eq!(house.upstream.requests(), 3);
    let expected = [("cancelOrder".to_owned(), 1), ("getOrder".to_owned(), 4)];
    assert_eq!(house.calls(5).await, expected);
    // rest.key: nothing is validated for callers without one.
    let stranger = house.get("/orders/1.0/order/7?nonsense").await;
    assert_eq!(
        (stranger.status, stranger.code().as_str()),
        (401, "authenticate.missing")
    );
}

#[tokio::test]
async fn a_call_is_sent_once_and_awaited_up_to_its_timeout() {
    let house = shop().await;
    let upstream = json!({ "url": format!("{}/back/orders", house.upstream.url()),
        "first_byte_timeout_ms": 300 });
    house.redeploy(json!({ "upstream": upstream })).await;
    house.upstream.behave(Behaviour::Hang);
    let late = house.order().await;
    assert_eq!(
        (late.status, late.code().as_str()),
        (504, "upstream.timeout")
    );
    house.upstream.behave(ok(&order("<o:id>7</o:id>")));
    assert_eq!(house.order().await.status, 200);
    // The connection is kept, and closed at the next request: a GET of a reading operation may be
    // sent again, but that this one only reads is not certain.
    house.upstream.forget();
    house.upstream.behave(Behaviour::BreakOff(b""[..].into()));
    let broken = house.order().await;
    assert_eq!(
        (broken.status, broken.code().as_str()),
        (502, "upstream.broken")
    );
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(house.upstream.requests(), 1);
}
