//! The commands of `tollgate-lab`: one variant each, and what it runs.

use std::fs;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use clap::{Args, Parser, Subcommand};
use tollgate_lab::back_end::{BackEnd, Secure, Stall};
use tollgate_lab::brief;
use tollgate_lab::capacity;
use tollgate_lab::check::{self, Checked};
use tollgate_lab::compare::{self, Comparison};
use tollgate_lab::driver::Measured;
use tollgate_lab::figures::{self, OURS};
use tollgate_lab::generator::{self, Stop};
use tollgate_lab::host;
use tollgate_lab::kept::Run;
use tollgate_lab::load::{Event, Load};
use tollgate_lab::plan::{Planned, Wanted};
use tollgate_lab::report;
use tollgate_lab::stand::Standing;
use tollgate_lab::tollgate;

/// The performance lab of Tollgate
#[derive(Debug, Parser)]
#[command(name = "tollgate-lab", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a profile: start all sides, measure them in turn, keep the result
    Run(RunArguments),
    /// Do one load: reads it as JSON from standard input, writes what happens, a JSON object a line
    Load(LoadArguments),
    /// Serve fixed answers and echoes until SIGTERM, or until standard input closes
    BackEnd(BackEndArguments),
    /// Write a kept run's page and tables again: report.html, summary.csv, .json and .md
    Report(ReportArguments),
    /// Set two kept runs, or two sides of one, beside each other: what is better, worse, no change
    Compare(CompareArguments),
    /// How many nodes and cores a load needs, judged by kept runs
    Capacity(CapacityArguments),
    /// Stand by on this machine for a run that another one drives: it starts this by itself
    Host,
    /// Start a rival with a back end behind it, and print a call that works, until Ctrl-C
    Rival(RivalArguments),
    /// Ask Tollgate and each installed rival whether it does a gateway's work: keys, limit, id, log
    CheckRivals(CheckRivalsArguments),
}

#[derive(Debug, Args)]
struct RunArguments {
    /// A file of bench/profiles, without its ending
    profile: String,
    /// Which of the profile's modes
    #[arg(long, default_value = "quick")]
    mode: String,
    /// Interleaved rounds of each cell, instead of the mode's
    #[arg(long)]
    rounds: Option<u32>,
    /// Seconds of each measurement, instead of the mode's
    #[arg(long, value_name = "SECONDS")]
    measured_s: Option<u64>,
    /// Where the result goes, instead of bench/runs/<date>-<machine>/<profile>-<mode>
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// The binary to measure, instead of this tree's release build
    #[arg(long, value_name = "FILE")]
    tollgate: Option<PathBuf>,
    /// Measure without asking before whether each secured side does the work
    #[arg(long)]
    no_check: bool,
    /// The rate of an open loop in requests a second, instead of 60 % of the lowest peak
    #[arg(long, value_name = "RATE")]
    per_second: Option<u32>,
    /// A binary of before a change, measured beside it as the side `before`
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// Which machine each part stands on, as bench/README.md tells, instead of all on this one
    #[arg(long, value_name = "FILE")]
    topology: Option<PathBuf>,
    /// An address of the topology that is not this machine's and yet yours: it may be loaded
    #[arg(long, value_name = "ADDRESS", requires = "topology")]
    i_own_this_host: Vec<IpAddr>,
    /// Only say how long it will take
    #[arg(long)]
    estimate: bool,
    /// The folder with profiles, scenarios and rivals
    #[arg(long, value_name = "FOLDER", default_value = "bench")]
    bench: PathBuf,
}

#[derive(Debug, Args)]
struct LoadArguments {
    /// An address that is not this machine's and yet yours: it may be loaded
    #[arg(long, value_name = "ADDRESS")]
    i_own_this_host: Vec<IpAddr>,
}

#[derive(Debug, Args)]
struct BackEndArguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Where to take TLS, too
    #[arg(long, value_name = "ADDRESS", requires_all = ["certificate", "key"])]
    https_listen: Option<SocketAddr>,
    /// A PEM file with the certificate for it
    #[arg(long, value_name = "FILE", requires = "https_listen")]
    certificate: Option<PathBuf>,
    /// A PEM file with the certificate's key
    #[arg(long, value_name = "FILE", requires = "https_listen")]
    key: Option<PathBuf>,
    /// From the start of one stall to the next
    #[arg(long, requires = "stall_ms")]
    stall_every_ms: Option<u64>,
    /// How long the whole server stalls
    #[arg(long, requires = "stall_every_ms")]
    stall_ms: Option<u64>,
    /// A file of delays in microseconds, one a line, which requests take in turn
    #[arg(long, value_name = "FILE")]
    latency_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct RivalArguments {
    /// A folder of bench/rivals
    name: String,
    /// How many calls of each key pass in a minute; else none is refused
    #[arg(long, value_name = "CALLS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// The folder with profiles, scenarios and rivals
    #[arg(long, value_name = "FOLDER", default_value = "bench")]
    bench: PathBuf,
}

