//! Fuzz targets without a fuzzer, so that they run with every test: random mutations of seeds,
//! checked against a naive second parser and against `httparse`.
//!
//! `FUZZ_SECONDS` sets how long each target runs; a failure prints the seed to repeat it with
//! `FUZZ_SEED`.

use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant, SystemTime};

use tollgate_http1::body::Body;
use tollgate_http1::buffer_pool::BufferPool;
use tollgate_http1::chunked::{Decoder, push_chunk, push_end};
use tollgate_http1::client::Client;
use tollgate_http1::compose::{push_field, push_fields, push_length, push_status};
use tollgate_http1::deadline::Timer;
use tollgate_http1::framing::{Framing, Version};
use tollgate_http1::head::{Fields, Known, RequestHead, ResponseHead};
use tollgate_http1::pace::Floor;
use tollgate_http1::parse::{self, Bounds, Malformed, Scan};
use tollgate_http1::relay::{Coding, Limits, RequestBody, Sent, send_request};
use tollgate_http1::server::{Server, Times};
use tollgate_http1::socket::Socket;

const TIMES: Times = Times {
    exchange: Duration::from_secs(3_600),
    transfer: None,
    floor: Floor::NONE,
};
const BOUNDS: Bounds = Bounds {
    head_bytes_max: 2_048,
    fields_max: 24,
    target_bytes_max: 512,
};

const WORDS: [&[u8]; 60] = [
    b"\r\n",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b" ",
    b"\t",
    b":",
    b": ",
    b",",
    b";",
    b"\0",
    b"\x7f",
    b"\xff",
    b"0",
    b"00",
    b"+",
    b"-",
    b"0x",
    b"5",
    b"ffffffffffffffff",
    b"4000000000000000",
    b"18446744073709551616",
    b"HTTP/1.1",
    b"HTTP/1.0",
    b"HTTP/2.0",
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"GET / HTTP/1.1\r\n",
    b"POST / HTTP/1.1\r\n",
    b"CONNECT ",
    b"HEAD ",
    b"http://",
    b"http://h",
    b"*",
    b"?",
    b"#",
    b"\\",
    b"%0d%0a",
    b"Host: h\r\n",
    b"Host:\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length:\t0\r\n",
    b"content-length: 12\r\n",
    b"Content-Length: 5, 5\r\n",
    b"Content_Length: 3\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"transfer-encoding:\tChunked \r\n",
    b"Transfer-Encoding: gzip, chunked\r\n",
    b"Transfer-Encoding: identity\r\n",
    b"Connection: close\r\n",
    b"Connection: keep-alive, x\r\n",
    b"Expect: 100-continue\r\n",
    b"TE: trailers\r\n",
    b"Upgrade: websocket\r\n",
    b" folded\r\n",
    b"X: y\r\n",
    b"0\r\n\r\n",
    b"5\r\nhello\r\n",
    b"3;x=y\r\nabc\r\n",
    b"0\r\nT: v\r\n\r\n",
];

const REQUESTS: [&[u8]; 8] = [
    b"GET /a/b?c=d HTTP/1.1\r\nHost: h:80\r\nAccept: */*\r\nX-Key: 1\r\n\r\n",
    b"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
    b"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello\r\n",
    b"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n\
      3;x=y\r\nabc\r\n0\r\nT: v\r\n\r\n",
    b"GET http://h/a HTTP/1.1\r\nHost: h\r\nConnection: close, x\r\nX: y\r\n\r\n",
    b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nab",
    b"PUT / HTTP/1.1\r\nExpect: 100-continue\r\nHost: h\r\nContent-Length: 27\r\n\r\n\
      GET /in HTTP/1.1\r\nHost: i\r\n",
];

const ANSWERS: [&[u8]; 5] = [
    b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"HTTP/1.0 404 Not Found\r\nConnection: keep-alive\r\n\r\nhello",
    b"HTTP/1.1 204 No Content\r\nDate: a\r\n\r\n",
    b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 304 Not Modified\r\nETag: a\r\n\r\n",
];

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound.max(1)
    }

    fn one<'a>(&mut self, of: &[&'a [u8]]) -> &'a [u8] {
        of[self.below(of.len())]
    }

    fn range(&mut self, length: usize) -> Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below((length - start).min(40) + 1)
    }

    fn mutated(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.below(5) {
            let range = self.range(bytes.len());
            match self.below(7) {
                0 if !bytes.is_empty() => {
                    let at = self.below(bytes.len());
                    bytes[at] ^= 1 << self.below(8);
                }
                1 => drop(bytes.drain(range)),
                2 => bytes.extend_from_within(range),
                3 => drop(bytes.splice(range, self.one(&WORDS).iter().copied())),
                4 => {
                    let copy = bytes[range].to_vec();
                    let at = self.below(bytes.len() + 1);
                    drop(bytes.splice(at..at, copy));
                }
                _ => {
                    // After a line end, where a word is more likely to be a field than garbage.
                    let ends = bytes
                        .windows(2)
                        .enumerate()
                        .filter(|(_, two)| two == b"\r\n");
                    let ends: Vec<_> = ends.map(|(at, _)| at + 2).collect();
                    let at = ends.get(self.below(ends.len())).copied().unwrap_or(0);
                    drop(bytes.splice(at..at, self.one(&WORDS).iter().copied()));
                }
            }
        }
    }
}

