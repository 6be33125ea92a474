//! Formats a comparison for a terminal.

use std::fmt::{Display, Formatter, Result};

use super::{Comparison, Judged, Row, Together};
use crate::figures::Figure;
use crate::numbers::short;
use crate::statistics::Estimate;

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "A: {}", self.a)?;
        writeln!(f, "B: {}", self.b)?;
        let widest = self.rows.iter().map(|row| row.cell.chars().count()).max();
        let width = widest.unwrap_or(0).max("all 1000 cells together".len());
        for figure in Figure::ALL {
            let mut rows = self
                .rows
                .iter()
                .filter(|row| row.figure == figure)
                .peekable();
            if rows.peek().is_none() {
                continue;
            }
            let name = figure.name();
            writeln!(
                f,
                "\n{name:width$} {:>10} {:>10}  {:24} {:>6}  verdict on B",
                "A", "B", "B / A (95 % interval)", "p"
            )?;
            for row in rows {
                write_row(f, row, width)?;
            }
            for all in self.together.iter().filter(|all| all.figure == figure) {
                write_together(f, all, width)?;
            }
        }
        if !self.notes.is_empty() {
            writeln!(f)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

impl Display for Judged {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Verdict(verdict) => verdict.fmt(f),
            Self::TooFewRounds => f.pad("too few rounds"),
            Self::LoadBound => f.pad("load-bound"),
            Self::OpenLoop => f.pad("rate was given"),
            Self::OtherRate => f.pad("other rate"),
        }
    }
}

fn write_row(f: &mut Formatter<'_>, row: &Row, width: usize) -> Result {
    let (cell, a, b) = (&row.cell, short(row.a), short(row.b));
    let ratio = with_interval(&row.ratio);
    let p = match row.judged {
        Judged::Verdict(_) => format!("{:.3}", row.p),
        _ => String::new(),
    };
    let judged = row.judged;
    writeln!(
        f,
        "{cell:width$} {a:>10} {b:>10}  {ratio:24} {p:>6}  {judged}"
    )
}

fn write_together(f: &mut Formatter<'_>, all: &Together, width: usize) -> Result {
    let name = format!("all {} cells together", all.cells);
    let (ratio, verdict) = (with_interval(&all.ratio), all.verdict);
    writeln!(
        f,
        "{name:width$} {:>10} {:>10}  {ratio:24} {:>6}  {verdict}",
        "", "", ""
    )
}

/// Formats as `1.100 (1.081 to 1.122)`.
fn with_interval(ratio: &Estimate) -> String {
    format!("{:.3} ({:.3} to {:.3})", ratio.value, ratio.low, ratio.high)
}
