//! The tables of a report: verdicts, errors, and all figures.

use super::html::{escaped, table};
use super::view::View;
use crate::between;
use crate::compare::{Comparison, Judged, Row};
use crate::figures::{Figure, State, cell_name};
use crate::kept::ERROR_SHARE_MAX;
use crate::numbers::{grouped, short};
use crate::split;
use crate::statistics::{ALPHA, Estimate, THRESHOLD, Verdict};
use crate::summary::{self, Summary};

/// Renders the comparison with each rival of the run, by neighbouring rounds.
pub(super) fn verdicts(view: &View<'_>) -> String {
    if view.rivals.is_empty() {
        return String::new();
    }
    let ours = view.subject();
    let mut html = format!(
        "<p>Each turn's figure of {ours} is divided by the rival's of the same turn, which removes \
         the machine's drift; the ratio is the median over turns with its bootstrap \
         95 % interval, and the figures next to it are medians over rounds. There is a verdict if \
         a rank test finds a difference (Mann-Whitney, corrected by Holm for the number of cells, \
         below {ALPHA}) of more than {} %.</p>\n",
        THRESHOLD * 100.0
    );
    for (rival, comparison) in &view.rivals {
        html += &format!("<h3>{ours} compared with {}</h3>\n", escaped(rival));
        html += &verdict_table(comparison, ours, rival);
        for note in &comparison.notes {
            html += &format!("<p class=\"note\">{}</p>\n", escaped(note));
        }
    }
    html
}

/// Renders the comparisons of our cost between scenarios.
pub(super) fn between(view: &View<'_>) -> String {
    let all = between::all(view.run);
    if all.is_empty() {
        return String::new();
    }
    let head = [
        "Scenarios",
        "Conditions",
        "Ratio or difference",
        "95 % interval",
    ];
    let rows = all.iter().map(|it| {
        let [value, interval] = it.figures();
        vec![escaped(&it.what()), escaped(&it.place()), value, interval]
    });
    format!(
        "<p>{}'s processor time per request in one scenario, divided by that in the other in \
         the same turn, or minus it; the median over turns with its bootstrap 95 % interval.\
         </p>\n{}",
        view.subject(),
        table(&head, rows)
    )
}

/// Renders the user and system times of the threads that serve calls.
pub(super) fn threads(view: &View<'_>) -> String {
    let Some(split) = &view.run.split else {
        return String::new();
    };
    let columns = split::head(split);
    let columns = columns.iter().map(String::as_str);
    let head: Vec<&str> = ["Cell", "Side"].into_iter().chain(columns).collect();
    let all = split::all(view.run);
    let rows = all.iter().map(|it| {
        let mut row = vec![escaped(&cell_name(it.cell)), escaped(it.side)];
        row.extend(it.figures());
        row
    });
    format!(
        "<p>Processor time of the threads {} only; medians over rounds. Ratios are medians over \
         turns, with bootstrap 95 % intervals.</p>\n{}",
        escaped(&split.threads.join(", ")),
        table(&head, rows)
    )
}

fn verdict_table(comparison: &Comparison, ours: &str, rival: &str) -> String {
    let rival = escaped(rival);
    let head = [
        "Cell",
        "Figure",
        ours,
        &rival,
        "Ratio",
        "95 % interval",
        "p",
        "Verdict",
    ];
    let rows = comparison.rows.iter().map(row);
    let together = comparison.together.iter().map(|all| {
        let mut row = vec![
            format!("all {} cells together", all.cells),
            all.figure.name().to_owned(),
            String::new(),
            String::new(),
        ];
        row.extend(ratio(&all.ratio));
        row.extend([String::new(), verdict(Judged::Verdict(all.verdict))]);
        row
    });
    table(&head, rows.chain(together))
}

fn row(row: &Row) -> Vec<String> {
    let has_p = matches!(row.judged, Judged::Verdict(_));
    let mut cells = vec![
        escaped(&row.cell),
        row.figure.name().to_owned(),
        short(row.b),
        short(row.a),
    ];
    cells.extend(ratio(&row.ratio));
    cells.push(if has_p {
        format!("{:.3}", row.p)
    } else {
        String::new()
    });
    cells.push(verdict(row.judged));
    cells
}

fn ratio(ratio: &Estimate) -> [String; 2] {
    [
        format!("{:.3}", ratio.value),
        format!("{:.3} to {:.3}", ratio.low, ratio.high),
    ]
}

pub(super) fn verdict(judged: Judged) -> String {
    let class = match judged {
        Judged::Verdict(Verdict::Better) => "better",
        Judged::Verdict(Verdict::Worse) => "worse",
        _ => "same",
    };
    format!("<span class=\"verdict {class}\">{judged}</span>")
}