/// Prints the seed when a target panics.
struct Seed(u64);

#[expect(
    clippy::print_stderr,
    reason = "the seed is needed to repeat a failure"
)]
impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("repeat it with FUZZ_SEED={}", self.0);
        }
    }
}

/// Runs a target, which returns whether its input was accepted: both must happen.
#[expect(
    clippy::print_stdout,
    reason = "shown with --nocapture: how much was tried"
)]
fn fuzz(target: impl Fn(&mut Random) -> bool) {
    if let Ok(seed) = std::env::var("FUZZ_SEED") {
        target(&mut Random(seed.parse().expect("a number")));
        return;
    }
    let seconds = std::env::var("FUZZ_SECONDS").map_or(2, |text| text.parse().expect("a number"));
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let mut seeds = Random(since_epoch.expect("a clock after 1970").as_nanos() as u64 | 1);
    let (start, mut verdicts) = (Instant::now(), [0_u64; 2]);
    while start.elapsed() < Duration::from_secs(seconds) {
        let seed = Seed(seeds.next() | 1);
        verdicts[usize::from(target(&mut Random(seed.0)))] += 1;
    }
    println!("{} refused, {} accepted", verdicts[0], verdicts[1]);
    assert!(
        verdicts.iter().all(|&count| count > 0),
        "the seeds exercise one verdict only"
    );
}

/// Feeds a head in random pieces; the result must be the same as for the whole.
fn scanned(bytes: &[u8], random: &mut Random) -> Option<usize> {
    let whole = Scan::default().advance(bytes, BOUNDS);
    let (mut scan, mut end) = (Scan::default(), 0);
    let pieces = loop {
        end = (end + 1 + random.below(60)).min(bytes.len());
        match scan.advance(&bytes[..end], BOUNDS) {
            Ok(None) if end < bytes.len() => {}
            result => break result,
        }
    };
    assert_eq!(pieces, whole, "{}", bytes.escape_ascii());
    whole.ok().flatten()
}

/// Checks the fields of an accepted head.
fn check_fields(fields: &Fields, head: &[u8]) {
    assert_eq!(fields.head_bytes, head.len());
    for (at, byte) in head.iter().enumerate() {
        let is_paired = match byte {
            b'\r' => head.get(at + 1) == Some(&b'\n'),
            b'\n' => at > 0 && head[at - 1] == b'\r',
            _ => *byte != 0,
        };
        assert!(is_paired, "a bare line end or NUL: {}", head.escape_ascii());
    }
    let mut end = head
        .windows(2)
        .position(|two| two == b"\r\n")
        .expect("a first line")
        + 2;
    for field in &fields.lines {
        let line = field.line.of_bytes(head);
        assert_eq!(field.line.start as usize, end, "lines follow one another");
        end = field.line.end as usize;
        let text = line.strip_suffix(b"\r\n").expect("a line end");
        let colon = text.iter().position(|&byte| byte == b':').expect("a colon");
        assert_eq!(field.name.of_bytes(head), &text[..colon]);
        assert_eq!(field.value.of_bytes(head), text[colon + 1..].trim_ascii());
        assert!(!text.contains(&b'\n') && colon > 0);
    }
    assert_eq!(end + 2, head.len());
}

/// The framing found by a naive parser: lines split at CRLF, names at the first colon.
fn naive_framing(head: &[u8]) -> Framing {
    let text: String = head.iter().map(|&byte| char::from(byte)).collect();
    let (mut lengths, mut codings) = (Vec::new(), Vec::new());
    for line in text.split("\r\n").skip(1).filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').expect("a colon");
        match name.to_ascii_lowercase().as_str() {
            "content-length" => lengths.push(value.trim().parse::<u64>().expect("a number")),
            "transfer-encoding" => codings.push(value.trim().to_ascii_lowercase()),
            _ => {}
        }
    }
    match (lengths.as_slice(), codings.as_slice()) {
        ([], []) | ([0], []) => Framing::None,
        ([length], []) => Framing::Length(*length),
        ([], [coding]) if coding == "chunked" => Framing::Chunked,
        other => panic!("accepted in spite of {other:?}"),
    }
}

