use super::*;
use proptest::prelude::*;

/// The result of decoding.
#[derive(Debug, Clone, PartialEq)]
enum Verdict {
    /// The data, the trailer, and the number of bytes that belonged to the body.
    Whole(Vec<u8>, Vec<u8>, usize),
    Unfinished,
    Refused,
}

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Verdict {
    let (mut decoder, mut data, mut used) = (Decoder::default(), Vec::new(), 0);
    let mut is_end = false;
    for piece in pieces {
        let mut at = 0;
        while at < piece.len() && !is_end {
            let Ok(step) = decoder.step(&piece[at..]) else {
                return Verdict::Refused;
            };
            assert!(step.consumed > 0, "input is left over");
            data.extend_from_slice(&piece[at..][step.data]);
            at += step.consumed;
            is_end = step.is_end;
        }
        used += at;
    }
    if !is_end {
        return Verdict::Unfinished;
    }
    Verdict::Whole(data, decoder.trailer().to_vec(), used)
}

fn assert_every_way(row: &str, body: &[u8], expected: &Verdict) {
    assert_eq!(&decode([body]), expected, "{row}, whole");
    assert_eq!(&decode(body.chunks(1)), expected, "{row}, byte by byte");
    for at in 0..body.len().min(200) {
        let (first, second) = body.split_at(at);
        assert_eq!(&decode([first, second]), expected, "{row}, cut at {at}");
    }
}

#[test]
fn good_bodies_are_read_however_they_are_cut() {
    let long = format!(
        "1;{}\r\na\r\n0\r\n\r\n",
        "x".repeat(EXTENSION_BYTES_MAX as usize)
    );
    let trailer = |bytes: usize| format!("0\r\nA: {}\r\n\r\n", "x".repeat(bytes - 7));
    let longest = trailer(TRAILER_BYTES_MAX);
    let rows: [(&str, &str, &str, &str); 13] = [
        ("no data", "0\r\n\r\n", "", ""),
        ("one chunk", "5\r\nhello\r\n0\r\n\r\n", "hello", ""),
        (
            "two chunks",
            "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
            "hello",
            "",
        ),
        (
            "both cases",
            "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n",
            "01234567890123456789",
            "",
        ),
        (
            "leading zeros",
            "0000000000000002\r\nhe\r\n000\r\n\r\n",
            "he",
            "",
        ),
        (
            "line ends as data",
            "4\r\n\r\n\r\n\r\n0\r\n\r\n",
            "\r\n\r\n",
            "",
        ),
        ("an extension", "2;a=b\r\nhe\r\n0;c=\"d\"\r\n\r\n", "he", ""),
        ("as many extensions as allowed", &long, "a", ""),
        ("a trailer", "0\r\nX-Sum: 1\r\n\r\n", "", "X-Sum: 1\r\n\r\n"),
        ("as long a trailer as allowed", &longest, "", &longest[3..]),
        (
            "a trailer that frames is dropped",
            "0\r\nContent-Length: 1\r\n\r\n",
            "",
            "",
        ),
        (
            "a trailer that authenticates is dropped",
            "0\r\nX-A: 1\r\nauthorization: b\r\n\r\n",
            "",
            "",
        ),
        (
            "a trailer that describes is dropped",
            "0\r\nContent-Type: text/html\r\n\r\n",
            "",
            "",
        ),
    ];
    for (row, body, data, trailer) in rows {
        let verdict = Verdict::Whole(data.into(), trailer.into(), body.len());
        assert_every_way(row, body.as_bytes(), &verdict);
        let followed = format!("{body}5\r\nGET /");
        assert_every_way(row, followed.as_bytes(), &verdict);
    }
}

