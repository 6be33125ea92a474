use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;
use tollgate_model::api::Method;
use tollgate_model::call_text::CallText;
use tollgate_model::id::{ApiId, ApplicationId, OperationId, RevisionId, VersionId};
use tollgate_model::record::{AnsweredBy, CacheUse, Flags, Record};

use super::*;

/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Pets;

impl Naming for Pets {
    fn generation(&self) -> u64 {
        1
    }

    fn key_parameters(&self) -> Vec<String> {
        vec!["Chiave".to_owned()]
    }

    fn names(&self, version: VersionId) -> Option<LineNames> {
        (version.raw() == 3).then(|| LineNames {
            api: "Pets \"é\"\n".to_owned(),
            version: "1.0".to_owned(),
            operations: [(OperationId::from_raw(4), "GET /pets/{pet}".to_owned())].into(),
            revision: RevisionId::from_raw(8),
        })
    }
}

fn settings(path: &Path) -> Settings {
    Settings {
        path: path.to_owned(),
        format: Format::Json,
        filter: Filter::default(),
        rotate_bytes: 0,
        keep: 3,
    }
}

fn record(number: u64) -> Record {
    Record {
        at_us: 1_700_000_000_123_456,
        number,
        version: Some(VersionId::from_raw(3)),
        revision: Some(RevisionId::from_raw(8)),
        status: 200,
        total_us: 1_234,
        address: "::ffff:10.1.2.3"
            .parse::<std::net::Ipv6Addr>()
            .unwrap()
            .octets(),
        ..Record::default()
    }
}

fn texts(number: u64) -> CallText<'static> {
    CallText {
        number,
        method: b"GET",
        path: b"/pets/1.0/pets/7",
        host: b"a.example",
        ..CallText::default()
    }
}

fn lines_of(log: &AccessLog) -> WorkerLines {
    log.of_worker(9, Arc::new(Pets))
}

/// Adds a call to the log.
fn add(lines: &mut WorkerLines, record: &Record, texts: &CallText<'_>) {
    let mut frame = Vec::new();
    texts.encode(&mut frame);
    lines.add_texts(&frame);
    lines.add(record);
}

/// Adds calls with these numbers, and hands their lines over.
fn add_calls(lines: &mut WorkerLines, numbers: std::ops::RangeInclusive<u64>) {
    for number in numbers {
        add(lines, &record(number), &texts(number));
    }
    lines.flush();
}

