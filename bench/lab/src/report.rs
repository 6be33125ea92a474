//! Renders a run as one self-contained HTML page: inline SVG, no external resources, readable
//! without scripts. Each section has a file in `report/`; `view` prepares the data; `plot`, `heat`
//! and `bars` draw; `html` writes text and tables; `page` assembles them.

mod against;
mod axis;
mod bars;
mod detail;
mod glance;
mod growth;
mod heat;
mod html;
mod page;
mod peaks;
mod plot;
mod tables;
mod view;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use self::page::Section;
use self::view::View;
use crate::kept::Run;
use crate::published::Beside;
use crate::summary;

/// The files derived from a run.
const FILES: [&str; 4] = ["report.html", "summary.csv", "summary.json", "summary.md"];

/// Writes all files derived from a run into a folder: the page and the tables. `bench` is the
/// folder with the published figures. Returns the path of the page.
///
/// # Errors
/// Fails if a file cannot be written, or if the run's published table cannot be read.
pub fn write(run: &Run, folder: &Path, bench: &Path) -> anyhow::Result<PathBuf> {
    let beside = Beside::read(&bench.join("published"), run.published.as_ref())?;
    let texts = [
        html(run, &beside),
        summary::csv(run)?,
        summary::json(run)?,
        summary::markdown(run),
    ];
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    for (name, text) in FILES.iter().zip(texts) {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(folder.join(FILES[0]))
}

/// Renders the page of a run, with the published figures.
#[must_use]
pub fn html(run: &Run, beside: &Beside) -> String {
    let view = View::from_run(run, beside);
    let section = |id, title, body| Section { id, title, body };
    page::document(
        &view,
        &[
            section("glance", "At a glance", glance::cards(&view)),
            section("matrix", "Matrix", heat::maps(&view)),
            section("verdicts", "Verdicts", tables::verdicts(&view)),
            section("between", "Between scenarios", tables::between(&view)),
            section("threads", "User and system", tables::threads(&view)),
            section("peaks", "Highest rates", peaks::cells(&view)),
            section("sides", "Side by side", bars::cells(&view)),
            section("users", "Against users", against::users(&view)),
            section("sizes", "By message size", against::sizes(&view)),
            section("delays", "By back-end delay", against::delays(&view)),
            section("growth", "Cost against size", growth::sections(&view)),
            section("cells", "Cell by cell", detail::cells(&view)),
            section("errors", "Errors", tables::errors(&view)),
            section("figures", "All figures", tables::all_figures(&view)),
            section("method", "How to read this", tables::method()),
        ],
    )
}

#[cfg(test)]
mod tests;
