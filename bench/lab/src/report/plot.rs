//! A plot: series of points over two axes, drawn as SVG. Its `<title>` describes it, each point
//! shows its figures in a tooltip, and no script is needed. The drawing is small enough to be
//! readable at its own size on a phone; wide pages show several side by side.
//!
//! `data-points` is the number of points; the browser test counts what is drawn.

use std::fmt::Write as _;

use super::axis::Axis;
use super::html::escaped;
use crate::figures::State;

/// What is drawn.
#[derive(Debug, Clone)]
pub(super) struct Plot {
    /// One-line description.
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    /// A sentence below the plot.
    pub(super) note: Option<String>,
}

/// Points with a common name and look.
#[derive(Debug, Clone)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) look: Look,
    /// Lines of points, with a gap between lines.
    pub(super) lines: Vec<Vec<Point>>,
}

/// The look of a series: a class that determines its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// A side, by number: ours is 0.
    Side(usize),
    /// The side without a gateway.
    Direct,
    /// Published figures.
    Published,
    /// A step in a row of values, such as numbers of users, and the number of steps.
    Step(usize, usize),
}

/// A point.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    /// The lowest and the highest round.
    pub(super) range: Option<(f64, f64)>,
    pub(super) state: State,
    /// The tooltip.
    pub(super) hint: String,
}

/// Maximum number of points with marks; longer series are drawn as a line only.
const MARKED_MAX: usize = 16;
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 40.0;
/// Width of a character of a tick label, and minimum distance between labels.
const CHARACTER: f64 = 6.6;
const GAP: f64 = 9.0;

impl Series {
    /// Creates a series of one line; `None` if there are no points.
    pub(super) fn new(name: &str, look: Look, points: Vec<Point>) -> Option<Self> {
        (!points.is_empty()).then(|| Self {
            name: name.to_owned(),
            look,
            lines: vec![points],
        })
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.lines.iter().flatten()
    }

    fn is_marked(&self) -> bool {
        self.points().count() <= MARKED_MAX
    }
}

impl Look {
    /// Returns its class in the style sheet.
    pub(super) fn class(self) -> String {
        match self {
            Self::Side(number) => format!("side-{}", number % 8),
            Self::Direct => "direct".to_owned(),
            Self::Published => "published".to_owned(),
            Self::Step(step, of) => {
                // Spreads the steps over the whole ramp of six.
                let place = step as f64 / of.saturating_sub(1).max(1) as f64;
                format!("step-{}", (place * 5.0).round())
            }
        }
    }
}

/// Returns a coordinate of all points of all series.
pub(super) fn values(series: &[Series], value: fn(&Point) -> f64) -> Vec<f64> {
    series.iter().flat_map(Series::points).map(value).collect()
}