/// The log of these calls, in a format.
fn written(format: Format, calls: &[(Record, CallText<'_>)]) -> String {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("access.log");
    let log = AccessLog::open(Settings {
        format,
        ..settings(&path)
    });
    let log = log.unwrap();
    let mut lines = lines_of(&log);
    for (record, texts) in calls {
        add(&mut lines, record, texts);
    }
    lines.flush();
    log.close(PATIENCE);
    fs::read_to_string(&path).unwrap()
}

/// Waits until the file at this path has as many lines.
fn wait_for_lines(path: &Path, count: usize) -> String {
    let begun = Instant::now();
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.lines().count() == count && text.ends_with('\n') {
            return text;
        }
        assert!(begun.elapsed() < PATIENCE, "{text}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn wait_for_condition(log: &AccessLog, is_met: impl Fn(&Condition) -> bool) -> Condition {
    let begun = Instant::now();
    loop {
        let condition = log.condition();
        if is_met(&condition) {
            return condition;
        }
        assert!(begun.elapsed() < PATIENCE, "{condition:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_line_of_json_has_the_fields_that_are_known() {
    let mut whole = record(1);
    whole.operation = Some(OperationId::from_raw(4));
    whole.application = Some(ApplicationId::from_raw(5));
    whole.api = Some(ApiId::from_raw(6));
    whole.method = Some(Method::Get);
    (whole.before_us, whole.upstream_us, whole.upstream_status) = (50, 1_000, 200);
    whole.answered.set_by(AnsweredBy::Upstream);
    whole.answered.set_cache(CacheUse::Miss);
    whole.flags.set(Flags::OVER, true);
    (whole.bytes_in, whole.bytes_out) = (1, 2);
    let with_texts = CallText {
        query: Some(b"a=1&chiave=2&%61ccess_token=3&code"),
        agent: b"\"\\\x1b[31m\xff\xc2\x9b\xc3\xa9",
        referrer: b"https://user:password@b.example/@c?code=1#id_token=2",
        ..texts(1)
    };
    let unknown = Record {
        version: None,
        status: 0,
        ..record(2)
    };
    let with_query = CallText {
        query: Some(b"a=1"),
        ..texts(2)
    };
    let text = written(Format::Json, &[(whole, with_texts), (unknown, with_query)]);
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let id = |number| format!("{:032x}", tollgate_model::record::request_id(9, number));
    assert_eq!(
        lines,
        [
            json!({
                "time": "2023-11-14T22:13:20.123456Z", "request_id": id(1),
                "address": "10.1.2.3", "method": "GET", "host": "a.example",
                "path": "/pets/1.0/pets/7", "query": "a=1&chiave=***&%61ccess_token=***&code",
                "protocol": "HTTP/1.1", "status": 200, "api": "Pets \"é\"\n", "version": "1.0",
                "operation": "GET /pets/{pet}",
                "application": ApplicationId::from_raw(5).to_string(),
                "answered_by": "upstream", "cache": "miss", "over": true,
                "bytes_in": 1, "bytes_out": 2, "total_ms": 1.234, "before_ms": 0.05,
                "upstream_ms": 1.0, "upstream_status": 200,
                "agent": "\"\\\u{1b}[31mÿ\u{9b}é",
                "referer": "https://b.example/@c?code=***#id_token=***",
            }),
            json!({
                "time": "2023-11-14T22:13:20.123456Z", "request_id": id(2),
                "address": "10.1.2.3", "method": "GET", "host": "a.example",
                "path": "/pets/1.0/pets/7", "protocol": "HTTP/1.1", "answered_by": "gateway",
                "bytes_in": 0, "bytes_out": 0, "total_ms": 1.234,
            }),
        ]
    );
    let controls = text.bytes().filter(|it| *it < b' ' && *it != b'\n').count();
    assert_eq!((controls, text.contains('\u{9b}')), (0, false));
}

#[test]
fn values_of_credentials_are_hidden_and_others_are_not() {
    let mut secrets = secrets::Secrets::default();
    secrets.extend(["Chiave".to_owned()]);
    for (query, expected) in [
        ("a=1&b=2", "a=1&b=2"),
        ("chiave=1&CHIAVE=2&c=3", "chiave=***&CHIAVE=***&c=3"),
        ("%63hiav%65=1", "%63hiav%65=***"),
        ("a=1;token=2;b=3", "a=1;token=***;b=3"),
        (
            "subject_token=1&x-goog-signature=2",
            "subject_token=***&x-goog-signature=***",
        ),
        (
            "client-secret=1=2&otp=3&Password=",
            "client-secret=***&otp=***&Password=***",
        ),
        (
            "postal_code=1&code=2&token&=3",
            "postal_code=1&code=***&token&=3",
        ),
        ("next=/a?access_token=1", "next=/a?access_token=***"),
        ("", ""),
    ] {
        let mut shown = Vec::new();
        secrets.push_query(query.as_bytes(), &mut shown);
        assert_eq!(String::from_utf8(shown).unwrap(), expected);
    }
}

#[test]
fn calls_of_a_replaced_revision_have_no_query() {
    let earlier = Record {
        revision: Some(RevisionId::from_raw(7)),
        ..record(1)
    };
    let with_query = CallText {
        query: Some(b"k=secret"),
        referrer: b"http://user@b.example/c?k=secret",
        ..texts(1)
    };
    let text = written(Format::Json, &[(earlier, with_query)]);
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["version"], "1.0");
    assert_eq!(line["referer"], "http://b.example/c");
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn a_line_that_a_kill_has_cut_does_not_spoil_the_next() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("access.log");
    fs::write(&path, "{\"cut").unwrap();
    let log = AccessLog::open(settings(&path)).unwrap();
    add_calls(&mut lines_of(&log), 1..=1);
    log.close(PATIENCE);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "{\"cut"));
}

#[test]
fn lines_of_text_escape_what_callers_send() {
    let hostile = CallText {
        path: b"/pets/\"\\\x1b\xff",
        query: Some(b"token=1"),
        agent: b"a\r\nb",
        is_http_1_0: true,
        ..texts(1)
    };
    let line = "10.1.2.3 - - [14/Nov/2023:22:13:20 +0000] \"GET \
        /pets/\\\"\\\\\\x1b\\xff?token=*** HTTP/1.0\" 200 0 \"-\" \"a\\x0d\\x0ab\"\n";
    let combined = Format::Template(Template::combined());
    assert_eq!(written(combined, &[(record(1), hostile)]), line);
    let template = "{{{status}}} {agent} {total_ms} {refusal}".parse().unwrap();
    let line = "{200} a\\x0d\\x0ab 1.234 -\n";
    assert_eq!(
        written(Format::Template(template), &[(record(1), hostile)]),
        line
    );
}

#[test]
fn an_invalid_template_is_rejected() {
    for (text, expected) in [
        ("", TemplateError::Empty),
        (" ", TemplateError::Empty),
        ("{status}\n", TemplateError::Control),
        ("{status", TemplateError::Unclosed),
        ("status}", TemplateError::Unclosed),
        ("{}", TemplateError::Unknown(String::new())),
        ("{stats}", TemplateError::Unknown("stats".to_owned())),
    ] {
        assert_eq!(text.parse::<Template>().unwrap_err(), expected, "{text:?}");
    }
}

#[test]
fn invalid_statuses_are_rejected() {
    for text in [
        "99", "600", "1000", "599-400", "4xx", "400-", "-", "+404", "404,,500", "404;500",
    ] {
        assert!(text.parse::<StatusRanges>().is_err(), "{text}");
    }
    for text in ["", " ", "404", "100-599", "404, 500 - 599"] {
        assert!(text.parse::<StatusRanges>().is_ok(), "{text}");
    }
}

#[test]
fn the_filter_selects_by_status_time_and_number() {
    let selected = |filter: &Filter, calls: &[(u16, u32)]| {
        let mut rest = 0;
        let mut selects = |&(status, total_us): &(u16, u32)| {
            let call = Record {
                status,
                total_us,
                ..record(1)
            };
            filter.selects(&call, &mut rest)
        };
        calls.iter().map(&mut selects).collect::<Vec<_>>()
    };
    let all = Filter::default();
    let statuses = Filter {
        statuses: "404, 500-599".parse().unwrap(),
        ..Filter::default()
    };
    let slow = Filter {
        slow_us: 1_000,
        ..statuses.clone()
    };
    let some = Filter {
        one_in: 2,
        ..slow.clone()
    };
    let calls = [
        (200, 1),
        (404, 1),
        (500, 1),
        (599, 1),
        (200, 1_000),
        (200, 9),
    ];
    for (filter, expected) in [
        (&all, [true; 6]),
        (&statuses, [false, true, true, true, false, false]),
        (&slow, [false, true, true, true, true, false]),
        (&some, [true, true, true, true, true, false]),
    ] {
        assert_eq!(selected(filter, &calls), expected, "{filter:?}");
    }
    let mut preflight = record(1);
    preflight.answered.set_by(AnsweredBy::Preflight);
    assert!(!all.selects(&preflight, &mut 0));
    let with_preflights = Filter {
        has_preflights: true,
        ..all
    };
    assert!(with_preflights.selects(&preflight, &mut 0));
}

#[test]
fn texts_are_joined_in_any_order_and_lost_ones_are_counted() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("access.log");
    let log = AccessLog::open(settings(&path)).unwrap();
    let mut lines = lines_of(&log);
    let frame = |number| {
        let mut frame = Vec::new();
        texts(number).encode(&mut frame);
        frame
    };
    // The second comes before its texts; those of the third never come.
    lines.add_texts(&frame(4));
    lines.add_texts(&frame(1));
    for number in 1..=3 {
        lines.add(&record(number));
    }
    assert!(lines.is_waiting());
    lines.add_texts(&frame(2));
    lines.flush();
    lines.add(&record(4));
    assert!(!lines.is_waiting());
    lines.flush();
    log.close(PATIENCE);
    let text = fs::read_to_string(&path).unwrap();
    let has_path: Vec<_> = text.lines().map(|line| line.contains("\"path\"")).collect();
    assert_eq!(has_path, [true, true, false, true]);
    assert_eq!(log.condition().lost_texts, 1);
}

/// Makes a named pipe.
fn pipe_in(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    path
}

#[test]
fn a_path_that_cannot_be_opened_is_one_sentence() {
    let folder = TempDir::new().unwrap();
    let fifo = pipe_in(&folder);
    for (path, cause) in [
        (folder.path().join("none/access.log"), "No such file"),
        (folder.path().to_owned(), "Is a directory"),
        (fifo, "it is a FIFO that nobody reads"),
    ] {
        let error = AccessLog::open(settings(&path)).unwrap_err();
        let expected = format!("access_log.file: cannot open {}", path.display());
        assert_eq!(error.to_string(), expected);
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.starts_with(cause), "{source}");
    }
}