fn naive_body(bytes: &[u8], framing: Framing) -> (Vec<u8>, usize) {
    let Framing::Chunked = framing else {
        let length = if let Framing::Length(length) = framing {
            length as usize
        } else {
            0
        };
        return (bytes[..length].to_vec(), length);
    };
    let line_end = |from: usize| from + find(&bytes[from..], b"\r\n").expect("a line end");
    let (mut data, mut at) = (Vec::new(), 0);
    loop {
        let line = &bytes[at..line_end(at)];
        at = line_end(at) + 2;
        let digits = line
            .split(|&byte| byte == b';')
            .next()
            .expect("a first part");
        let digits = std::str::from_utf8(digits).expect("digits");
        let size = usize::from_str_radix(digits, 16).expect("a size");
        if size == 0 {
            break;
        }
        data.extend_from_slice(&bytes[at..at + size]);
        assert_eq!(&bytes[at + size..][..2], b"\r\n");
        at += size + 2;
    }
    while line_end(at) > at {
        at = line_end(at) + 2;
    }
    (data, at + 2)
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn request(bytes: &[u8]) -> Result<RequestHead, Malformed> {
    let mut head = RequestHead::default();
    parse::request(bytes, BOUNDS, &mut head).map(|()| head)
}

#[test]
fn an_accepted_request_head_means_the_same_to_every_parser() {
    fuzz(|random| {
        let mut bytes = random.one(&REQUESTS).to_vec();
        random.mutated(&mut bytes);
        let Some(length) = scanned(&bytes, random) else {
            return false;
        };
        let bytes = &bytes[..length];
        let Ok(head) = request(bytes) else {
            return false;
        };
        check_fields(&head.fields, bytes);
        assert_eq!(head.framing, naive_framing(bytes));
        let mut lines = [httparse::EMPTY_HEADER; parse::FIELDS_CAP];
        let mut parsed = httparse::Request::new(&mut lines);
        assert_eq!(parsed.parse(bytes), Ok(httparse::Status::Complete(length)));
        assert_eq!(parsed.headers.len(), head.fields.lines.len());

        let target = head.target.of_bytes(bytes);
        assert!(target.is_empty() || target.starts_with(b"/"));
        let target = if target.is_empty() { b"/" } else { target };
        let version: &[u8] = if head.version == Version::Http10 {
            b"0"
        } else {
            b"1"
        };
        let method = head.method.of_bytes(bytes);
        let mut out = [method, b" ", target, b" HTTP/1.", version, b"\r\n"].concat();
        push_fields(&mut out, bytes, &head.fields, |_| true);
        out.extend_from_slice(b"\r\n");
        let again = request(&out).expect("what is accepted is accepted again");
        assert_eq!(again.framing, head.framing);
        assert_eq!(again.target.of_bytes(&out), target);
        assert_eq!(again.fields.lines.len(), head.fields.lines.len());
        true
    });
}

#[test]
fn an_accepted_response_head_means_the_same_to_every_parser() {
    fuzz(|random| {
        let mut bytes = random.one(&ANSWERS).to_vec();
        random.mutated(&mut bytes);
        let Some(length) = scanned(&bytes, random) else {
            return false;
        };
        let bytes = &bytes[..length];
        let is_head = random.below(2) == 0;
        let read = |bytes: &[u8]| {
            let mut head = ResponseHead::default();
            parse::response(bytes, BOUNDS, is_head, &mut head).map(|()| head)
        };
        let Ok(head) = read(bytes) else { return false };
        check_fields(&head.fields, bytes);
        let naive = naive_framing(bytes);
        match head.framing {
            Framing::None if is_head || matches!(head.status, 100..=199 | 204 | 304) => {}
            Framing::UntilClose => assert_eq!(naive, Framing::None),
            framing => assert_eq!(framing, naive),
        }
        let mut lines = [httparse::EMPTY_HEADER; parse::FIELDS_CAP];
        let mut parsed = httparse::Response::new(&mut lines);
        assert_eq!(parsed.parse(bytes), Ok(httparse::Status::Complete(length)));
        assert_eq!(parsed.code, Some(head.status));

        let mut out = Vec::new();
        push_status(&mut out, head.status, head.reason.of_bytes(bytes));
        push_fields(&mut out, bytes, &head.fields, |field| {
            field.known != Known::Connection
        });
        out.extend_from_slice(b"\r\n");
        let again = read(&out).expect("what is accepted is accepted again");
        assert_eq!((again.framing, again.status), (head.framing, head.status));
        true
    });
}

#[test]
fn a_head_in_the_usual_form_means_the_same_to_the_strict_parser() {
    fuzz(|random| {
        let mut bytes = random.one(&REQUESTS).to_vec();
        random.mutated(&mut bytes);
        let mut usual = RequestHead::default();
        if !parse::usual_request(&bytes, BOUNDS, &mut usual) {
            return false;
        }
        let length = scanned(&bytes, random).expect("what is accepted is whole");
        assert_eq!(request(&bytes[..length]), Ok(usual));
        true
    });
    fuzz(|random| {
        let mut bytes = random.one(&ANSWERS).to_vec();
        random.mutated(&mut bytes);
        let is_head = random.below(2) == 0;
        let (mut usual, mut strict) = (ResponseHead::default(), ResponseHead::default());
        if !parse::usual_response(&bytes, BOUNDS, is_head, &mut usual) {
            return false;
        }
        let length = scanned(&bytes, random).expect("what is accepted is whole");
        let result = parse::response(&bytes[..length], BOUNDS, is_head, &mut strict);
        assert_eq!((result, strict), (Ok(()), usual));
        true
    });
}

#[test]
fn chunks_are_the_same_however_they_are_split() {
    fuzz(|random| {
        let mut bytes = Vec::new();
        for _ in 0..random.below(4) {
            let data = random.one(&WORDS);
            push_chunk(&mut bytes, data);
        }
        push_end(&mut bytes, random.one(&[b"", b"T: v\r\n\r\n"]));
        random.mutated(&mut bytes);
        let mut decode = |piece_max: usize| {
            let (mut decoder, mut data, mut at) = (Decoder::default(), Vec::new(), 0);
            while at < bytes.len() {
                let piece = (1 + random.below(piece_max)).min(bytes.len() - at);
                let step = decoder.step(&bytes[at..at + piece]).ok()?;
                assert!(step.consumed > 0 && step.consumed <= piece);
                data.extend_from_slice(&bytes[at..][step.data]);
                at += step.consumed;
                if step.is_end {
                    return Some((data, at));
                }
            }
            None
        };
        let (whole, pieces) = (decode(100_000), decode(3));
        assert_eq!(whole, pieces);
        let Some(read) = whole else { return false };
        assert_eq!(read, naive_body(&bytes, Framing::Chunked));
        true
    });
}

/// A stream in memory: reads and writes random pieces, and sometimes returns `Pending`.
#[derive(Clone)]
struct Script {
    input: Rc<RefCell<Vec<u8>>>,
    output: Rc<RefCell<Vec<u8>>>,
    random: Rc<RefCell<Random>>,
    is_silent: bool,
}

impl Script {
    fn new(input: &[u8], seed: u64, is_silent: bool) -> Self {
        let random = Rc::new(RefCell::new(Random(seed | 1)));
        let input = Rc::new(RefCell::new(input.to_vec()));
        Self {
            input,
            output: Rc::default(),
            random,
            is_silent,
        }
    }

    fn below(&self, bound: usize) -> usize {
        self.random.borrow_mut().below(bound)
    }

    fn poll(&self, context: &Context<'_>) -> Poll<()> {
        if self.is_silent || self.below(4) == 0 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    }
}

impl Socket for Script {
    fn poll_readable(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_read(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        if self.poll(context).is_pending() {
            return Poll::Pending;
        }
        let mut input = self.input.borrow_mut();
        let count = (1 + self.below(30)).min(input.len()).min(room.len());
        room[..count].copy_from_slice(&input[..count]);
        input.drain(..count);
        Poll::Ready(Ok(count))
    }

    fn poll_write(
        &mut self,
        _context: &mut Context<'_>,
        first: &[u8],
        second: &[u8],
    ) -> Poll<io::Result<usize>> {
        let both = [first, second].concat();
        let count = 1 + self.below(both.len());
        self.output.borrow_mut().extend_from_slice(&both[..count]);
        Poll::Ready(Ok(count))
    }

    fn poll_finish(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn abort(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn is_stale(&mut self) -> bool {
        false
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1_000_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
    panic!("it waits forever");
}

type Exchanged = (Vec<u8>, Vec<u8>, Vec<u8>);

/// Reads requests from one connection like a gateway, sends each to an upstream, and reads what the
/// upstream received: method, target and body of each, and how it ended.
async fn conversation(input: &[u8], seed: u64) -> (Vec<Exchanged>, String) {
    let (blocks, timer) = (Rc::new(BufferPool::default()), Timer::default());
    let mut server = Server::new(
        Script::new(input, seed, false),
        &blocks,
        timer.deadline(),
        BOUNDS,
        TIMES,
    );
    let second = Duration::from_secs(1);
    let limits = Limits {
        idle: second,
        caller_idle: second,
    };
    let mut exchanged = Vec::new();
    loop {
        if let Err(error) = server.next(second, second, async || {}).await {
            return (exchanged, format!("{error:?}"));
        }
        let mut out = Vec::new();
        let body = RequestBody {
            coding: coding(&server.head),
            bytes_max: u64::MAX,
            is_kept: seed.is_multiple_of(2),
        };
        compose(&server.head, server.head_bytes(), &mut out);
        let upstream = Script::new(b"", seed ^ 0x5555, true);
        let mut client = Client::new(upstream.clone(), &blocks);
        server.begin_body();
        match send_request(&mut server, &mut client, &mut out, body, limits).await {
            Ok(sent) => assert_eq!(sent, Sent::Whole),
            Err(error) => return (exchanged, format!("{error:?}")),
        }
        let got = upstream.output.borrow();
        assert!(
            out.is_empty() || out == *got,
            "the whole request is kept for a repeat"
        );
        exchanged.push(read_back(&got));
        if !server.head.is_persistent {
            return (exchanged, "closed".into());
        }
    }
}

fn coding(head: &RequestHead) -> Coding {
    match head.framing {
        Framing::Chunked => Coding::Chunked { trailers: false },
        _ => Coding::Plain,
    }
}

fn compose(head: &RequestHead, bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(head.method.of_bytes(bytes));
    out.push(b' ');
    let target = head.target.of_bytes(bytes);
    out.extend_from_slice(if target.is_empty() { b"/" } else { target });
    out.extend_from_slice(b" HTTP/1.1\r\nHost: upstream\r\n");
    push_fields(out, bytes, &head.fields, |field| {
        !field.known.ends_here() && !field.is_named_hop
    });
    match head.framing {
        Framing::Length(length) => push_length(out, length),
        Framing::Chunked => push_field(out, "transfer-encoding", b"chunked"),
        Framing::None | Framing::UntilClose => {}
    }
    out.extend_from_slice(b"\r\n");
}

/// Parses what an upstream received: exactly one request, to the last byte.
fn read_back(got: &[u8]) -> Exchanged {
    let wide = Bounds {
        head_bytes_max: 4_096,
        fields_max: 64,
        ..BOUNDS
    };
    let length = Scan::default()
        .advance(got, wide)
        .expect("sound")
        .expect("whole");
    let (mut head, bytes) = (RequestHead::default(), &got[..length]);
    parse::request(bytes, wide, &mut head).expect("a request stays one request");
    let mut body = Body::new(head.framing);
    let (mut at, mut data) = (length, Vec::new());
    while !body.is_done() {
        let (count, range) = body.take(&got[at..]).expect("a body stays one body");
        assert!(count > 0, "the body is not whole");
        data.extend_from_slice(&got[at..][range]);
        at += count;
    }
    assert_eq!(at, got.len(), "bytes that belong to no request were sent");
    let of = |span: tollgate_http1::head::Span| span.of_bytes(bytes).to_vec();
    (of(head.method), of(head.target), data)
}

#[test]
fn no_bytes_of_one_request_become_those_of_another() {
    fuzz(|random| {
        let mut bytes = Vec::new();
        for _ in 0..=random.below(3) {
            bytes.extend_from_slice(random.one(&REQUESTS));
        }
        random.mutated(&mut bytes);
        let first = block_on(conversation(&bytes, random.next()));
        let second = block_on(conversation(&bytes, random.next()));
        assert_eq!(first, second, "{}", bytes.escape_ascii());
        let mut at = 0;
        for (method, target, data) in &first.0 {
            // One empty line may precede a request (RFC 9112, section 2.2).
            at += usize::from(bytes[at..].starts_with(b"\r\n")) * 2;
            let length = find(&bytes[at..], b"\r\n\r\n").expect("a head") + 4;
            let head = &bytes[at..at + length];
            let words: Vec<_> = head.split(|byte| b" \r".contains(byte)).take(2).collect();
            assert_eq!(words[0], method);
            assert!(words[1].ends_with(target) || target == b"/");
            at += length;
            let (naive, used) = naive_body(&bytes[at..], naive_framing(head));
            assert_eq!(&naive, data);
            at += used;
        }
        !first.0.is_empty()
    });
}
