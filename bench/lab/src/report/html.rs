//! Text and tables as HTML.

/// Renders a table of HTML cells that scrolls in its own box; numeric columns are right-aligned.
pub(super) fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.collect();
    let begins = |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit() || "-≥".contains(c));
    let is_number = |column: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(column));
        cells.clone().any(|cell| begins(cell)) && cells.all(|cell| cell.is_empty() || begins(cell))
    };
    let classes: Vec<&str> = (0..head.len())
        .map(|column| {
            if is_number(column) {
                " class=\"number\""
            } else {
                ""
            }
        })
        .collect();
    let mut html = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>".to_owned();
    for (name, class) in head.iter().zip(&classes) {
        html += &format!("<th scope=\"col\"{class}>{name}</th>");
    }
    html += "</tr></thead><tbody>\n";
    for row in &rows {
        html += "<tr>";
        for (cell, class) in row.iter().zip(&classes) {
            html += &format!("<td{class}>{cell}</td>");
        }
        html += "</tr>\n";
    }
    html + "</tbody></table></div>\n"
}

/// Escapes text for HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