#[test]
fn a_full_file_is_rotated_and_so_many_are_kept() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("access.log");
    let log = AccessLog::open(Settings {
        rotate_bytes: 300,
        ..settings(&path)
    });
    let log = log.unwrap();
    let mut lines = lines_of(&log);
    for number in 1..=6 {
        add_calls(&mut lines, number..=number);
        wait_for_lines(&path, 1);
        wait_for_condition(&log, |it| it.waiting_bytes == 0 && it.lag.is_zero());
        let id = tollgate_model::record::request_id(9, number);
        assert!(
            fs::read_to_string(&path)
                .unwrap()
                .contains(&format!("{id:032x}"))
        );
    }
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["access.log", "access.log.1", "access.log.2", "access.log.3"]
    );
    log.close(PATIENCE);
    assert_eq!(log.condition().dropped_lines, 0);
}

#[test]
fn a_file_of_an_earlier_day_is_rotated() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("access.log");
    fs::write(&path, "yesterday\n").unwrap();
    let yesterday = std::time::SystemTime::now() - Duration::from_secs(86_400);
    let file = File::options().append(true).open(&path).unwrap();
    file.set_modified(yesterday).unwrap();
    let log = AccessLog::open(Settings {
        rotate_bytes: 1 << 20,
        ..settings(&path)
    });
    let log = log.unwrap();
    add_calls(&mut lines_of(&log), 1..=2);
    log.close(PATIENCE);
    let rotated = fs::read_to_string(folder.path().join("access.log.1")).unwrap();
    assert_eq!(rotated, "yesterday\n");
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
}

