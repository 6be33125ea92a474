//! 7: what people do leaves a line of the log each, without secrets; an upstream that fails says
//! why, and a thousand failures are not a thousand lines.

use tollgate_testkit::Behaviour;

use crate::house::{House, shared};
use crate::start::logged;

#[tokio::test]
async fn an_upstream_that_fails_says_why_and_after_how_many_bytes() {
    let _machine = shared().await;
    for (bytes, code, cause) in [
        (
            &b""[..],
            "upstream.broken",
            "without an answer: unexpected end of file",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Le",
            "upstream.broken",
            "after 27 bytes of its answer: the connection broke: unexpected end of file",
        ),
        (
            b"nonsense\r\n\r\n",
            "upstream.broken",
            "the first line is not one of HTTP",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
            "upstream.broken",
            "the answer's body is not well-formed: ",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
            "upstream.broken",
            "after 4 bytes of its answer's body: ",
        ),
        (
            b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
            "upstream.broken",
            "it switches to a protocol that nobody asked for",
        ),
    ] {
        let house = House::new().await;
        house.upstream.behave(Behaviour::BreakOff(bytes.into()));
        let request = house.request();
        let call = tollgate_testkit::http::call(house.tollgate.gateway, &request);
        drop(call.await);
        let line = logged(&house.tollgate, code).await;
        assert!(line.contains(" WARN ") && line.contains(cause), "{line}");
        assert!(
            line.contains(&house.upstream.address().to_string()),
            "{line}"
        );
        assert!(line.contains(&house.api.version), "{line}");
    }
}

#[tokio::test]
async fn many_failures_are_few_lines() {
    let _machine = shared().await;
    let house = House::new().await;
    house
        .upstream
        .behave(Behaviour::BreakOff(b"".as_slice().into()));
    for _ in 0..200 {
        assert_eq!(house.call().await.status, 502);
    }
    let said = house.tollgate.said();
    let lines = said.lines().filter(|line| line.contains("upstream.broken"));
    // One for each of two workers, and one more each should ten seconds have passed.
    let lines = lines.count();
    assert!((1..=4).contains(&lines), "{said}");
}