/// Renders the errors by kind.
pub(super) fn errors(view: &View<'_>) -> String {
    let mut rows = Vec::new();
    let mut all = 0;
    for cell in &view.cells {
        for measured in &cell.sides {
            all += measured.successes + measured.error_count();
            for (kind, count) in &measured.errors {
                rows.push(vec![
                    escaped(&cell.name()),
                    escaped(measured.side),
                    escaped(kind),
                    grouped(&count.to_string()),
                    short(measured.error_share() * 100.0),
                    if measured.state == State::Invalid {
                        "invalid"
                    } else {
                        ""
                    }
                    .to_owned(),
                ]);
            }
        }
    }
    let requests = grouped(&all.to_string());
    let bound = ERROR_SHARE_MAX * 100.0;
    if rows.is_empty() {
        return format!("<p>None in {requests} requests.</p>\n");
    }
    let head = ["Cell", "Side", "Kind", "Count", "All errors, %", ""];
    format!("<p>In {requests} requests. A cell with more than {bound} % is invalid.</p>\n")
        + &table(&head, rows.into_iter())
}

/// Renders one row for each side of each cell.
pub(super) fn all_figures(view: &View<'_>) -> String {
    const HEAD: [&str; 19] = [
        "Scenario",
        "Message bytes",
        "Delay ms",
        "Users",
        "Side",
        "CPU us/request",
        "Requests/s",
        "Mean ms",
        "p50 ms",
        "p90 ms",
        "p95 ms",
        "p99 ms",
        "p99.9 ms",
        "Longest ms",
        "Added mean ms",
        "Added p99 ms",
        "Idle MiB",
        "Peak MiB",
        "State",
    ];
    let summary = Summary::from_run(view.run);
    table(&HEAD, summary.rows.iter().map(of_summary))
}

fn of_summary(row: &summary::Row<'_>) -> Vec<String> {
    let maybe = |value: Option<f64>| value.map(short).unwrap_or_default();
    let parameters = match row.parameters.as_str() {
        "" => String::new(),
        some => format!(", {some}"),
    };
    let bound = if row.is_lower_bound { "≥ " } else { "" };
    let (latency, gateway) = (&row.latency_ms, row.gateway);
    let mut cells = vec![
        escaped(&format!("{}{parameters}", row.scenario)),
        grouped(&row.message_bytes.to_string()),
        grouped(&row.delay_ms.to_string()),
        grouped(&row.users.to_string()),
        escaped(row.side),
        maybe(gateway.map(|it| it.cpu_us_per_request)),
        format!("{bound}{}", short(row.per_second)),
    ];
    let latencies = [
        latency.average,
        latency.p50,
        latency.p90,
        latency.p95,
        latency.p99,
        latency.p99_9,
        latency.maximum,
    ];
    cells.extend(latencies.map(short));
    cells.extend([
        maybe(row.added_ms.map(|added| added.mean)),
        maybe(row.added_ms.map(|added| added.p99)),
        maybe(gateway.map(|it| it.memory_idle_mib)),
        maybe(gateway.map(|it| it.memory_peak_mib)),
        row.state.to_owned(),
    ]);
    cells
}

/// Explains the figures and how they were measured.
pub(super) fn method() -> String {
    let figures = Figure::ALL.map(Figure::name).join(", ");
    format!(
        "<ul class=\"method\">\
         <li>Sides are measured in turn, A B A B: rounds of one turn are neighbours in time and \
         see the same state of the machine. Throughput, cost and memory are medians over rounds; \
         latencies are those of all rounds. Whiskers show the lowest and the highest round.</li>\
         <li>CPU per request is the processor time, user and system, of the whole gateway process \
         divided by successes. It is the main figure, since it hardly depends on what limits the \
         throughput.</li>\
         <li>Added response time is that through the gateway minus that of <code>direct</code> in \
         the same turn, with as many users.</li>\
         <li>A triangle or ≥ marks a load-bound figure: generator or back end used more than 70 % \
         of their cores, so the throughput is a lower bound. A cross or ✕ marks an invalid one: \
         more than 0.1 % of the calls failed. Percentiles are those of successes.</li>\
         <li>In an open loop requests are sent at a rate, and latency counts from the moment at \
         which a request was due. The rate is an input, so throughput has no verdict \
         and is no lower bound.</li>\
         <li>Verdicts are on {figures}; the last two only if neither side is load-bound.</li>\
         <li>Everything is derived from <code>run.json</code> next to this page, which contains \
         each round's whole histogram. <code>tollgate-lab compare</code> compares two such \
         runs.</li></ul>\n"
    )
}