impl Plot {
    /// Renders the figure with caption, legend and drawing; empty if there are no points.
    pub(super) fn html(&self) -> String {
        let count = self.series.iter().flat_map(Series::points).count();
        if count == 0 {
            return String::new();
        }
        let title = escaped(&self.title);
        let mut html = format!("<figure class=\"plot\"><figcaption>{title}</figcaption>");
        html += &self.legend();
        html += &format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" data-points=\"{count}\">\
             <title>{title}: {} by {}</title>",
            escaped(&self.y.label),
            escaped(&self.x.label)
        );
        html += &self.frame();
        for series in &self.series {
            html += &self.drawn(series);
        }
        html += "</svg>";
        if let Some(note) = &self.note {
            html += &format!("<p class=\"note\">{}</p>", escaped(note));
        }
        html + "</figure>\n"
    }

    fn legend(&self) -> String {
        let mut html = "<ul class=\"legend\">".to_owned();
        for series in &self.series {
            let (class, name) = (series.look.class(), escaped(&series.name));
            html += &format!("<li class=\"{class}\"><i></i>{name}</li>");
        }
        html + "</ul>"
    }

    fn at(&self, point: &Point) -> (f64, f64) {
        (
            self.across(self.x.place(point.x)),
            self.up(self.y.place(point.y)),
        )
    }

    fn across(&self, place: f64) -> f64 {
        LEFT + place * (WIDTH - LEFT - RIGHT)
    }

    fn up(&self, place: f64) -> f64 {
        HEIGHT - BOTTOM - place * (HEIGHT - TOP - BOTTOM)
    }

    /// Draws grid, ticks and labels.
    fn frame(&self) -> String {
        let (right, floor) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let mut svg = String::new();
        for (place, text) in self.y.ticks(|_, _| 0.07) {
            let y = self.up(place);
            let _ = write!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                escaped(&text)
            );
        }
        let room = |left: &str, right: &str| {
            let characters = (left.chars().count() + right.chars().count()) as f64;
            (characters / 2.0 * CHARACTER + GAP) / (WIDTH - LEFT - RIGHT)
        };
        for (place, text) in self.x.ticks(room) {
            let x = self.across(place);
            let _ = write!(
                svg,
                "<line class=\"axis\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{floor}\" y2=\"{}\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                floor + 4.0,
                floor + 17.0,
                escaped(&text)
            );
        }
        let _ = write!(
            svg,
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{floor}\" y2=\"{floor}\"/>\
             <text class=\"label\" x=\"2\" y=\"12\">{}</text>\
             <text class=\"label\" x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            escaped(&self.y.label),
            self.across(0.5),
            HEIGHT - 6.0,
            escaped(&self.x.label)
        );
        svg
    }

    fn drawn(&self, series: &Series) -> String {
        let mut svg = format!("<g class=\"{}\">", series.look.class());
        let kind = if series.is_marked() { "line" } else { "curve" };
        for line in &series.lines {
            let places: Vec<String> = line
                .iter()
                .map(|point| self.at(point))
                .map(|(x, y)| format!("{x:.1},{y:.1}"))
                .collect();
            let _ = write!(
                svg,
                "<polyline class=\"{kind}\" points=\"{}\">",
                places.join(" ")
            );
            if kind == "curve" {
                let _ = write!(svg, "<title>{}</title>", escaped(&series.name));
            }
            svg += "</polyline>";
        }
        if series.is_marked() {
            for point in series.points() {
                svg += &self.mark(series, point);
            }
        }
        svg + "</g>"
    }

    fn mark(&self, series: &Series, point: &Point) -> String {
        let (x, y) = self.at(point);
        let mut svg = String::new();
        if let Some((low, high)) = point.range {
            let (low, high) = (self.up(self.y.place(low)), self.up(self.y.place(high)));
            let _ = write!(
                svg,
                "<line class=\"range\" x1=\"{x:.1}\" x2=\"{x:.1}\" \
                 y1=\"{low:.1}\" y2=\"{high:.1}\"/>"
            );
        }
        let (shape, hint) = (shape(series.look, point.state, x, y), escaped(&point.hint));
        svg + &format!("{shape}<title>{hint}</title></path>")
    }
}

/// Returns a disc, a triangle for a lower bound, a cross for an invalid figure, or a diamond for a
/// published one.
fn shape(look: Look, state: State, x: f64, y: f64) -> String {
    let (class, path) = match (look, state) {
        (Look::Published, _) => (
            "mark diamond",
            format!("M{x:.1},{:.1}l5,5l-5,5l-5,-5z", y - 5.0),
        ),
        (_, State::Sound) => (
            "mark disc",
            format!("M{:.1},{y:.1}a4,4 0 1 0 8,0a4,4 0 1 0 -8,0", x - 4.0),
        ),
        (_, State::LoadBound) => ("mark bound", format!("M{x:.1},{:.1}l5,9h-10z", y - 6.0)),
        (_, State::Invalid) => (
            "mark invalid",
            format!("M{:.1},{:.1}l8,8m0,-8l-8,8", x - 4.0, y - 4.0),
        ),
    };
    format!("<path class=\"{class}\" d=\"{path}\">")
}
