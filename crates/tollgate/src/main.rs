//! The program: `carry_out` runs each command, `run` is the life of the process.

use std::io::Write as _;
use std::process::ExitCode;

use tollgate::all::All;
use tollgate::certificates::make;
use tollgate::command::{self, Command};
use tollgate::process::{Hangups, StopSignals};
use tollgate::settings::{self, Settings, page};
use tollgate::{access_log, logging, mediate, metrics, process, refusals, reset, role, spool};

fn main() -> ExitCode {
    match carry_out() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "tollgate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn carry_out() -> anyhow::Result<()> {
    let (command, written) = command::parse(std::env::args_os().skip(1), std::env::vars_os())?;
    match command {
        Command::Run => run(&settings::gather(&written)?.1),
        Command::AdminReset(user) => {
            reset::carry_out(&settings::gather(&written)?.1, user.as_deref())
        }
        Command::Certificates(names) => make::carry_out(&settings::gather(&written)?.1, &names),
        Command::Mediate(wanted) => mediate::carry_out(&wanted, &written),
        Command::Spool(wanted) => {
            spool::carry_out(&settings::gather(&written)?.1.process.data, &wanted)
        }
        Command::Config => print(&page::effective(&settings::gather(&written)?.0)),
        Command::Settings => print(&page::reference()),
        Command::Refusals => print(&refusals::reference()),
        Command::Breaking => print(&tollgate_control::rules_markdown()),
        Command::Expressions => print(&tollgate_control::expressions_markdown()),
        Command::Policies => print(&tollgate_control::policies_markdown()),
        Command::Usage => print(&tollgate_control::usage_markdown()),
        Command::Metrics => print(&metrics::reference()),
        Command::AccessLog => print(&access_log::reference()),
        Command::OpenApi => print(&tollgate_control::document().to_pretty_json()?),
        Command::OpenApiOfOAuth2 => print(&tollgate_oauth2::document().to_pretty_json()?),
        Command::Version => print(concat!("tollgate ", env!("CARGO_PKG_VERSION"))),
        Command::Help(topic) => print(&command::help(&topic)),
    }
}

fn run(settings: &Settings) -> anyhow::Result<()> {
    let _logging = logging::begin(&settings.log);
    process::raise_descriptor_limit();
    process::check_descriptors(settings.gateway.connections_max.number());
    role::supported(settings.process.role)?;
    let data = process::take_data_and_ports(settings)?;
    let slow = process::slow_runtime(settings.control.threads.size())?;
    let grace = settings.gateway.drain_grace_ms.milliseconds();
    let outcome = slow.block_on(async {
        let mut signals = StopSignals::catch()?;
        let hangups = Hangups::catch()?;
        // The start waits for the gateway without a bound while the store cannot be read.
        let started = tokio::select! {
            biased;
            started = All::start(settings, &data, hangups) => started,
            () = signals.next() => {
                tracing::warn!("stopped before the start was complete");
                return Ok(());
            }
        };
        let all = started.map_err(|failure| data.explain(failure))?;
        all.announce()?;
        signals.next().await;
        all.shut_down(grace, &mut signals).await
    });
    // Nothing is awaited here: after a second signal an exchange may still be in progress.
    slow.shutdown_background();
    outcome
}

fn print(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{}", text.trim_end())?)
}