#[derive(Debug, Args)]
struct CheckRivalsArguments {
    /// `tollgate` and folders of bench/rivals; all that do a gateway's work where none is named
    names: Vec<String>,
    /// Tollgate's binary, instead of this tree's release build
    #[arg(long, value_name = "FILE")]
    tollgate: Option<PathBuf>,
    /// The folder with profiles, scenarios and rivals
    #[arg(long, value_name = "FOLDER", default_value = "bench")]
    bench: PathBuf,
}

#[derive(Debug, Args)]
struct ReportArguments {
    /// The run's folder, or its run.json
    run: PathBuf,
    /// Where the files go, instead of beside the run
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// The folder with the published figures
    #[arg(long, value_name = "FOLDER", default_value = "bench")]
    bench: PathBuf,
}

#[derive(Debug, Args)]
struct CompareArguments {
    /// The folder of the run that is compared to, or its run.json
    a: PathBuf,
    /// The folder of the run that is compared, or its run.json
    #[arg(required_unless_present = "to", conflicts_with = "to")]
    b: Option<PathBuf>,
    /// Compare with this side of the run A itself, such as `before`
    #[arg(long, value_name = "SIDE")]
    to: Option<String>,
    /// Which side of A is compared with it
    #[arg(long, value_name = "SIDE", default_value = OURS, requires = "to")]
    side: String,
}

#[derive(Debug, Args)]
struct CapacityArguments {
    /// Requests a second, over all nodes
    #[arg(long)]
    rate: f64,
    /// The bound of the 99th percentile, in milliseconds
    #[arg(long, value_name = "MS")]
    p99: f64,
    /// Folders of kept runs, or their run.json
    #[arg(required = true)]
    runs: Vec<PathBuf>,
}

/// Does what the command line says.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Run(arguments) => return profile(arguments),
        Command::Load(arguments) => load(&arguments)?,
        Command::BackEnd(arguments) => back_end(&arguments)?,
        Command::Report(arguments) => page(&arguments)?,
        Command::Compare(arguments) => say(compared(&arguments)?.to_string().trim_end())?,
        Command::Capacity(arguments) => capacity(&arguments)?,
        Command::Host => host::serve()?,
        Command::Rival(arguments) => rival(&arguments)?,
        Command::CheckRivals(arguments) => return check_rivals(&arguments),
    }
    Ok(ExitCode::SUCCESS)
}

fn profile(arguments: RunArguments) -> anyhow::Result<ExitCode> {
    let is_estimate = arguments.estimate;
    let bench = arguments.bench.clone();
    let planned = Planned::new(Wanted {
        bench: arguments.bench,
        profile: arguments.profile,
        mode: arguments.mode,
        rounds: arguments.rounds,
        measured_s: arguments.measured_s,
        out: arguments.out,
        tollgate: arguments.tollgate,
        check: !arguments.no_check,
        per_second: arguments.per_second,
        before: arguments.before,
        topology: arguments.topology,
        owned: arguments.i_own_this_host,
    })?;
    say(&planned.describe())?;
    if is_estimate {
        return Ok(ExitCode::SUCCESS);
    }
    let Measured {
        run,
        folder,
        is_whole,
    } = planned.run()?;
    say(&brief::table(&run))?;
    say(&format!("kept in {}", folder.display()))?;
    let page = report::write(&run, &folder, &bench)?;
    say(&format!("report in {}", page.display()))?;
    say(brief::lines(&run).trim_end())?;
    Ok(succeeded(is_whole))
}

fn page(arguments: &ReportArguments) -> anyhow::Result<()> {
    let run = Run::read(&arguments.run)?;
    let beside = if arguments.run.is_dir() {
        Some(arguments.run.as_path())
    } else {
        arguments.run.parent()
    };
    let out = arguments.out.as_deref().or(beside);
    let folder = out.context("a run's file lies in a folder")?;
    let page = report::write(&run, folder, &arguments.bench)?;
    say(&format!("report in {}", page.display()))
}