#[test]
fn a_file_that_cannot_be_rotated_is_used_further() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("access.log");
    fs::create_dir_all(folder.path().join("access.log.1/full")).unwrap();
    let log = AccessLog::open(Settings {
        rotate_bytes: 300,
        keep: 1,
        ..settings(&path)
    });
    let log = log.unwrap();
    let mut lines = lines_of(&log);
    for number in 1..=4 {
        add_calls(&mut lines, number..=number);
    }
    log.close(PATIENCE);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 4);
    assert_eq!(log.condition().dropped_lines, 0);
}

#[test]
fn a_file_that_is_renamed_deleted_or_truncated_is_followed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("access.log");
    let log = AccessLog::open(settings(&path)).unwrap();
    let mut lines = lines_of(&log);
    add_calls(&mut lines, 1..=2);
    wait_for_lines(&path, 2);
    // At once after a signal, however many.
    let renamed = folder.path().join("renamed");
    fs::rename(&path, &renamed).unwrap();
    (0..100).for_each(|_| log.reopen());
    add_calls(&mut lines, 3..=5);
    wait_for_lines(&path, 3);
    assert_eq!(fs::read_to_string(&renamed).unwrap().lines().count(), 2);
    // Within a second without one.
    fs::remove_file(&path).unwrap();
    let begun = Instant::now();
    while !path.exists() {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(10));
    }
    add_calls(&mut lines, 6..=6);
    wait_for_lines(&path, 1);
    File::options()
        .write(true)
        .truncate(true)
        .open(&path)
        .unwrap();
    add_calls(&mut lines, 7..=8);
    wait_for_lines(&path, 2);
    log.close(PATIENCE);
    assert_eq!(log.condition().dropped_lines, 0);
}

