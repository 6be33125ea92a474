//! `tollgate spool`: reads the spool, also beside a process that writes it.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde_json::{Map, Value, json};
use tollgate_model::record::{Flags, Owner, RefusedBy};
use tollgate_spool::{Call, Damage, Depth, Named, ReadError, Segment, Summary, list, summarize};

use crate::data::spool_of;

/// What the command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    List,
    Verify,
    Cat,
}

/// The arguments of the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    verb: Verb,
    /// The segments to read; all if empty.
    files: Vec<PathBuf>,
}

impl Wanted {
    /// Reads the words after `spool`; `None` if the verb is none.
    #[must_use]
    pub fn read(verb: &str, files: &[&str]) -> Option<Self> {
        let verb = match verb {
            "list" => Verb::List,
            "verify" => Verb::Verify,
            "cat" => Verb::Cat,
            _ => return None,
        };
        let files = files.iter().map(PathBuf::from).collect();
        Some(Self { verb, files })
    }

    /// The segments to read.
    fn segments(&self, data: &Path) -> anyhow::Result<Vec<Named>> {
        if self.files.is_empty() {
            let folder = spool_of(data);
            ensure!(
                folder.is_dir(),
                "{} is not there; name the data directory of a process with --data",
                folder.display()
            );
            return list(&folder).with_context(|| format!("reading {}", folder.display()));
        }
        let named = self
            .files
            .iter()
            .cloned()
            .map(|path| Named { sequence: 0, path });
        Ok(named.collect())
    }
}

/// Carries out the command.
///
/// # Errors
/// Fails if a segment cannot be read, or standard output cannot be written.
pub fn carry_out(data: &Path, wanted: &Wanted) -> anyhow::Result<()> {
    let segments = wanted.segments(data)?;
    let mut out = BufWriter::new(io::stdout().lock());
    match wanted.verb {
        Verb::List => print_list(&segments, &mut out)?,
        Verb::Verify => verify(&segments, &mut out)?,
        Verb::Cat => {
            for (place, named) in segments.iter().enumerate() {
                let is_last = place + 1 == segments.len();
                cat(named, is_last, &mut out).with_context(|| named.path.display().to_string())?;
            }
        }
    }
    Ok(out.flush()?)
}

/// Whether a read failed at the end of the last segment, where another process may be writing.
fn is_being_written(error: &ReadError, is_last: bool) -> bool {
    is_last && matches!(error, ReadError::Damaged(Damage::Cut))
}

fn print_list(segments: &[Named], out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "{:<16} {:>16} {:>12} {:>12} {:>8} {:>12} {:<21} {:<21}",
        "segment", "epoch", "first", "calls", "blocks", "bytes", "from", "to"
    )?;
    for named in segments {
        let name = named.path.file_name().unwrap_or_default().display();
        match summarize(named, Depth::Heads) {
            Ok((it, _)) => writeln!(
                out,
                "{name:<16} {:016x} {:>12} {:>12} {:>8} {:>12} {:<21} {:<21}",
                it.header.epoch,
                it.header.first,
                it.calls,
                it.blocks,
                it.bytes,
                time(it.from_us),
                time(it.to_us)
            )?,
            Err(error) => writeln!(out, "{name:<16} {error}")?,
        }
    }
    Ok(())
}

fn verify(segments: &[Named], out: &mut impl Write) -> anyhow::Result<()> {
    let mut damaged = 0;
    for (place, named) in segments.iter().enumerate() {
        let is_last = place + 1 == segments.len();
        let path = named.path.display();
        let error = match summarize(named, Depth::Whole) {
            Ok((Summary { calls, blocks, .. }, error)) => {
                let error = error.filter(|error| !is_being_written(error, is_last));
                if error.is_none() {
                    writeln!(out, "{path}: {calls} calls in {blocks} blocks")?;
                }
                error
            }
            Err(error) => Some(error),
        };
        if let Some(error) = error {
            damaged += 1;
            writeln!(out, "{path}: {error}")?;
        }
    }
    out.flush()?;
    ensure!(
        damaged == 0,
        "{damaged} of {} segments cannot be read",
        segments.len()
    );
    Ok(())
}

fn cat(named: &Named, is_last: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let mut segment = Segment::open(&named.path)?;
    let mut calls = Vec::new();
    loop {
        let block = match segment.next_block() {
            Ok(Some(block)) => block,
            Ok(None) => return Ok(()),
            Err(error) if is_being_written(&error, is_last) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        calls.clear();
        block.read(&mut calls)?;
        for call in &calls {
            serde_json::to_writer(&mut *out, &json_of(call))?;
            out.write_all(b"\n")?;
        }
    }
}

/// A call as JSON; what it does not have is left out.
fn json_of(call: &Call) -> Value {
    let record = &call.record;
    let mut members = Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        members.extend(value.map(|value| (name.to_owned(), value)));
    };
    add(
        "request_id",
        Some(json!(format!("{:032x}", call.request_id()))),
    );
    add("at", Some(json!(time(record.at_us))));
    add("method", record.method.map(|it| json!(it.word())));
    add("status", Some(json!(record.status)));
    add("refusal", record.refusal.map(|it| json!(it.facts().code)));
    add("refused_by", record.refused_by.map(|it| json!(name_of(it))));
    add("api", record.api.map(|it| json!(it)));
    add("version", record.version.map(|it| json!(it)));
    add("revision", record.revision.map(|it| json!(it)));
    add("operation", record.operation.map(|it| json!(it)));
    add("application", record.application.map(|it| json!(it)));
    add("plan", record.plan.map(|it| json!(it)));
    let credential = record.credential();
    add("credential", credential.map(|it| json!(it.to_string())));
    let environment = match record.flags.has(Flags::SANDBOX) {
        true => "sandbox",
        false => "production",
    };
    add("environment", credential.map(|_| json!(environment)));
    let address = std::net::Ipv6Addr::from(record.address).to_canonical();
    add("network", Some(json!(address)));
    add("agent", Some(json!(record.agent.word())));
    add("cache", Some(json!(record.answered.cache().word())));
    let upstream_status = Some(record.upstream_status).filter(|it| *it > 0);
    add("upstream_status", upstream_status.map(|it| json!(it)));
    let times = [
        ("total_us", u64::from(record.total_us)),
        ("before_us", record.before_us.into()),
        ("upstream_us", record.upstream_us.into()),
        ("mediate_us", record.mediate_us.into()),
        ("bytes_in", record.bytes_in),
        ("bytes_out", record.bytes_out),
    ];
    for (name, number) in times {
        add(name, Some(json!(number)));
    }
    add(
        "authenticate_ns",
        record.authenticate.ns().map(|it| json!(it)),
    );
    add("admit_ns", record.admit.ns().map(|it| json!(it)));
    let flags = [
        ("cut", Flags::CUT),
        ("mismatched", Flags::MISMATCHED),
        ("over", Flags::OVER),
    ];
    for (name, flag) in flags {
        add(name, record.flags.has(flag).then_some(Value::Bool(true)));
    }
    Value::Object(members)
}

/// The limit or step that refused a call, such as `plan 0`: its owner, and its place there.
fn name_of(place: RefusedBy) -> String {
    let owner = match place.owner() {
        Owner::Plan => "plan",
        Owner::Application => "application",
        Owner::Version => "version",
        Owner::Operation => "operation",
        Owner::Upstream => "upstream",
        Owner::Request => "request",
        Owner::Response => "response",
    };
    format!("{owner} {}", place.index())
}

fn time(us: i64) -> String {
    let time = jiff::Timestamp::from_microsecond(us).unwrap_or_default();
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
