//! Writes `summary.md`: the most important figures as Markdown.

use super::{Row, Summary};
use crate::background;
use crate::between;
use crate::figures::{bytes_name, cell_name};
use crate::footprint;
use crate::https;
use crate::kept::Run;
use crate::numbers::{counted, grouped, short};
use crate::split;

const HEAD: &str = "\
| scenario | message | delay ms | users | side | CPU us/request | requests/s | mean ms | p50 ms | \
p99 ms | added mean ms | added p99 ms | memory MiB | errors % | |
|---|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
";

/// Returns the run's header and tables.
#[must_use]
pub fn markdown(run: &Run) -> String {
    let summary = Summary::from_run(run);
    let Run {
        title,
        profile,
        mode,
        started,
        commit,
        machine,
        topology,
        ..
    } = run;
    let mut page = format!(
        "# {title}\n\nProfile `{profile}`, mode {mode}, {started}, commit `{commit}`; \
         {}, {}, {}; {topology}\n",
        machine.processor,
        counted(machine.cores.into(), "core"),
        machine.kernel
    );
    if run.machines == 1 {
        page += "\nFigures from one small machine are a comparison of shares, not a claim of \
                 absolute speed.\n";
    }
    for warning in &run.warnings {
        page += &format!("\n- {warning}");
    }
    for left in &run.left_out {
        page += &format!("\n- Left out: {}. {}", left.what, left.why);
    }
    page += "\n\n";
    page += HEAD;
    for row in &summary.rows {
        page += &line(row);
    }
    page += &peaks(&summary);
    page += &between(run);
    page += &threads(run);
    page += &background_loads(run);
    page += &footprints(run);
    page += "\nThroughput, cost and memory are medians over rounds, latencies are those of all \
             rounds. ≥: generator or back end limited the throughput, so it is a lower bound.\n";
    page
}

/// Renders the highest rates that the sides sustained, if the run searched for them.
fn peaks(summary: &Summary<'_>) -> String {
    let row = |row: &Row<'_>| {
        let peak = row.peak?;
        let (scenario, message) = (row.scenario, bytes_name(row.message_bytes));
        let bound = if peak.is_lower_bound { "≥ " } else { "" };
        let (side, rate, p99) = (row.side, short(peak.per_second), short(peak.p99_ms));
        Some(format!(
            "| {scenario} | {message} | {side} | {bound}{rate} | {p99} |\n"
        ))
    };
    let rows: String = summary.rows.iter().filter_map(row).collect();
    if rows.is_empty() {
        return rows;
    }
    let head =
        "| scenario | message | side | requests/s sustained | p99 ms |\n|---|---:|---|---:|---:|\n";
    format!("\n{head}{rows}")
}

/// Renders the comparisons of scenarios, if the run has any.
fn between(run: &Run) -> String {
    let all = between::all(run);
    let rows = all
        .iter()
        .map(|it| format!("| {} | {} | {} |\n", it.what(), it.place(), it.value()));
    let rows: String = rows.collect();
    if rows.is_empty() {
        return rows;
    }
    format!("\n| CPU us/request | conditions | ratio or difference (95 %) |\n|---|---|---|\n{rows}")
}

/// Renders the user and system times of threads, if the run compares them.
fn threads(run: &Run) -> String {
    let Some(split) = &run.split else {
        return String::new();
    };
    let all = split::all(run);
    let rows = all.iter().map(|it| {
        let (cell, side, figures) = (cell_name(it.cell), it.side, it.figures().join(" | "));
        format!("| {cell} | {side} | {figures} |\n")
    });
    let (head, rows) = (split::head(split).join(" | "), rows.collect::<String>());
    let threads = split.threads.join(", ");
    format!(
        "\nThreads {threads}:\n\n| cell | side | {head} |\n|---|---|---:|---:|---:|---|---|\n{rows}"
    )
}

/// Renders the background load.
fn background_loads(run: &Run) -> String {
    let ours = https::ours_of(run);
    let lines = run.cells.iter().filter_map(|cell| {
        let line = background::describe(cell, ours)?;
        Some(format!("\n- {}: {line}\n", cell_name(cell)))
    });
    lines.collect()
}

/// Renders the memory per connection, if their number varies.
fn footprints(run: &Run) -> String {
    let all = footprint::all(run);
    let rows = all.iter().map(|it| {
        let (few, many) = it.between;
        let kib = short(it.bytes / 1024.0);
        format!(
            "| {} | {} | {few} to {many} | {kib} |\n",
            it.scenario, it.side
        )
    });
    let rows: String = rows.collect();
    if rows.is_empty() {
        return rows;
    }
    format!("\n| scenario | side | connections | KiB each |\n|---|---|---|---:|\n{rows}")
}

fn line(row: &Row<'_>) -> String {
    let maybe = |value: Option<f64>| value.map(short).unwrap_or_default();
    let bound = if row.is_lower_bound { "≥ " } else { "" };
    let scenario = match row.parameters.as_str() {
        "" => row.scenario.to_owned(),
        parameters => format!("{}, {parameters}", row.scenario),
    };
    let latency = &row.latency_ms;
    let cells = [
        scenario,
        bytes_name(row.message_bytes),
        row.delay_ms.to_string(),
        grouped(&row.users.to_string()),
        row.side.to_owned(),
        maybe(row.gateway.map(|gateway| gateway.cpu_us_per_request)),
        format!("{bound}{}", short(row.per_second)),
        short(latency.average),
        short(latency.p50),
        short(latency.p99),
        maybe(row.added_ms.map(|added| added.mean)),
        maybe(row.added_ms.map(|added| added.p99)),
        maybe(row.gateway.map(|gateway| gateway.memory_peak_mib)),
        short(row.error_percent),
        if row.state == "sound" { "" } else { row.state }.to_owned(),
    ];
    format!("| {} |\n", cells.join(" | "))
}
