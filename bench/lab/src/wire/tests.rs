use super::*;

fn framing(head: &str) -> Result<Framing, Malformed> {
    let head = head.replace('\n', "\r\n");
    let read = Head::parse(head.as_bytes())?.expect("the head is whole");
    assert_eq!(read.bytes, head.len());
    Ok(read.framing)
}

/// Decodes a body in pieces of every length; all results must agree.
fn unchunk(body: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut all: Vec<Result<Vec<u8>, Malformed>> = Vec::new();
    for length in 1..=body.len() {
        all.push(in_pieces(body, length));
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
    all.swap_remove(0)
}

fn in_pieces(body: &[u8], length: usize) -> Result<Vec<u8>, Malformed> {
    let (mut chunked, mut data) = (Chunked::default(), Vec::new());
    for (number, piece) in body.chunks(length).enumerate() {
        let mut at = 0;
        while at < piece.len() {
            let step = chunked.take(&piece[at..])?;
            data.extend_from_slice(step.data);
            at += step.taken;
            if step.is_whole {
                assert_eq!(number * length + at, body.len(), "whole before its end");
                return Ok(data);
            }
        }
    }
    panic!("not whole at its end");
}

#[test]
fn a_head_declares_how_its_body_is_framed() {
    let sized = framing("HTTP/1.1 200 OK\ncontent-LENGTH:  12 \nConnection: x, Close\n\n").unwrap();
    assert_eq!((sized.content_length, sized.closes), (Some(12), true));
    assert!(
        framing("HTTP/1.1 200 OK\nTransfer-Encoding: Chunked\n\n")
            .unwrap()
            .is_chunked
    );
}

#[test]
fn an_incomplete_head_is_awaited() {
    for part in [
        "",
        "HTTP/1.1 200 OK",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n\r",
    ] {
        assert!(Head::parse(part.as_bytes()).unwrap().is_none(), "{part:?}");
    }
}

#[test]
fn an_ambiguous_head_is_malformed() {
    for head in [
        "HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n\n",
        "HTTP/1.1 200 OK\nContent-Length: 1\nTransfer-Encoding: chunked\n\n",
        "HTTP/1.1 200 OK\nContent-Length: +1\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: gzip, chunked\n\n",
        "HTTP/1.1 200 OK\nfolded\n\n",
        "HTTP/1.1 200 OK\nContent-Length : 1\n\n",
    ] {
        assert_eq!(framing(head), Err(Malformed), "{head:?}");
    }
    assert_eq!(
        Head::parse(b"HTTP/1.1 200 OK\nA: b\n\n").unwrap_err(),
        Malformed
    );
    assert_eq!(
        Head::parse(&[b'x'; HEAD_BYTES_MAX + 1]).unwrap_err(),
        Malformed
    );
    let long = format!(
        "HTTP/1.1 200 OK\r\nA: {}\r\n\r\n",
        "x".repeat(HEAD_BYTES_MAX)
    );
    assert_eq!(Head::parse(long.as_bytes()).unwrap_err(), Malformed);
    let endless = [
        b"HTTP/1.1 200 OK\r\n".as_slice(),
        &vec![b'x'; HEAD_BYTES_MAX],
    ]
    .concat();
    assert_eq!(Head::parse(&endless).unwrap_err(), Malformed);
}

#[test]
fn chunks_are_joined_with_any_fragmentation() {
    let body = b"3\r\nabc\r\n00A;x=y\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";
    assert_eq!(unchunk(body).unwrap(), b"abc0123456789");
    assert_eq!(unchunk(b"0\r\n\r\n").unwrap(), b"");
}

#[test]
fn broken_chunks_are_malformed() {
    for body in [
        b"\r\n".as_slice(),
        b"3\nabc\r\n0\r\n\r\n",
        b"3\r\nabcd\r\n0\r\n\r\n",
        b"-3\r\nabc\r\n0\r\n\r\n",
        b"11111111111111111\r\n",
    ] {
        assert_eq!(unchunk(body), Err(Malformed), "{body:?}");
    }
}
