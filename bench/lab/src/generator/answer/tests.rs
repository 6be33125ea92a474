use super::*;

/// Parses a response cut into pieces of every length, all of which must agree; returns its status,
/// its body's length and whether the connection closes. `None` if it is incomplete at its end.
fn parse(text: &str, is_bodiless: bool) -> Result<Option<(u16, u64, bool)>, Malformed> {
    let mut all = (1..=text.len()).map(|length| {
        let mut answer = Answer::default();
        for piece in text.as_bytes().chunks(length) {
            match answer.take(piece, is_bodiless)? {
                Progress::More => {}
                // Bytes after the end would belong to the next response.
                Progress::Whole
                    if piece.as_ptr_range().end == text.as_bytes().as_ptr_range().end =>
                {
                    return Ok(Some((answer.status, answer.body_bytes, answer.closes)));
                }
                Progress::Whole => return Err(Malformed),
            }
        }
        Ok(None)
    });
    let first = all.next().expect("the answer has bytes");
    assert!(
        all.all(|other| other == first),
        "{text:?} depends on how it is cut"
    );
    first
}

#[test]
fn an_answer_ends_where_its_head_declares() {
    let sized = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhallo";
    assert_eq!(parse(sized, false), Ok(Some((200, 5, false))));
    let chunked = "HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
    assert_eq!(parse(chunked, false), Ok(Some((503, 2, false))));
    let empty = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
    assert_eq!(parse(empty, false), Ok(Some((204, 0, true))));
    let of_head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    assert_eq!(parse(of_head, true), Ok(Some((200, 0, false))));
    let late =
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.0 200\r\nContent-Length: 1\r\n\r\nx";
    assert_eq!(parse(late, false), Ok(Some((200, 1, true))));
}

#[test]
fn an_answer_that_is_cut_off_is_short() {
    for (part, end) in [
        ("", End::Nothing),
        ("HTTP/1.1 2", End::Short),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhall",
            End::Short,
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n",
            End::Short,
        ),
        ("HTTP/1.1 200 OK\r\n\r\nthe rest until the end", End::Whole),
    ] {
        let mut answer = Answer::default();
        assert_eq!(
            answer.take(part.as_bytes(), false),
            Ok(Progress::More),
            "{part:?}"
        );
        assert_eq!(answer.end(), end, "{part:?}");
    }
}

#[test]
fn invalid_answers_are_malformed() {
    for text in [
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2p1\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nmore than two",
        "HTTP/1.1 204 No Content\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nmore",
    ] {
        assert_eq!(parse(text, false), Err(Malformed), "{text:?}");
    }
}
