//! Malicious messages: refused before the back end, within the bounds.

use serde_json::json;

use super::{House, V1_1, XML, message};

#[tokio::test]
async fn hostile_messages_are_refused_before_the_back_end() {
    let house = House::new().await;
    let laughs: String = (1..20)
        .map(|n| format!("<!ENTITY l{n} \"&l{};&l{};\">", n - 1, n - 1))
        .collect();
    let body = message(V1_1, "", "<o:getOrder>&l19;</o:getOrder>");
    let outside = format!("<!DOCTYPE x [<!ENTITY f SYSTEM \"file:///etc/passwd\">]>{body}");
    let names: String = (0..5_000)
        .map(|n| format!(" xmlns:n{n}=\"urn:{n}\""))
        .collect();
    let attributes: String = (0..10_000).map(|n| format!(" a{n}=\"\"")).collect();
    let deep = format!("<s:Header>{}", "<x>".repeat(20_000));
    let sound = message(V1_1, "", "<o:getOrder/>");
    let declaring = sound.replace("<s:Body>", &format!("<s:Body{names}>"));
    let adorned = sound.replace("<s:Body>", &format!("<s:Body{attributes}>"));
    let rows = [
        (
            "proxy.hostile.laughs",
            format!("<!DOCTYPE x [<!ENTITY l0 \"ha\">{laughs}]>{body}"),
            "mediate.not_well_formed",
        ),
        ("proxy.hostile.external", outside, "mediate.not_well_formed"),
        (
            "proxy.hostile.namespaces",
            declaring.clone(),
            "mediate.body_too_large",
        ),
        (
            "proxy.hostile.attributes",
            adorned.clone(),
            "mediate.body_too_large",
        ),
        (
            "proxy.hostile.depth",
            message(V1_1, &deep, ""),
            "mediate.not_well_formed",
        ),
        (
            "proxy.hostile.truncated",
            sound[..sound.len() - 40].to_owned(),
            "mediate.not_well_formed",
        ),
        (
            "proxy.hostile.no_envelope",
            "<getOrder xmlns=\"urn:orders\"/>".to_owned(),
            "mediate.not_well_formed",
        ),
        (
            "proxy.hostile.empty",
            String::new(),
            "mediate.not_well_formed",
        ),
        (
            "proxy.hostile.header_size",
            message(
                V1_1,
                &format!("<s:Header><x>{}</x></s:Header>", "y".repeat(70_000)),
                "<o:getOrder/>",
            ),
            "mediate.body_too_large",
        ),
        (
            "proxy.hostile.endless_name",
            format!("<{}", "a".repeat(300_000)),
            "mediate.body_too_large",
        ),
    ];
    for (id, body, code) in rows {
        let answer = house.post(&[XML], body.as_bytes()).await;
        let text = answer.text();
        assert_eq!(answer.status, 500, "{id}: {text}");
        assert!(
            text.contains(&format!("<code>{code}</code>")),
            "{id}: {text}"
        );
    }
    let gzip = ("Content-Encoding", "gzip");
    let text = ("Content-Type", "text/xml");
    let utf_7 = ("Content-Type", "text/xml; charset=utf-7");
    let json = [("Content-Type", "application/json"), ("SOAPAction", "x")];
    let (unsound, wrong_type) = ("mediate.not_well_formed", "mediate.wrong_type");
    let bytes: [(_, &[_], &[u8], _); 4] = [
        ("proxy.hostile.charset", &[utf_7], b"+ADw-a+AD4-", unsound),
        (
            "proxy.hostile.not_text",
            &[text],
            b"\xc0\xaf\xff<a/>",
            unsound,
        ),
        (
            "proxy.hostile.not_gzip",
            &[text, gzip],
            b"\x1f\x8b\x08\x00nonsense",
            unsound,
        ),
        ("proxy.hostile.type", &json, b"{}", wrong_type),
    ];
    for (id, fields, body, code) in bytes {
        let answer = house.post(fields, body).await;
        let text = answer.text();
        assert_eq!(answer.status, 500, "{id}: {text}");
        assert!(
            text.contains(&format!("<code>{code}</code>")),
            "{id}: {text}"
        );
    }
    // Where a start tag of that size is read, the error names the limit.
    let wide = json!({ "soap": { "prefix_bytes_max": 262_144 } });
    house.redeploy(wide).await;
    let rows = [
        ("proxy.hostile.namespaces.read", declaring),
        ("proxy.hostile.attributes.read", adorned),
    ];
    for (id, body) in rows {
        let text = house.post(&[XML], body.as_bytes()).await.text();
        assert!(
            text.contains("<code>mediate.not_well_formed<"),
            "{id}: {text}"
        );
        assert!(text.contains("exceeds the limits"), "{id}: {text}");
    }
    assert_eq!(house.upstream.requests(), 0);
    // Refused calls are still counted, and the gateway keeps serving.
    let answer = house.post(&[XML], sound.as_bytes()).await;
    assert_eq!(answer.status, 200);
    assert!(
        json!(house.calls(17).await)
            .to_string()
            .contains("getOrder")
    );
}
