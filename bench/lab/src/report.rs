//! A run as one HTML page that stands alone: inline SVG, no address but its own, nothing that needs
//! a script to be read. Each section has a file of `report/`; `view` holds what they look at, `plot`,
//! `heat` and `bars` draw, `page` puts it together.

mod against;
mod axis;
mod bars;
mod detail;
mod glance;
mod growth;
mod heat;
mod page;
mod plot;
mod tables;
mod view;

use self::page::Section;
use self::view::View;
use crate::kept::Run;
use crate::published::Beside;

/// The page of a run, with what others published beside it.
#[must_use]
pub fn html(run: &Run, beside: &Beside) -> String {
    let view = View::of(run, beside);
    let section = |id, title, body| Section { id, title, body };
    page::document(
        &view,
        &[
            section("glance", "At a glance", glance::cards(&view)),
            section("matrix", "Matrix", heat::maps(&view)),
            section("verdicts", "Verdicts", tables::verdicts(&view)),
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
