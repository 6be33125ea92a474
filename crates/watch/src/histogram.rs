//! [`Histogram`]: numbers of times up to each of a few bounds.

/// The upper bounds of a histogram.
#[derive(Debug, PartialEq, Eq)]
pub struct Bounds {
    /// In microseconds, rising; at most [`BOUNDS_MAX`].
    us: &'static [u64],
    /// In seconds, as the label `le` has them in both formats: OpenMetrics wants numbers of
    /// floating point in one spelling, and a label that changed with the format would be another
    /// series.
    labels: &'static [&'static str],
}

/// Maximum number of bounds.
const BOUNDS_MAX: usize = 13;

impl Bounds {
    /// For times that include a back end's: 1, 2.5, 5 … 2,500 ms, and 10 s.
    pub const WHOLE: Self = Self {
        us: &[
            1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
            2_500_000, 10_000_000,
        ],
        labels: &[
            "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0",
            "2.5", "10.0",
        ],
    };

    /// For times of the gateway itself: 10, 25, 50 µs … 100 ms.
    pub const OWN: Self = Self {
        us: &[
            10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000,
        ],
        labels: &[
            "1e-05", "2.5e-05", "5e-05", "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005",
            "0.01", "0.025", "0.05", "0.1",
        ],
    };
}

/// Numbers of times up to each of its bounds, and their sum.
#[derive(Debug, Clone)]
pub struct Histogram {
    bounds: &'static Bounds,
    /// The number of times between the previous bound and each, and of those above the last.
    counts: [u64; BOUNDS_MAX + 1],
    sum_us: u64,
}

impl Histogram {
    /// Creates an empty one.
    #[must_use]
    pub const fn new(bounds: &'static Bounds) -> Self {
        Self {
            bounds,
            counts: [0; BOUNDS_MAX + 1],
            sum_us: 0,
        }
    }

    /// Counts a time, in microseconds.
    pub fn add(&mut self, us: u64) {
        let place = self.bounds.us.partition_point(|&bound| bound < us);
        self.counts[place] += 1;
        self.sum_us += us;
    }

    /// How many times were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The sum of all times in seconds.
    pub(crate) fn sum_s(&self) -> f64 {
        seconds(self.sum_us)
    }

    /// The bounds, as labels, each with the number of times up to it.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let mut below = 0;
        let counts = self.bounds.labels.iter().zip(self.counts);
        counts.map(move |(&label, count)| {
            below += count;
            (label, below)
        })
    }
}

/// Converts microseconds to seconds.
#[expect(
    clippy::cast_precision_loss,
    reason = "the format has floating-point numbers"
)]
pub(crate) fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}

#[cfg(test)]
mod tests;
