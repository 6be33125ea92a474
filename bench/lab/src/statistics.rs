//! What repeated measurements say, and how surely. Pure functions of numbers: what the numbers are
//! of, and which may be set against which, is the business of `compare`.
//!
//! Rank tests and medians are used throughout, since a round that something else disturbed is an
//! outlier and not a sample of a bell. Intervals are percentile bootstraps (Efron 1979) with a
//! fixed seed, so that the same run gives the same page.

mod mann_whitney;

pub use mann_whitney::mann_whitney;

/// A ratio nearer to one than this is no change, however sure it is.
pub const THRESHOLD: f64 = 0.03;
/// The chance of an error that a verdict takes, over all cells together.
pub const ALPHA: f64 = 0.05;
/// Fewer rounds a side give no verdict.
pub const ROUNDS_MIN: usize = 5;

/// How often a sample is drawn again.
const RESAMPLES: usize = 4_000;
/// What intervals leave out at each end: they hold 95 %.
const TAIL: f64 = 0.025;

/// A figure and its bootstrap 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Where the interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

/// Which way a figure should go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Costs and waits.
    Lower,
    /// Throughput.
    Higher,
}

/// What a comparison comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It improved.
    Better,
    /// It got worse.
    Worse,
    /// It did neither, or not so much or so surely that one may say it did.
    NoChange,
}

/// A straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// How much `y` grows where `x` grows by one.
    pub slope: f64,
    /// `y` where `x` is zero.
    pub at_zero: f64,
}

impl Verdict {
    /// Judges a ratio of a figure to what it is set against. It is a change if its chance under "no
    /// difference", corrected by [`holm`], is below [`ALPHA`], if it is beyond [`THRESHOLD`] and if
    /// its interval leaves one out, so that no page shows a verdict which its interval contradicts.
    #[must_use]
    pub fn of(ratio: &Estimate, p_corrected: f64, better: Better) -> Self {
        let is_sure = p_corrected < ALPHA && (ratio.low > 1.0 || ratio.high < 1.0);
        let is_higher = ratio.value >= 1.0 + THRESHOLD;
        let is_lower = ratio.value <= 1.0 - THRESHOLD;
        match better {
            _ if !is_sure => Self::NoChange,
            Better::Lower if is_lower => Self::Better,
            Better::Higher if is_higher => Self::Better,
            _ if is_lower || is_higher => Self::Worse,
            _ => Self::NoChange,
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NoChange => "no change",
        })
    }
}

/// The middle value, or the mean of the two in the middle; `None` of nothing.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

/// The mean of ratios: the root of their product; `None` of nothing.
#[must_use]
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

/// The median ratio of neighbours, each a figure and what it is set against, measured in one turn:
/// what drifts slower than a turn takes is in both and falls out. `None` of nothing.
#[must_use]
pub fn ratio_of_neighbours(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let ratios: Vec<f64> = pairs.iter().map(|(ours, theirs)| ours / theirs).collect();
    middle(&ratios)
}

/// The median difference of neighbours, as [`ratio_of_neighbours`].
#[must_use]
pub fn difference_of_neighbours(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let differences: Vec<f64> = pairs.iter().map(|(ours, theirs)| ours - theirs).collect();
    middle(&differences)
}

/// The median, with the interval of drawing values.
fn middle(values: &[f64]) -> Option<Estimate> {
    let value = median(values)?;
    let mut random = Random::default();
    let drawn = (0..RESAMPLES).filter_map(|_| median(&random.draw(values)));
    Some(Estimate::new(value, drawn.collect()))
}

/// The ratio of the medians of two samples that have nothing in common; `None` if one is empty.
#[must_use]
pub fn ratio_of_medians(of: &[f64], to: &[f64]) -> Option<Estimate> {
    let value = median(of)? / median(to)?;
    let mut random = Random::default();
    let drawn =
        (0..RESAMPLES).filter_map(|_| Some(median(&random.draw(of))? / median(&random.draw(to))?));
    Some(Estimate::new(value, drawn.collect()))
}

/// The geometric mean of ratios, one a cell, with the interval of drawing cells; `None` of nothing.
#[must_use]
pub fn mean_ratio(ratios: &[f64]) -> Option<Estimate> {
    let value = geometric_mean(ratios)?;
    let mut random = Random::default();
    let drawn = (0..RESAMPLES).filter_map(|_| geometric_mean(&random.draw(ratios)));
    Some(Estimate::new(value, drawn.collect()))
}

/// Corrects chances for their number, by Holm (1979): the chance that any of those found is found
/// by mistake stays below the bound that they are held to. In the order given.
#[must_use]
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&a, &b| chances[a].total_cmp(&chances[b]));
    let mut corrected = vec![1.0; chances.len()];
    let mut largest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        let left = (chances.len() - rank) as f64;
        largest = largest.max((chances[index] * left).min(1.0));
        corrected[index] = largest;
    }
    corrected
}

/// How many rounds a side this many cells need for a verdict at all: with fewer, not even samples
/// that are wholly apart pass [`holm`] below [`ALPHA`].
#[must_use]
pub fn rounds_needed(cells: usize) -> usize {
    let passes = |rounds: &usize| {
        let apart: (Vec<f64>, Vec<f64>) = (0..*rounds)
            .map(|round| (round as f64, (round + rounds) as f64))
            .unzip();
        mann_whitney(&apart.0, &apart.1) * (cells as f64) < ALPHA
    };
    (ROUNDS_MIN..).find(passes).unwrap_or(usize::MAX)
}

/// The line through points that leaves the least squares; `None` where all have the same `x`.
#[must_use]
pub fn line(points: &[(f64, f64)]) -> Option<Line> {
    let count = points.len() as f64;
    let x_mean = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let y_mean = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    let shared: f64 = points
        .iter()
        .map(|(x, y)| (x - x_mean) * (y - y_mean))
        .sum();
    let slope = shared / spread;
    let at_zero = y_mean - slope * x_mean;
    slope.is_finite().then_some(Line { slope, at_zero })
}

impl Estimate {
    fn new(value: f64, mut drawn: Vec<f64>) -> Self {
        drawn.sort_by(f64::total_cmp);
        let at = |share: f64| drawn[((drawn.len() - 1) as f64 * share).round() as usize];
        let (low, high) = (at(TAIL), at(1.0 - TAIL));
        Self { value, low, high }
    }
}

fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    let is_odd = sorted.len() % 2 == 1;
    Some(if is_odd {
        upper
    } else {
        f64::midpoint(sorted[middle - 1], upper)
    })
}

/// SplitMix64 (Steele, Lea and Flood 2014), always from the same seed.
struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(0x7011_6a7e)
    }
}

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// As many values as there are, each drawn from all.
    fn draw(&mut self, values: &[f64]) -> Vec<f64> {
        let count = values.len() as u64;
        let drawn = values
            .iter()
            .map(|_| values[(self.next() % count) as usize]);
        drawn.collect()
    }
}

#[cfg(test)]
mod tests;
