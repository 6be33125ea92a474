//! A full distribution of latencies in microseconds: an HDR histogram, and its encoding in a kept
//! run (the V2 deflate format of HdrHistogram in base64, which other HdrHistogram tools can read).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2DeflateSerializer};
use serde::{Deserialize, Deserializer as From, Serialize, Serializer as To, de, ser};

/// The longest distinct latency, in microseconds: longer ones are recorded as this.
pub const LATENCY_US_MAX: u64 = 600_000_000;
/// Significant digits: latencies have an error of at most one in a thousand.
const DIGITS: u8 = 3;

/// Latencies in microseconds, from 1 to [`LATENCY_US_MAX`].
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram(hdrhistogram::Histogram<u64>);

impl Default for Histogram {
    fn default() -> Self {
        let bounded = hdrhistogram::Histogram::new_with_bounds(1, LATENCY_US_MAX, DIGITS);
        Self(bounded.expect("the bounds are in order"))
    }
}

impl Histogram {
    /// Records a latency; 0 is recorded as 1.
    pub fn note(&mut self, latency_us: u64) {
        self.0.saturating_record(latency_us.max(1));
    }

    /// Records a latency `times` times.
    pub fn note_often(&mut self, latency_us: u64, times: u64) {
        self.0.saturating_record_n(latency_us.max(1), times);
    }

    /// Adds all latencies of another histogram.
    pub fn add(&mut self, other: &Self) {
        self.0.add(&other.0).expect("all have the same bounds");
    }

    /// Returns the number of latencies.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Returns the latency that a share of all, such as 0.99, does not exceed; 0 if there are none.
    #[must_use]
    pub fn quantile_us(&self, share: f64) -> u64 {
        self.0.value_at_quantile(share)
    }

    /// Returns the mean; 0 if there are none.
    #[must_use]
    pub fn mean_us(&self) -> f64 {
        self.0.mean()
    }

    /// Returns the standard deviation; 0 if there are none.
    #[must_use]
    pub fn deviation_us(&self) -> f64 {
        self.0.stdev()
    }

    /// Returns the shortest latency; 0 if there are none.
    #[must_use]
    pub fn shortest_us(&self) -> u64 {
        if self.0.is_empty() { 0 } else { self.0.min() }
    }

    /// Returns the longest latency; 0 if there are none.
    #[must_use]
    pub fn longest_us(&self) -> u64 {
        self.0.max()
    }

    /// Returns each latency that occurs and its count, shortest first.
    pub fn occurring(&self) -> impl Iterator<Item = (u64, u64)> {
        let recorded = self.0.iter_recorded();
        recorded.map(|step| (step.value_iterated_to(), step.count_at_value()))
    }
}

impl Serialize for Histogram {
    fn serialize<S: To>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.0, &mut bytes)
            .map_err(ser::Error::custom)?;
        serializer.serialize_str(&STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: From<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(de::Error::custom)?;
        let read: hdrhistogram::Histogram<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(de::Error::custom)?;
        let mut kept = Self::default();
        kept.0.add(&read).map_err(de::Error::custom)?;
        Ok(kept)
    }
}

#[cfg(test)]
mod tests;