#[test]
fn an_open_file_is_kept_if_it_cannot_be_opened_again() {
    let folder = TempDir::new().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let path = inner.join("access.log");
    let log = AccessLog::open(settings(&path)).unwrap();
    let mut lines = lines_of(&log);
    let moved = folder.path().join("moved");
    fs::rename(&inner, &moved).unwrap();
    log.reopen();
    add_calls(&mut lines, 1..=2);
    wait_for_lines(&moved.join("access.log"), 2);
    // Without the file itself, lines are lost, until there is a folder again.
    fs::remove_dir_all(&moved).unwrap();
    wait_for_condition(&log, |it| it.problem.is_some());
    add_calls(&mut lines, 3..=5);
    wait_for_condition(&log, |it| it.dropped_lines == 3);
    fs::create_dir(&inner).unwrap();
    wait_for_condition(&log, |it| it.problem.is_none());
    add_calls(&mut lines, 6..=7);
    log.close(PATIENCE);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
    assert_eq!(log.condition().dropped_lines, 3);
}

#[test]
fn a_pipe_without_a_reader_costs_lines_until_there_is_one() {
    let folder = TempDir::new().unwrap();
    let path = pipe_in(&folder);
    let open = || File::options().read(true).write(true).open(&path).unwrap();
    let reader = open();
    let log = AccessLog::open(settings(&path)).unwrap();
    let mut lines = lines_of(&log);
    drop(reader);
    add_calls(&mut lines, 1..=3);
    let condition = wait_for_condition(&log, |it| it.dropped_lines == 3);
    assert!(condition.problem.is_some(), "{condition:?}");
    let mut reader = BufReader::new(open());
    wait_for_condition(&log, |it| it.problem.is_none());
    add_calls(&mut lines, 4..=4);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let id = tollgate_model::record::request_id(9, 4);
    assert!(line.contains(&format!("{id:032x}")), "{line}");
    assert_eq!(log.condition().dropped_lines, 3);
    log.close(PATIENCE);
}

#[test]
fn a_blocked_pipe_costs_whole_lines_and_is_written_again() {
    let folder = TempDir::new().unwrap();
    let path = pipe_in(&folder);
    let mut reader = File::options().read(true).write(true).open(&path).unwrap();
    let log = AccessLog::open(settings(&path)).unwrap();
    let mut lines = lines_of(&log);
    let begun = Instant::now();
    let calls = 60_000;
    for first in (1..=calls).step_by(1_000) {
        add_calls(&mut lines, first..=first + 999);
    }
    assert!(begun.elapsed() < PATIENCE);
    let condition = wait_for_condition(&log, |it| it.lag >= Duration::from_millis(50));
    assert!(condition.dropped_lines > 0, "{condition:?}");
    assert!(condition.waiting_bytes <= 8 << 20, "{condition:?}");
    let reading = std::thread::spawn(move || {
        let (mut seen, mut piece) = (0, [0; 65_536]);
        let mut text = Vec::new();
        loop {
            let count = reader.read(&mut piece).unwrap();
            text.extend_from_slice(&piece[..count]);
            while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
                let line: Vec<_> = text.drain(..=end).collect();
                if line == b"end\n" {
                    return seen;
                }
                let line: Value = serde_json::from_slice(&line).unwrap();
                assert!(line["path"].is_string());
                seen += 1;
            }
        }
    });
    log.close(PATIENCE);
    fs::write(&path, "end\n").unwrap();
    let seen: u64 = reading.join().unwrap();
    assert_eq!(seen + log.condition().dropped_lines, calls);
}