#[test]
fn hostile_bodies_are_refused_however_they_are_cut() {
    let extension = "x".repeat(EXTENSION_BYTES_MAX as usize + 1);
    let spread = "1;xx\r\na\r\n".repeat(EXTENSION_BYTES_MAX as usize / 2 + 1);
    let rows: Vec<(&str, String)> = [
        ("an empty size line", "\r\n"),
        ("an empty size line after data", "1\r\na\r\n\r\n\r\n"),
        ("a plus sign", "+1\r\na\r\n0\r\n\r\n"),
        ("a minus sign", "-1\r\na\r\n0\r\n\r\n"),
        ("a space before the size", " 1\r\na\r\n0\r\n\r\n"),
        ("a space after the size", "1 \r\na\r\n0\r\n\r\n"),
        ("a tab after the size", "1\t\r\na\r\n0\r\n\r\n"),
        ("a space before an extension", "1 ;a\r\na\r\n0\r\n\r\n"),
        ("0x", "0x1\r\na\r\n0\r\n\r\n"),
        ("an underscore", "1_0\r\na\r\n0\r\n\r\n"),
        ("no digit", "g\r\na\r\n0\r\n\r\n"),
        ("an extension without a size", ";a\r\na\r\n0\r\n\r\n"),
        ("seventeen digits", "00000000000000001\r\na\r\n0\r\n\r\n"),
        (
            "overflow to a small size",
            "10000000000000001\r\na\r\n0\r\n\r\n",
        ),
        ("the largest integer", "ffffffffffffffff\r\na\r\n0\r\n\r\n"),
        (
            "above the bound of sizes",
            "4000000000000001\r\na\r\n0\r\n\r\n",
        ),
        ("bare LF after the size", "1\na\r\n0\r\n\r\n"),
        ("bare CR after the size", "1\ra\r\n0\r\n\r\n"),
        ("CR CR LF after the size", "1\r\r\na\r\n0\r\n\r\n"),
        ("bare LF after an extension", "1;a\na\r\n0\r\n\r\n"),
        ("bare LF within an extension", "1;a\nb\r\na\r\n0\r\n\r\n"),
        ("bare CR within an extension", "1;a\rb\r\na\r\n0\r\n\r\n"),
        ("NUL within an extension", "1;\0\r\na\r\n0\r\n\r\n"),
        ("bare LF after the data", "1\r\na\n0\r\n\r\n"),
        ("bare CR after the data", "1\r\na\r0\r\n\r\n"),
        ("another byte than LF after the data", "1\r\na\rX0\r\n\r\n"),
        ("nothing after the data", "1\r\na0\r\n\r\n"),
        ("more data than announced", "1\r\nab\r\n0\r\n\r\n"),
        ("bare LF after the last size", "0\n\r\n"),
        ("bare LF as the end", "0\r\n\n"),
        ("bare CR as the end", "0\r\n\rX\r\n"),
        ("bare LF in the trailer", "0\r\nA: b\n\r\n"),
        ("bare LF between trailers", "0\r\nA: b\nC: d\r\n\r\n"),
        ("bare LF after the trailer", "0\r\nA: b\r\n\n"),
        ("bare CR in the trailer", "0\r\nA: b\rc\r\n\r\n"),
        ("a folded trailer", "0\r\nA: b\r\n c\r\n\r\n"),
        ("no colon in the trailer", "0\r\nGET / HTTP/1.1\r\n\r\n"),
        (
            "space before the colon in the trailer",
            "0\r\nA : b\r\n\r\n",
        ),
        ("NUL in the trailer", "0\r\nA: \0\r\n\r\n"),
    ]
    .into_iter()
    .map(|(row, body)| (row, body.to_owned()))
    .chain([
        (
            "too long an extension",
            format!("1;{extension}\r\na\r\n0\r\n\r\n"),
        ),
        ("extensions of many chunks", format!("{spread}0\r\n\r\n")),
        (
            "too long a trailer",
            format!("0\r\nA: {}\r\n\r\n", "x".repeat(TRAILER_BYTES_MAX)),
        ),
        (
            "too many trailers",
            format!("0\r\n{}\r\n", "A: b\r\n".repeat(33)),
        ),
    ])
    .collect();
    for (row, body) in rows {
        assert_every_way(row, body.as_bytes(), &Verdict::Refused);
    }
}

#[test]
fn a_body_that_breaks_off_is_never_whole() {
    let body = b"5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n";
    for end in 0..body.len() {
        assert_every_way("broken off", &body[..end], &Verdict::Unfinished);
    }
}

proptest! {
    #[test]
    fn what_is_pushed_is_what_is_decoded(
        chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..600), 0..6),
        has_trailer in any::<bool>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let trailer: &[u8] = if has_trailer { b"X-Sum: 1\r\nX-B: \r\n\r\n" } else { b"" };
        let mut body = Vec::new();
        for chunk in &chunks {
            push_chunk(&mut body, chunk);
        }
        push_end(&mut body, trailer);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(body.len())).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| &body[cut[0]..cut[1]]);
        let whole = Verdict::Whole(chunks.concat(), trailer.to_vec(), body.len());
        prop_assert_eq!(decode(pieces), whole);
    }
}
