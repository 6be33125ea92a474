//! The commands of `tollgate-lab`.

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
    /// Run one load: read it as JSON from standard input, print its events as JSON lines
    Load(LoadArguments),
    /// Serve fixed answers and echoes until SIGTERM, or until standard input closes
    BackEnd(BackEndArguments),
    /// Rebuild a kept run's page and tables: report.html, summary.csv, .json and .md
    Report(ReportArguments),
    /// Compare two kept runs, or two sides of one: better, worse or no change
    Compare(CompareArguments),
    /// Compute how many nodes and cores a load needs, from kept runs
    Capacity(CapacityArguments),
    /// Run one machine's part of a run driven from another machine; runs start it themselves
    Host,
    /// Start a rival with a back end behind it and print a working call, until Ctrl-C
    Rival(RivalArguments),
    /// Check that Tollgate and each installed rival do a gateway's work: keys, limit, id, log
    CheckRivals(CheckRivalsArguments),
}

#[derive(Debug, Args)]
struct RunArguments {
    /// A file of bench/profiles, without its extension
    profile: String,
    /// Mode of the profile
    #[arg(long, default_value = "quick")]
    mode: String,
    /// Interleaved rounds of each cell [default: the mode's]
    #[arg(long)]
    rounds: Option<u32>,
    /// Duration of each measurement in seconds [default: the mode's]
    #[arg(long, value_name = "SECONDS")]
    measured_s: Option<u64>,
    /// Folder for the result [default: bench/runs/<date>-<machine>/<profile>-<mode>]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Binary to measure [default: this tree's release build]
    #[arg(long, value_name = "FILE")]
    tollgate: Option<PathBuf>,
    /// Skip the check that each secured side does the work
    #[arg(long)]
    no_check: bool,
    /// Rate of an open loop in requests per second [default: 60 % of the lowest peak]
    #[arg(long, value_name = "RATE")]
    per_second: Option<u32>,
    /// Binary from before a change, measured as the side `before`
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// File that assigns the parts to machines, see bench/README.md [default: all on this one]
    #[arg(long, value_name = "FILE")]
    topology: Option<PathBuf>,
    /// Address in the topology that is not this machine's but yours, so it may be loaded
    #[arg(long, value_name = "ADDRESS", requires = "topology")]
    i_own_this_host: Vec<IpAddr>,
    /// Only print how long the run will take
    #[arg(long)]
    estimate: bool,
    /// Folder with profiles, scenarios and rivals
    #[arg(long, value_name = "FOLDER", default_value = "bench")]
    bench: PathBuf,
}

#[derive(Debug, Args)]
struct LoadArguments {
    /// Address that is not this machine's but yours, so it may be loaded
    #[arg(long, value_name = "ADDRESS")]
    i_own_this_host: Vec<IpAddr>,
}

#[derive(Debug, Args)]
struct BackEndArguments {
    /// Listen address; port 0 picks a free port
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Listen address for TLS
    #[arg(long, value_name = "ADDRESS", requires_all = ["certificate", "key"])]
    https_listen: Option<SocketAddr>,
    /// PEM file with the certificate for TLS
    #[arg(long, value_name = "FILE", requires = "https_listen")]
    certificate: Option<PathBuf>,
    /// PEM file with the certificate's private key
    #[arg(long, value_name = "FILE", requires = "https_listen")]
    key: Option<PathBuf>,
    /// Time from the start of one stall to the next, in milliseconds
    #[arg(long, requires = "stall_ms")]
    stall_every_ms: Option<u64>,
    /// Duration of a stall of the whole server, in milliseconds
    #[arg(long, requires = "stall_every_ms")]
    stall_ms: Option<u64>,
    /// File of delays in microseconds, one a line, used by requests in turn
    #[arg(long, value_name = "FILE")]
    latency_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct RivalArguments {
    /// A folder of bench/rivals
    name: String,
    /// Calls per minute admitted for each key [default: no limit]
    #[arg(long, value_name = "CALLS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Folder with profiles, scenarios and rivals
    #[arg(long, value_name = "FOLDER", default_value = "bench")]
    bench: PathBuf,
}

#[derive(Debug, Args)]
struct CheckRivalsArguments {
    /// `tollgate` and folders of bench/rivals [default: all with a gateway's features]
    names: Vec<String>,
    /// Tollgate's binary [default: this tree's release build]
    #[arg(long, value_name = "FILE")]
    tollgate: Option<PathBuf>,
    /// Folder with profiles, scenarios and rivals
    #[arg(long, value_name = "FOLDER", default_value = "bench")]
    bench: PathBuf,
}

#[derive(Debug, Args)]
struct ReportArguments {
    /// Folder of the run, or its run.json
    run: PathBuf,
    /// Folder for the files [default: the run's folder]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Folder with the published figures
    #[arg(long, value_name = "FOLDER", default_value = "bench")]
    bench: PathBuf,
}

#[derive(Debug, Args)]
struct CompareArguments {
    /// Folder of the baseline run, or its run.json
    a: PathBuf,
    /// Folder of the run to compare with the baseline, or its run.json
    #[arg(required_unless_present = "to", conflicts_with = "to")]
    b: Option<PathBuf>,
    /// Compare with this side of run A itself, such as `before`
    #[arg(long, value_name = "SIDE")]
    to: Option<String>,
    /// Side of A to compare with it
    #[arg(long, value_name = "SIDE", default_value = OURS, requires = "to")]
    side: String,
}

#[derive(Debug, Args)]
struct CapacityArguments {
    /// Requests per second, over all nodes
    #[arg(long)]
    rate: f64,
    /// Bound of the 99th percentile, in milliseconds
    #[arg(long, value_name = "MS")]
    p99: f64,
    /// Folders of kept runs, or their run.json
    #[arg(required = true)]
    runs: Vec<PathBuf>,
}

/// Runs the command given on the command line.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Run(arguments) => return profile(arguments),
        Command::Load(arguments) => load(&arguments)?,
        Command::BackEnd(arguments) => back_end(&arguments)?,
        Command::Report(arguments) => page(&arguments)?,
        Command::Compare(arguments) => print_line(compared(&arguments)?.to_string().trim_end())?,
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
    print_line(&planned.describe())?;
    if is_estimate {
        return Ok(ExitCode::SUCCESS);
    }
    let Measured {
        run,
        folder,
        is_whole,
    } = planned.run()?;
    print_line(&brief::table(&run))?;
    print_line(&format!("kept in {}", folder.display()))?;
    let page = report::write(&run, &folder, &bench)?;
    print_line(&format!("report in {}", page.display()))?;
    print_line(brief::lines(&run).trim_end())?;
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
    let folder = out.context("the run's file has no parent folder")?;
    let page = report::write(&run, folder, &arguments.bench)?;
    print_line(&format!("report in {}", page.display()))
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
    ensure!(side != to, "cannot compare {side:?} with itself");
    Ok(compare::sides(&a, side, to))
}

