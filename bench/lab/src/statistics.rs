//! Statistics of repeated measurements. Pure functions of numbers; `compare` decides which figures
//! may be compared.
//!
//! Rank tests and medians are used throughout, since a disturbed round is an outlier rather than a
//! sample of a normal distribution. Intervals are percentile bootstraps (Efron 1979) with a fixed
//! seed, so the same run always renders the same page.

mod mann_whitney;

pub use mann_whitney::mann_whitney;

/// A ratio closer to one than this is no change, regardless of its significance.
pub const THRESHOLD: f64 = 0.03;
/// The accepted probability of a wrong verdict, over all cells together.
pub const ALPHA: f64 = 0.05;
/// Minimum number of rounds per side for a verdict.
pub const ROUNDS_MIN: usize = 5;

/// Number of bootstrap resamples.
const RESAMPLES: usize = 4_000;
/// Share left out at each end of an interval, so it covers 95 %.
const TAIL: f64 = 0.025;

/// A figure and its bootstrap 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The direction of improvement of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Costs and latencies.
    Lower,
    /// Throughput.
    Higher,
}

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It improved.
    Better,
    /// It got worse.
    Worse,
    /// Neither, or not by enough or significantly enough to decide.
    NoChange,
}

/// A straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Increase of `y` per unit of `x`.
    pub slope: f64,
    /// `y` at `x` = 0.
    pub at_zero: f64,
}

impl Verdict {
    /// Judges a ratio of a figure to its baseline. It is a change if its p-value, corrected by
    /// [`holm`], is below [`ALPHA`], if it exceeds [`THRESHOLD`] and if its interval excludes one,
    /// so that no page shows a verdict that its interval contradicts.
    #[must_use]
    pub fn judge(ratio: &Estimate, p_corrected: f64, better: Better) -> Self {
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

/// Returns the median; `None` if there are no values.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

/// Returns the geometric mean; `None` if there are no values.
#[must_use]
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

/// Returns the median ratio of neighbours, each a figure and its baseline measured in the same
/// turn: drift slower than a turn affects both and cancels out. `None` if there are no pairs.
#[must_use]
pub fn ratio_of_neighbours(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let ratios: Vec<f64> = pairs.iter().map(|(ours, theirs)| ours / theirs).collect();
    middle(&ratios)
}

/// Returns the median difference of neighbours, like [`ratio_of_neighbours`].
#[must_use]
pub fn difference_of_neighbours(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let differences: Vec<f64> = pairs.iter().map(|(ours, theirs)| ours - theirs).collect();
    middle(&differences)
}

/// Returns the median, with the interval from resampling values.
fn middle(values: &[f64]) -> Option<Estimate> {
    let value = median(values)?;
    let mut random = Random::default();
    let drawn = (0..RESAMPLES).filter_map(|_| median(&random.draw(values)));
    Some(Estimate::new(value, drawn.collect()))
}

/// Returns the ratio of the medians of two independent samples; `None` if one is empty.
#[must_use]
pub fn ratio_of_medians(of: &[f64], to: &[f64]) -> Option<Estimate> {
    let value = median(of)? / median(to)?;
    let mut random = Random::default();
    let drawn =
        (0..RESAMPLES).filter_map(|_| Some(median(&random.draw(of))? / median(&random.draw(to))?));
    Some(Estimate::new(value, drawn.collect()))
}

/// Returns the geometric mean of ratios, one per cell, with the interval from resampling cells;
/// `None` if there are none.
#[must_use]
pub fn mean_ratio(ratios: &[f64]) -> Option<Estimate> {
    let value = geometric_mean(ratios)?;
    let mut random = Random::default();
    let drawn = (0..RESAMPLES).filter_map(|_| geometric_mean(&random.draw(ratios)));
    Some(Estimate::new(value, drawn.collect()))
}

/// Corrects p-values for their number, by Holm (1979): the probability that any of the differences
/// found is an error stays below the bound. Keeps the given order.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![1.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        largest = largest.max((p_values[index] * left).min(1.0));
        corrected[index] = largest;
    }
    corrected
}

/// Returns the number of rounds per side that this many cells need for any verdict: with fewer, not
/// even completely separate samples pass [`holm`] below [`ALPHA`].
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

/// Fits a line to points by least squares; `None` if all have the same `x`.
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

    /// Draws as many values as given, with replacement.
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
