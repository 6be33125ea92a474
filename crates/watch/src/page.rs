//! [`Page`]: the text of `/metrics`, in the format of Prometheus (Exposition formats, 0.0.4) or of
//! OpenMetrics 1.0. Families are written one after the other, each whole, as both require.

use std::fmt::Write as _;

use crate::families::{Family, Kind};
use crate::histogram::Histogram;

/// A format of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text of Prometheus, version 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

impl Format {
    /// Returns the format that `Accept` prefers (RFC 9110, section 12.5.1): OpenMetrics only if it
    /// is named, and with at least the weight of `text/plain`.
    #[must_use]
    pub fn preferred(accept: &str) -> Self {
        let weight = |wanted: &dyn Fn(&str) -> bool| {
            let accepted = accept.split(',').map(Accepted::read);
            let fitting = accepted.filter(|it| wanted(it.media_type) && it.is_version_1);
            fitting.map(|it| it.weight).fold(0.0, f32::max)
        };
        let open = weight(&|it| it.eq_ignore_ascii_case("application/openmetrics-text"));
        let plain = weight(&|it| it.eq_ignore_ascii_case("text/plain"));
        if open > 0.0 && open >= plain {
            Self::OpenMetrics
        } else {
            Self::Prometheus
        }
    }

    /// Returns the value of `Content-Type`.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// A media range of `Accept`.
struct Accepted<'a> {
    media_type: &'a str,
    /// From 0 to 1.
    weight: f32,
    /// Whether it names no version of OpenMetrics before 1.0.
    is_version_1: bool,
}

impl<'a> Accepted<'a> {
    fn read(range: &'a str) -> Self {
        let mut parts = range.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default();
        let (mut weight, mut is_version_1) = (1.0, true);
        for parameter in parts {
            match parameter.split_once('=') {
                Some(("q" | "Q", value)) => weight = value.parse().unwrap_or(0.0),
                Some(("version", value)) => is_version_1 = value != "0.0.1",
                _ => {}
            }
        }
        Self {
            media_type,
            weight,
            is_version_1,
        }
    }
}

/// A page of metrics.
#[derive(Debug)]
pub struct Page {
    format: Format,
    text: String,
    written: Vec<&'static str>,
}

impl Page {
    /// Begins a page.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self {
            format,
            text: String::new(),
            written: Vec::new(),
        }
    }

    /// Begins a family; its samples are written next. A family without samples is left out.
    pub fn family(&mut self, family: &'static Family) -> Samples<'_> {
        debug_assert!(
            !self.written.contains(&family.name),
            "{} is written twice",
            family.name
        );
        self.written.push(family.name);
        Samples {
            page: self,
            family,
            has_head: false,
        }
    }

    /// Ends the page.
    #[must_use]
    pub fn finish(mut self) -> String {
        if self.format == Format::OpenMetrics {
            self.text.push_str("# EOF\n");
        }
        self.text
    }

    /// Writes help, type and unit of a family.
    fn write_head(&mut self, family: &Family) {
        let (name, kind) = match (self.format, family.kind) {
            (Format::Prometheus, Kind::Info) => (family.name, "gauge"),
            (Format::Prometheus, kind) => (family.name, kind.word()),
            // The suffix belongs to the samples.
            (Format::OpenMetrics, kind) => {
                let name = family.name.strip_suffix("_total").unwrap_or(family.name);
                (name.strip_suffix("_info").unwrap_or(name), kind.word())
            }
        };
        let _ = writeln!(
            self.text,
            "# HELP {name} {}\n# TYPE {name} {kind}",
            family.help
        );
        if let (Format::OpenMetrics, Some(unit)) = (self.format, family.unit()) {
            let _ = writeln!(self.text, "# UNIT {name} {unit}");
        }
    }
}

/// Writes the samples of one family.
#[derive(Debug)]
pub struct Samples<'p> {
    page: &'p mut Page,
    family: &'static Family,
    has_head: bool,
}

impl Samples<'_> {
    /// Writes a whole number; `labels` are the values of the family's labels.
    pub fn number(&mut self, labels: &[&str], value: u64) {
        self.begin("", labels, None);
        let _ = writeln!(self.page.text, " {value}");
    }

    /// Writes a number.
    pub fn float(&mut self, labels: &[&str], value: f64) {
        self.begin("", labels, None);
        let _ = writeln!(self.page.text, " {value}");
    }

    /// Writes a time in seconds, given in microseconds.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the format has floating-point numbers"
    )]
    pub fn time(&mut self, labels: &[&str], us: i64) {
        self.float(labels, us as f64 / 1e6);
    }

    /// Writes a histogram: its buckets, the sum and the count.
    pub fn histogram(&mut self, labels: &[&str], histogram: &Histogram) {
        let count = histogram.count();
        for (bound, below) in histogram.buckets().chain([("+Inf", count)]) {
            self.begin("_bucket", labels, Some(bound));
            let _ = writeln!(self.page.text, " {below}");
        }
        self.begin("_sum", labels, None);
        let _ = writeln!(self.page.text, " {}", histogram.sum_s());
        self.begin("_count", labels, None);
        let _ = writeln!(self.page.text, " {count}");
    }

    /// Writes the name of a sample and its labels.
    fn begin(&mut self, suffix: &str, values: &[&str], bound: Option<&str>) {
        if !std::mem::replace(&mut self.has_head, true) {
            self.page.write_head(self.family);
        }
        let Family { name, labels, .. } = self.family;
        debug_assert_eq!(labels.len(), values.len(), "{name} has other labels");
        let text = &mut self.page.text;
        let _ = write!(text, "{name}{suffix}");
        let labels = labels.iter().copied().zip(values.iter().copied());
        let labels = labels.chain(bound.map(|bound| ("le", bound)));
        let mut separator = '{';
        for (label, value) in labels {
            let _ = write!(text, "{separator}{label}=\"");
            push_escaped(text, value);
            text.push('"');
            separator = ',';
        }
        if separator == ',' {
            text.push('}');
        }
    }
}

/// Appends the value of a label: backslash, quote and line feed are escaped in both formats.
fn push_escaped(text: &mut String, value: &str) {
    for character in value.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            character => text.push(character),
        }
    }
}

#[cfg(test)]
mod tests;