fn capacity(arguments: &CapacityArguments) -> anyhow::Result<()> {
    let are_sane = arguments.rate > 0.0 && arguments.p99 > 0.0;
    ensure!(are_sane, "--rate and --p99 must be above zero");
    let runs = arguments.runs.iter().map(|path| Run::read(path));
    let runs: Vec<Run> = runs.collect::<anyhow::Result<_>>()?;
    print_line(
        capacity::plan(&runs, arguments.rate, arguments.p99)
            .to_string()
            .trim_end(),
    )
}

fn load(arguments: &LoadArguments) -> anyhow::Result<()> {
    let mut loads = serde_json::Deserializer::from_reader(io::stdin().lock()).into_iter();
    let load: Load = loads
        .next()
        .context("standard input is empty: expected a load as JSON")?
        .context("standard input is not a valid load")?;
    let stop = Stop::on_signals()?;
    let mut report = |event: Event| print_line(&serde_json::to_string(&event)?);
    let outcome = generator::run(&load, &arguments.i_own_this_host, Some(&stop), &mut report)?;
    report(Event::Outcome(Box::new(outcome)))
}

fn back_end(arguments: &BackEndArguments) -> anyhow::Result<()> {
    let stall = arguments.stall_every_ms.zip(arguments.stall_ms);
    let stall = stall.map(|(every_ms, lasts_ms)| Stall { every_ms, lasts_ms });
    if let Some(stall) = stall {
        ensure!(
            stall.every_ms > stall.lasts_ms,
            "--stall-every-ms must be greater than --stall-ms"
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
        print_line(&format!("listening {address}"))?;
        secure.map_or(Ok(()), |it| print_line(&format!("listening for TLS {it}")))
    })
}

fn delays(path: &Path) -> anyhow::Result<Vec<u64>> {
    let text = fs::read_to_string(path)?;
    let delays: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
    delays.context("not a list of whole microseconds")
}

fn rival(arguments: &RivalArguments) -> anyhow::Result<()> {
    let standing = Standing::start(&arguments.bench, &arguments.name, arguments.limit)?;
    print_line(&standing.curl)?;
    print_line(&format!(
        "its files, removed at the end: {}",
        standing.directory.path().display()
    ))?;
    standing.wait()
}

fn check_rivals(arguments: &CheckRivalsArguments) -> anyhow::Result<ExitCode> {
    let built = || tollgate::binary(&arguments.bench);
    let binary = arguments.tollgate.clone().unwrap_or_else(built);
    let found = check::find(&arguments.bench, &arguments.names, &binary)?;
    let checked = check::all(found.sides, Ipv4Addr::LOCALHOST.into(), |_| Ok(()))?;
    print_line(check::table(&checked).trim_end())?;
    for left_out in &found.left_out {
        print_line(&format!("not checked: {left_out}"))?;
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

/// Writes a line and flushes it, so that a parent process can read it at once.
fn print_line(line: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
