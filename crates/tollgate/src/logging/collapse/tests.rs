use std::io;

use tracing::subscriber::with_default;

use super::*;

/// A log writer that keeps its output in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    fn lines(&self) -> Vec<String> {
        let bytes = self.0.lock().unwrap().clone();
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

impl io::Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Logs with `log` in a shape; returns the lines written at once and those of a tick after the
/// window.
fn logged(shape: Shape, log: impl Fn()) -> (Vec<String>, Vec<String>) {
    let memory = Memory::default();
    let writer = memory.clone();
    let lines = Lines::new(shape);
    let logger = tracing_subscriber::fmt().with_writer(move || writer.clone());
    match shape {
        Shape::Text => with_default(
            logger.event_format(super::super::text(&lines)).finish(),
            &log,
        ),
        Shape::Json => {
            let logger = logger.fmt_fields(super::super::JsonFields::new());
            with_default(
                logger.event_format(super::super::json(&lines)).finish(),
                &log,
            );
        }
    }
    let mut due = String::new();
    lines.write_due(&mut due, Instant::now() + WINDOW).unwrap();
    (memory.lines(), due.lines().map(str::to_owned).collect())
}

/// Returns a text line without its time.
fn untimed(line: &str) -> &str {
    line.split_once(' ').unwrap().1.trim_start()
}

fn flood() {
    for count in 0..710 {
        tracing::warn!(error = "too many open files", "no connection");
        if count % 100 == 0 {
            tracing::info!("something else");
        }
    }
    tracing::warn!(error = "another", "no connection");
}

#[test]
fn a_repeated_line_is_written_once_and_once_more_with_its_count() {
    let (lines, due) = logged(Shape::Text, flood);
    let here = module_path!();
    let first = format!("WARN {here}: no connection error=\"too many open files\"");
    let between = format!("INFO {here}: something else");
    let other = format!("WARN {here}: no connection error=\"another\"");
    let written: Vec<_> = lines.iter().map(|line| untimed(line)).collect();
    assert_eq!(written, [&first, &between, &other]);
    let counted: Vec<_> = due.iter().map(|line| untimed(line)).collect();
    let expected = [
        format!("{first} (repeated 709 times within 5 s)"),
        format!("{between} (repeated 7 times within 5 s)"),
    ];
    assert_eq!(counted, expected);
}

#[test]
fn json_lines_stay_json() {
    let (lines, due) = logged(Shape::Json, flood);
    let parsed = |line: &String| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let lines: Vec<_> = lines.iter().map(parsed).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["fields"]["message"], "no connection");
    assert!(lines[0]["timestamp"].is_string() && lines[0].get("repeated").is_none());
    let due: Vec<_> = due.iter().map(parsed).collect();
    assert_eq!(due[0]["repeated"], 709);
    assert_eq!(due[0]["fields"], lines[0]["fields"]);
}

#[test]
fn the_audit_trail_is_not_collapsed() {
    let (lines, due) = logged(Shape::Text, || {
        for _ in 0..3 {
            tracing::info!(target: "audit", "session.failed: name \"ada\"");
        }
    });
    assert_eq!((lines.len(), due.len()), (3, 0));
}

#[test]
fn a_flood_keeps_being_counted_and_the_remembered_lines_are_bounded() {
    let lines = Lines::new(Shape::Text);
    let now = Instant::now();
    let mut out = String::new();
    assert!(lines.is_new("a", now, &mut out).unwrap());
    assert!(!lines.is_new("a", now, &mut out).unwrap());
    lines.write_due(&mut out, now + WINDOW).unwrap();
    assert!(!lines.is_new("a", now + WINDOW, &mut out).unwrap());
    lines.write_due(&mut out, now + WINDOW * 2).unwrap();
    assert_eq!(out.matches("a (repeated 1 times").count(), 2, "{out}");
    lines.write_due(&mut out, now + WINDOW * 3).unwrap();
    assert_eq!(lines.recent().len(), 0, "no further repetition");
    for line in 0..LINES_MAX {
        assert!(lines.is_new(&line.to_string(), now, &mut out).unwrap());
    }
    assert!(!lines.is_new("0", now, &mut out).unwrap());
    out.clear();
    assert!(lines.is_new("one more", now, &mut out).unwrap());
    assert_eq!(lines.recent().len(), LINES_MAX);
    assert_eq!(untimed(&out), "0 (repeated 1 times within 5 s)\n");
    assert!(
        lines
            .is_new(&"x".repeat(LINE_BYTES_MAX + 1), now, &mut out)
            .unwrap()
    );
    assert_eq!(lines.recent().len(), LINES_MAX);
}
