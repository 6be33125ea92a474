//! The page around the sections: head, header, navigation.

use crate::kept::Run;

use super::html::{escaped, table};
use super::view::View;
use crate::numbers::counted;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The first thing to know about figures from one machine.
const SHARES: &str = "Everything here ran on one small machine: it is a comparison of shares, not \
    a claim of absolute speed. If generator, back end and gateway share a machine, what one \
    uses is not available to the others.";

/// A section of the page.
pub(super) struct Section {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// HTML; a section with an empty body is omitted.
    pub(super) body: String,
}

/// Renders the whole document.
pub(super) fn document(view: &View<'_>, sections: &[Section]) -> String {
    let run = view.run;
    let sections: Vec<&Section> = sections.iter().filter(|it| !it.body.is_empty()).collect();
    let title = escaped(&run.title);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}: Tollgate performance lab</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    html += &header(view);
    html += "<nav aria-label=\"Sections\"><ul>";
    for section in &sections {
        let (id, title) = (section.id, escaped(section.title));
        html += &format!("<li><a href=\"#{id}\">{title}</a></li>");
    }
    html += "</ul></nav>\n<main>\n";
    for section in &sections {
        let (id, title) = (section.id, escaped(section.title));
        html += &format!(
            "<section id=\"{id}\">\n<h2>{title}</h2>\n{}</section>\n",
            section.body
        );
    }
    html += &format!("</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    html
}

fn header(view: &View<'_>) -> String {
    let run = view.run;
    let mut html = format!(
        "<header>\n<p class=\"kicker\">Tollgate performance lab</p>\n<h1>{}</h1>\n\
         <p class=\"about\">Profile <code>{}</code>, mode <code>{}</code>, {}</p>\n",
        escaped(&run.title),
        escaped(&run.profile),
        escaped(&run.mode),
        escaped(&run.started)
    );
    if run.machines == 1 {
        html += &format!("<p class=\"shares\">{SHARES}</p>\n");
    }
    html += &facts(view);
    if !run.warnings.is_empty() {
        html += "<div class=\"warnings\"><h2>Warnings</h2><ul>";
        for warning in &run.warnings {
            html += &format!("<li>{}</li>", escaped(warning));
        }
        html += "</ul></div>\n";
    }
    html += &left_out(run);
    html + "</header>\n"
}

fn facts(view: &View<'_>) -> String {
    let run = view.run;
    let machine = &run.machine;
    let cores = counted(machine.cores.into(), "core");
    let memory_gib = machine.memory_bytes as f64 / 1_073_741_824.0;
    let mut facts = vec![
        ("Commit", format!("<code>{}</code>", escaped(&run.commit))),
        ("Machine", escaped(&machine.name)),
        (
            "Processor",
            format!("{}, {cores}", escaped(&machine.processor)),
        ),
        ("Memory", format!("{memory_gib:.1} GiB")),
        ("Kernel", escaped(&machine.kernel)),
        ("Topology", escaped(&run.topology)),
        ("Sides", escaped(&view.sides.join(", "))),
    ];
    if !view.beside.file.is_empty() {
        let file = escaped(&view.beside.file);
        let text = format!(
            "<code>{file}</code>, dashed: measured by others on other machines; \
             see bench/published/README.md"
        );
        facts.push(("Published", text));
    }
    let mut html = "<dl class=\"facts\">".to_owned();
    for (name, text) in facts {
        html += &format!("<div><dt>{name}</dt><dd>{text}</dd></div>");
    }
    for (name, digest) in &run.binaries {
        let (name, digest) = (escaped(name), escaped(digest));
        html += &format!(
            "<div class=\"digest\"><dt>SHA-256 of {name}</dt><dd><code>{digest}</code></dd></div>"
        );
    }
    html + "</dl>\n"
}

fn left_out(run: &Run) -> String {
    if run.left_out.is_empty() {
        return String::new();
    }
    let mut html = format!(
        "<details class=\"left-out\"><summary>Left out: {}</summary>",
        run.left_out.len()
    );
    let rows = run
        .left_out
        .iter()
        .map(|left| [escaped(&left.what), escaped(&left.why)].to_vec());
    html += &table(&["What", "Why"], rows);
    html + "</details>\n"
}
