use super::*;

fn parse(line: &str) -> Result<(What, bool, u64, bool), Malformed> {
    let head = format!("{line}\r\n\r\n");
    let head = Head::parse(head.as_bytes())?.ok_or(Malformed)?;
    let request = Request::parse(&head)?;
    Ok((
        request.what,
        request.is_head,
        request.delay_ms,
        request.framing.closes,
    ))
}

#[test]
fn requests_are_parsed() {
    for (line, wanted) in [
        (
            "GET /bytes/102 HTTP/1.1",
            (What::Bytes(102), false, 0, false),
        ),
        (
            "HEAD /bytes/0?a=b&delay_ms=30 HTTP/1.1",
            (What::Bytes(0), true, 30, false),
        ),
        (
            "POST /echo?delay_ms=1000 HTTP/1.0",
            (What::Echo, false, 1000, true),
        ),
        (
            "POST /soap?delay_ms=5 HTTP/1.1",
            (What::Soap, false, 5, false),
        ),
        ("GET /count HTTP/1.1", (What::Count, false, 0, false)),
        (
            "GET /bytes/16777217 HTTP/1.1",
            (What::Nothing, false, 0, false),
        ),
        ("GET /bytes/-1 HTTP/1.1", (What::Nothing, false, 0, false)),
        (
            "GET /echo?delay_ms=soon HTTP/1.1",
            (What::Nothing, false, 0, false),
        ),
        ("GET / HTTP/1.1", (What::Nothing, false, 0, false)),
    ] {
        assert_eq!(parse(line), Ok(wanted), "{line}");
    }
    for line in [
        "GET /echo",
        "GET /echo HTTP/2",
        "GET  /echo HTTP/1.1",
        "GET /a b HTTP/1.1",
    ] {
        assert_eq!(parse(line), Err(Malformed), "{line}");
    }
}