fn compared(arguments: &CompareArguments) -> anyhow::Result<Comparison> {
    let a = Run::read(&arguments.a)?;
    if let Some(b) = &arguments.b {
        return Ok(compare::compare(&a, &Run::read(b)?));
    }
    let side = arguments.side.as_str();
    let to = arguments.to.as_deref().unwrap_or(side);
    let measured = figures::sides(&a);
    for side in [side, to] {
        let all = measured.join(", ");
        ensure!(
            measured.contains(&side),
            "no side {side:?} was measured, only {all}"
        );
    }
    ensure!(side != to, "{side:?} is no other side than {to:?}");
    Ok(compare::sides(&a, side, to))
}

fn capacity(arguments: &CapacityArguments) -> anyhow::Result<()> {
    let are_sane = arguments.rate > 0.0 && arguments.p99 > 0.0;
    ensure!(are_sane, "--rate and --p99 must be above zero");
    let runs = arguments.runs.iter().map(|path| Run::read(path));
    let runs: Vec<Run> = runs.collect::<anyhow::Result<_>>()?;
    say(capacity::plan(&runs, arguments.rate, arguments.p99)
        .to_string()
        .trim_end())
}

fn load(arguments: &LoadArguments) -> anyhow::Result<()> {
    let mut loads = serde_json::Deserializer::from_reader(io::stdin().lock()).into_iter();
    let load: Load = loads
        .next()
        .context("standard input is empty: a load as JSON must come there")?
        .context("standard input is no load")?;
    let stop = Stop::on_signals()?;
    let mut report = |event: Event| say(&serde_json::to_string(&event)?);
    let outcome = generator::run(&load, &arguments.i_own_this_host, Some(&stop), &mut report)?;
    report(Event::Outcome(Box::new(outcome)))
}

fn back_end(arguments: &BackEndArguments) -> anyhow::Result<()> {
    let stall = arguments.stall_every_ms.zip(arguments.stall_ms);
    let stall = stall.map(|(every_ms, lasts_ms)| Stall { every_ms, lasts_ms });
    if let Some(stall) = stall {
        ensure!(
            stall.every_ms > stall.lasts_ms,
            "it would do nothing but stall"
        );
    }
    let delays_us = match &arguments.latency_file {
        Some(path) => delays(path).with_context(|| path.display().to_string())?,
        None => Vec::new(),
    };
    let pair = arguments.certificate.clone().zip(arguments.key.clone());
    let secure = arguments.https_listen.zip(pair);
    let back_end = BackEnd {
        listen: arguments.listen,
        secure: secure.map(|(listen, (certificate, key))| Secure {
            listen,
            certificate,
            key,
        }),
        stall,
        delays_us,
    };
    let stop = Stop::on_signals()?;
    back_end.serve(&stop, true, |address, secure| {
        say(&format!("listening {address}"))?;
        secure.map_or(Ok(()), |it| say(&format!("listening for TLS {it}")))
    })
}

fn delays(path: &Path) -> anyhow::Result<Vec<u64>> {
    let text = fs::read_to_string(path)?;
    let delays: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
    delays.context("not a list of whole microseconds")
}

fn rival(arguments: &RivalArguments) -> anyhow::Result<()> {
    let standing = Standing::start(&arguments.bench, &arguments.name, arguments.limit)?;
    say(&standing.curl)?;
    say(&format!(
        "its files, until it ends: {}",
        standing.directory.path().display()
    ))?;
    standing.wait()
}

fn check_rivals(arguments: &CheckRivalsArguments) -> anyhow::Result<ExitCode> {
    let built = || tollgate::binary(&arguments.bench);
    let binary = arguments.tollgate.clone().unwrap_or_else(built);
    let found = check::find(&arguments.bench, &arguments.names, &binary)?;
    let checked = check::all(found.sides, Ipv4Addr::LOCALHOST.into(), |_| Ok(()))?;
    say(check::table(&checked).trim_end())?;
    for left_out in &found.left_out {
        say(&format!("not checked: {left_out}"))?;
    }
    Ok(succeeded(checked.iter().all(Checked::is_fine)))
}

const fn succeeded(has: bool) -> ExitCode {
    if has {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Writes a line that whoever started us can read at once.
fn say(line: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
