//! Lines of hostile callers, read by other software.

use std::fmt::Write as _;
use std::fs;
use std::net::Ipv6Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tollgate_model::call_text::CallText;
use tollgate_model::id::VersionId;
use tollgate_model::record::Record;
use tollgate_watch::AccessLog;
use tollgate_watch::access_log::{Filter, Format, LineNames, Naming, Settings, Template};

use crate::peers::peers;

/// Enough for each piece in many places; `cargo test … -- --ignored` reads ten times as many.
const CALLS: u64 = 10_000;
/// Lines that are written before the next are formatted: fewer than the queue has room for.
const BATCH: u64 = 5_000;
const PATIENCE: Duration = Duration::from_secs(60);

struct Nameless;

impl Naming for Nameless {
    fn generation(&self) -> u64 {
        0
    }

    fn key_parameters(&self) -> Vec<String> {
        Vec::new()
    }

    fn names(&self, _: VersionId) -> Option<LineNames> {
        None
    }
}

/// Random numbers (Marsaglia: Xorshift RNGs).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        for shift in [13_i32, -7, 17] {
            self.0 ^= match shift {
                13 | 17 => self.0 << shift,
                _ => self.0 >> -shift,
            };
        }
        (self.0 >> 11) as usize % bound
    }

    /// Returns a text of pieces that hostile callers send.
    fn text(&mut self) -> Vec<u8> {
        const PIECES: &[&[u8]] = &[
            b"\"",
            b"\\",
            b"\r\n",
            b"%0d%0a",
            b"\x1b[2J\x1b]0;x\x07",
            b"\xc2\x9b31m",
            b"\x00",
            b"\xff\xfe",
            b"\xc3\xa9",
            b"\xf0\x9f\x92\xa9",
            b"\xf0\x9f",
            b"\xed\xa0\x80",
            b"\x7f",
            b" ",
            b"\t",
            b"\\\"",
            b"\\x41",
            b"\\u0041",
            b"a",
            b"/../",
            b"${jndi:ldap://a}",
            b"-",
            b"\" 200 0 \"-\" \"",
            b"{status}",
            b"\xe2\x80\xae",
            b"\xc0\x80",
        ];
        let mut text = Vec::new();
        for _ in 0..self.below(8) {
            match self.below(3) {
                0 => text.push(self.below(256) as u8),
                _ => text.extend_from_slice(PIECES[self.below(PIECES.len())]),
            }
        }
        text
    }
}

fn wait_until_written(log: &AccessLog) {
    let begun = Instant::now();
    while log.condition().waiting_bytes > 0 {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn hex(text: &[u8]) -> String {
    text.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Logs calls of hostile callers in a format, and has other software read the lines.
fn judge(name: &str, format: Format, calls: u64) {
    let Some(peers) = peers() else { return };
    let folder = TempDir::new().unwrap();
    let [sent_path, path] = ["sent", name].map(|it| folder.path().join(it));
    let log = AccessLog::open(Settings {
        path: path.clone(),
        format,
        filter: Filter::default(),
        rotate_bytes: 0,
        keep: 0,
    });
    let log = log.unwrap();
    let mut lines = log.of_worker(1, Arc::new(Nameless));
    let (mut sent, mut random, mut frame) = (String::new(), Random(7), Vec::new());
    for number in 0..calls {
        let [path, mut agent, mut referrer] = [(); 3].map(|()| random.text());
        let path = [b"/", &*path].concat();
        // User, query and fragment of a referrer are not kept.
        referrer.retain(|byte| !b"@?#".contains(byte));
        // `-` means an absent text.
        for text in [&mut agent, &mut referrer] {
            if text == b"-" {
                text.clear();
            }
        }
        let texts = CallText {
            number,
            method: b"GET",
            path: &path,
            agent: &agent,
            referrer: &referrer,
            ..CallText::default()
        };
        frame.clear();
        texts.encode(&mut frame);
        let record = Record {
            at_us: 1_700_000_000_000_000 + number.cast_signed(),
            number,
            status: 200 + (number % 300) as u16,
            bytes_out: number + 1,
            address: [b"0123456789abcdef"[random.below(16)]; 16],
            ..Record::default()
        };
        lines.add_texts(&frame);
        lines.add(&record);
        if number % BATCH == 0 {
            lines.flush();
            wait_until_written(&log);
        }
        let (status, bytes_out) = (record.status, record.bytes_out);
        let address = Ipv6Addr::from(record.address);
        let [path, agent, referrer] = [&path, &agent, &referrer].map(|it| hex(it));
        let _ = writeln!(
            sent,
            "{{\"texts\":{{\"method\":\"474554\",\"path\":\"{path}\",\"agent\":\"{agent}\",\
             \"referer\":\"{referrer}\"}},\"status\":{status},\"bytes_out\":{bytes_out},\
             \"address\":\"{address}\"}}"
        );
    }
    lines.flush();
    log.close(PATIENCE);
    assert_eq!(log.condition().dropped_lines, 0);
    fs::write(&sent_path, sent).unwrap();
    let read = peers.read_access_log(name, &sent_path, &path);
    assert_eq!(read.unwrap(), calls);
}

#[test]
fn json_reads_lines_of_hostile_callers_back_unchanged() {
    judge("json", Format::Json, CALLS);
}

#[test]
fn apachelogs_reads_lines_of_hostile_callers_back_unchanged() {
    judge("combined", Format::Template(Template::combined()), CALLS);
}

#[test]
#[ignore = "takes ten times as long as the two above"]
fn both_read_100_000_lines() {
    judge("json", Format::Json, 10 * CALLS);
    judge(
        "combined",
        Format::Template(Template::combined()),
        10 * CALLS,
    );
}
