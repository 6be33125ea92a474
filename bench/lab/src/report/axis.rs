//! An axis: the position of values, and its tick labels.

use crate::numbers::compact;

/// How values are distributed along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// Linear, starting at zero.
    Linear,
    /// Logarithmic.
    Log,
    /// Equidistant: for values that start at zero and grow by factors.
    Steps,
}

/// An axis with the values shown on it.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    /// Description of the values, with the unit.
    pub(super) label: String,
    scale: Scale,
    /// Sorted, without duplicates.
    values: Vec<f64>,
    /// Whether the ticks are the values themselves instead of round numbers.
    names_values: bool,
    name: fn(f64) -> String,
    low: f64,
    high: f64,
}

/// A position between the axis's start (0) and end (1), and its label.
pub(super) type Tick = (f64, String);

/// Minimum ratio of the largest to the smallest value for a log scale.
const LOG_FACTOR: f64 = 30.0;
/// Approximate number of round ticks.
const TICKS: f64 = 5.0;

impl Axis {
    /// Creates an axis with its values as ticks: users, sizes, delays.
    pub(super) fn of_values(label: &str, scale: Scale, values: &[f64]) -> Self {
        let mut axis = Self::new(label, scale, values);
        axis.names_values = true;
        // Keeps marks at the edge off the frame.
        let margin = 0.06;
        match scale {
            Scale::Log => {
                let span = (axis.high / axis.low).max(1.5);
                axis.low /= span.powf(margin);
                axis.high *= span.powf(margin);
            }
            Scale::Linear | Scale::Steps => {
                let span = (axis.high - axis.low).max(0.5);
                axis.low -= span * margin;
                axis.high += span * margin;
            }
        }
        axis
    }

    /// Creates an axis of measured figures, starting at zero; logarithmic if they differ by orders
    /// of magnitude.
    pub(super) fn of_figures(label: &str, values: &[f64]) -> Self {
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(0.0, f64::max);
        if smallest > 0.0 && largest / smallest > LOG_FACTOR {
            Self::new(&format!("{label} (log scale)"), Scale::Log, values).rounded()
        } else {
            Self::new(label, Scale::Linear, values).rounded()
        }
    }

    /// Creates a logarithmic axis.
    pub(super) fn log(label: &str, values: &[f64]) -> Self {
        Self::new(label, Scale::Log, values).rounded()
    }

    /// Creates a linear axis from zero to the largest value.
    pub(super) fn linear(label: &str, values: &[f64]) -> Self {
        Self::new(label, Scale::Linear, values).rounded()
    }

    /// Sets the format of labels, instead of plain numbers.
    pub(super) fn named(self, name: fn(f64) -> String) -> Self {
        Self { name, ..self }
    }

    fn new(label: &str, scale: Scale, values: &[f64]) -> Self {
        let mut values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let (low, high) = match scale {
            Scale::Steps => (0.0, values.len().saturating_sub(1) as f64),
            _ => (
                values.first().copied().unwrap_or(0.0),
                values.last().copied().unwrap_or(1.0),
            ),
        };
        Self {
            label: label.to_owned(),
            scale,
            values,
            names_values: false,
            name: compact,
            low,
            high,
        }
    }

    /// Extends the axis to round values, and to zero if it is linear.
    fn rounded(mut self) -> Self {
        if self.scale == Scale::Log {
            self.low = round_down(self.low.max(1e-6));
            self.high = round_up(self.high.max(self.low * 1.5));
        } else {
            self.low = self.low.min(0.0);
            self.high = self.high.max(self.low + 1e-9);
            let step = self.step();
            self.low = (self.low / step).floor() * step;
            self.high = (self.high / step * 1.02).ceil() * step;
        }
        self
    }

    /// Returns the position of a value, from 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        let place = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Steps => {
                let step = self.values.partition_point(|known| *known < value) as f64;
                (step - self.low) / (self.high - self.low)
            }
        };
        if place.is_finite() {
            place.clamp(0.0, 1.0)
        } else {
            0.5
        }
    }

    /// Returns the ticks; `room` is the distance that two labels need, as a share of the axis.
    pub(super) fn ticks(&self, room: impl Fn(&str, &str) -> f64) -> Vec<Tick> {
        let values = if self.names_values {
            self.values.clone()
        } else if self.scale == Scale::Log {
            self.round_values_of_log()
        } else {
            self.round_values()
        };
        let tick = |value: f64| (self.place(value), (self.name)(value));
        thinned(values.into_iter().map(tick).collect(), room)
    }

    fn step(&self) -> f64 {
        let rough = (self.high - self.low) / TICKS;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
        let fits = steps.iter().find(|step| **step * power >= rough);
        fits.unwrap_or(&10.0) * power
    }

    fn round_values(&self) -> Vec<f64> {
        let step = self.step();
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|count| count as f64 * step).collect()
    }

    fn round_values_of_log(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let between: &[f64] = if decades > 2.5 {
            &[1.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let all = (first..=last).flat_map(|power| {
            let decade = 10_f64.powi(power);
            between.iter().map(move |part| part * decade)
        });
        let is_inside = |value: &f64| *value >= self.low * 0.999 && *value <= self.high * 1.001;
        all.filter(is_inside).collect()
    }
}

/// Removes overlapping ticks, but neither the first nor the last.
fn thinned(ticks: Vec<Tick>, room: impl Fn(&str, &str) -> f64) -> Vec<Tick> {
    let fits = |left: &Tick, right: &Tick| right.0 - left.0 >= room(&left.1, &right.1);
    let last = ticks.last().cloned();
    let mut kept: Vec<Tick> = Vec::new();
    for tick in ticks {
        if kept.last().is_none_or(|before| fits(before, &tick)) {
            kept.push(tick);
        }
    }
    if let Some(last) = last.filter(|last| kept.last() != Some(last)) {
        while kept.len() > 1 && kept.last().is_some_and(|before| !fits(before, &last)) {
            kept.pop();
        }
        kept.push(last);
    }
    kept
}

/// Rounds down to 1, 2 or 5 times a power of ten.
fn round_down(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let parts = [5.0, 2.0, 1.0].iter();
    let fits = parts
        .map(|part| part * power)
        .find(|round| *round <= value * 1.001);
    fits.unwrap_or(power)
}

/// Rounds up to 1, 2 or 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let parts = [1.0, 2.0, 5.0].iter();
    let fits = parts
        .map(|part| part * power)
        .find(|round| *round >= value * 0.999);
    fits.unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests;
