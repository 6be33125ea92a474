//! Synthetic runs that look like measured ones, always the same for the same seed. The machine
//! drifts: its speed varies by a factor of 1.6 over minutes, so neighbouring rounds share most of
//! the drift, but runs from different hours share none; each round has additional noise.

use std::collections::BTreeMap;

use crate::histogram::Histogram;
use crate::kept::{
    Cell, FORMAT, LeftOut, Machine, ProcessUse, Published, Round, Run, Sample as Look,
};
use crate::load::Outcome;

/// Duration of a round in seconds, including warm-up and start, and of the measured part.
const ROUND_S: f64 = 16.0;
const MEASURED_S: f64 = 10.0;

/// The parameters of a synthetic run.
pub(crate) struct Sample {
    pub(crate) seed: u64,
    /// Turns of each cell.
    pub(crate) turns: u32,
    /// Sides in the order of a turn, and the cost of a small request in microseconds; `direct`
    /// costs nothing.
    pub(crate) sides: Vec<(&'static str, f64)>,
    /// Scenario, users, message bytes, delay in milliseconds.
    pub(crate) cells: Vec<(&'static str, u32, u64, u64)>,
    /// The deviation of a round's cost that the machine's speed does not explain.
    pub(crate) noise: f64,
}

/// Returns a matrix of cells.
pub(crate) fn matrix(
    scenarios: &[&'static str],
    users: &[u32],
    sizes: &[u64],
) -> Vec<(&'static str, u32, u64, u64)> {
    let mut cells = Vec::new();
    for scenario in scenarios {
        for size in sizes {
            cells.extend(users.iter().map(|users| (*scenario, *users, *size, 0)));
        }
    }
    cells
}

impl Sample {
    pub(crate) fn run(&self) -> Run {
        let mut machine = Weather::new(self.seed);
        let cells = self.cells.iter().map(|plan| self.cell(plan, &mut machine));
        Run {
            format: FORMAT,
            profile: "adobe-single".to_owned(),
            title: "Adobe's plan on one gateway".to_owned(),
            mode: "quick".to_owned(),
            started: "2026-11-21T09:30:00Z".to_owned(),
            commit: "a39959a0c2f1".to_owned(),
            binaries: BTreeMap::from([("tollgate".to_owned(), "5f3a".repeat(16))]),
            machine: Machine {
                name: "sample".to_owned(),
                processor: "A processor of nowhere".to_owned(),
                cores: 2,
                memory_bytes: 8 << 30,
                kernel: "Linux 6.1".to_owned(),
            },
            machines: 1,
            topology: "The gateway has core 0; generator and back end share core 1.".to_owned(),
            warnings: vec!["The load average was 1.3 before the first round.".to_owned()],
            left_out: vec![LeftOut {
                what: "soap-proxy".to_owned(),
                why: "Tollgate cannot do this yet.".to_owned(),
            }],
            published: Some(Published {
                file: "adobe-2016.csv".to_owned(),
                rows: BTreeMap::from([("topology".to_owned(), "single".to_owned())]),
                scenarios: BTreeMap::new(),
            }),
            ratios: Vec::new(),
            differences: Vec::new(),
            split: None,
            cells: cells.collect(),
        }
    }

    fn cell(&self, plan: &(&str, u32, u64, u64), machine: &mut Weather) -> Cell {
        let &(scenario, users, message_bytes, delay_ms) = plan;
        let mut rounds = Vec::new();
        for turn in 0..self.turns {
            for (side, cost_us) in &self.sides {
                let slowness = machine.slowness() * (self.noise * machine.normal()).exp();
                let size_factor = 1.0 + message_bytes as f64 / 30_000.0;
                let costs = Costs {
                    gateway_us: cost_us * size_factor * slowness,
                    others_us: 9.0 * size_factor * slowness,
                };
                rounds.push(round(side, turn, plan, &costs, machine));
            }
        }
        Cell {
            scenario: scenario.to_owned(),
            users,
            message_bytes,
            delay_ms,
            parameters: BTreeMap::new(),
            open_loop: None,
            rounds,
        }
    }
}

struct Costs {
    gateway_us: f64,
    /// Of generator and back end each.
    others_us: f64,
}

fn round(
    side: &str,
    turn: u32,
    plan: &(&str, u32, u64, u64),
    costs: &Costs,
    machine: &mut Weather,
) -> Round {
    let &(_, users, message_bytes, delay_ms) = plan;
    let is_direct = side == "direct";
    let delay_us = delay_ms as f64 * 1e3;
    let bound_us = costs.gateway_us.max(2.0 * costs.others_us);
    let mean_us = (f64::from(users) * bound_us).max(delay_us + 4.0 * bound_us);
    let successes = f64::from(users) / mean_us * MEASURED_S * 1e6;
    let latency = latencies(mean_us - delay_us, delay_us, successes as u64, machine);
    let successes = latency.count();
    let busy = |core: u32, cost_us: f64, memory_mb: f64| ProcessUse {
        cores: vec![core],
        ..used(
            cost_us * successes as f64,
            memory_mb + f64::from(users) * 0.012,
            machine.noise_of_memory,
        )
    };
    let mut processes = BTreeMap::from([
        ("generator".to_owned(), busy(1, costs.others_us, 14.0)),
        ("back end".to_owned(), busy(1, costs.others_us, 6.0)),
    ]);
    if !is_direct {
        processes.insert("gateway".to_owned(), busy(0, costs.gateway_us, 38.0));
    }
    Round {
        side: side.to_owned(),
        turn,
        outcome: Outcome {
            measured_us: (MEASURED_S * 1e6) as u64,
            successes,
            errors: BTreeMap::new(),
            latency,
            service: None,
            users_mean: f64::from(users),
            received_bytes: successes * (message_bytes + 160),
            sent_bytes: successes * 140,
            cpu_user_us: 0,
            cpu_system_us: 0,
            answered_all: successes,
            sent_all: successes,
            handshakes_full: 0,
            handshakes_resumed: 0,
        },
        processes,
        load_average: 1.7,
        stolen_share: Some(0.02),
        background: BTreeMap::new(),
    }
}

/// Returns latencies with this mean: a hump with a tail of one in two hundred.
fn latencies(mean_us: f64, at_least_us: f64, count: u64, machine: &mut Weather) -> Histogram {
    let at = |factor: f64| (at_least_us + mean_us * factor).max(1.0) as u64;
    let mut latency = Histogram::default();
    let width = 0.18 * (0.08 * machine.normal()).exp();
    for step in 0..199 {
        let share = (f64::from(step) + 0.5) / 199.0;
        let spread = (share / (1.0 - share)).ln() * width;
        latency.note_often(at(0.96 * spread.exp()), count / 200);
    }
    let reach = 1.5 + 0.2 * machine.normal().abs();
    for step in 0..20 {
        let share = (f64::from(step) + 0.5) / 20.0;
        latency.note_often(at(2.2 + reach * -(1.0 - share).ln()), count / 4_000);
    }
    latency
}

fn used(cpu_us: f64, memory_mb: f64, noise: f64) -> ProcessUse {
    let bytes = |mb: f64| (mb * 1e6) as u64;
    let seconds = MEASURED_S as u64;
    let look = |second: u64| {
        let wave = 1.0 + 0.02 * (second as f64 * 1.7 + noise).sin();
        Look {
            at_ms: second * 1000,
            cpu_us: (cpu_us * second as f64 / MEASURED_S * wave) as u64,
            memory_bytes: bytes(memory_mb * (0.97 + 0.003 * second as f64)),
        }
    };
    ProcessUse {
        machine: None,
        cores: Vec::new(),
        cpu_user_us: (cpu_us * 0.3) as u64,
        cpu_system_us: (cpu_us * 0.7) as u64,
        threads_us: BTreeMap::new(),
        threads_user_us: BTreeMap::new(),
        memory_peak_bytes: bytes(memory_mb),
        memory_after_bytes: bytes(memory_mb * 0.9),
        switches_voluntary: 40_000,
        switches_involuntary: 900,
        samples: (1..=seconds).map(look).collect(),
    }
}

/// The state of the machine.
struct Weather {
    state: u64,
    /// Frequency in radians per second, phase and share of each oscillation.
    swings: Vec<(f64, f64, f64)>,
    now_s: f64,
    noise_of_memory: f64,
}

impl Weather {
    fn new(seed: u64) -> Self {
        let mut made = Self {
            state: seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1,
            swings: Vec::new(),
            now_s: 0.0,
            noise_of_memory: 0.0,
        };
        for (minutes, share) in [(31.0, 0.5), (11.0, 0.3), (4.3, 0.2)] {
            let frequency = std::f64::consts::TAU / (minutes * 60.0);
            let phase = made.uniform() * std::f64::consts::TAU;
            made.swings.push((frequency, phase, share));
        }
        made.noise_of_memory = made.uniform();
        made
    }

    /// Advances by one round and returns the current cost factor, between 1 / √1.6 and √1.6.
    fn slowness(&mut self) -> f64 {
        self.now_s += ROUND_S;
        let wave = |(frequency, phase, share): &(f64, f64, f64)| {
            share * (frequency * self.now_s + phase).sin()
        };
        let height: f64 = self.swings.iter().map(wave).sum();
        (height * 1.6_f64.ln() / 2.0).exp()
    }

    fn uniform(&mut self) -> f64 {
        // xorshift64* (Vigna 2016).
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let bits = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        bits as f64 / (1_u64 << 53) as f64
    }

    /// Returns a normally distributed value, as the sum of twelve uniform ones (Irwin and Hall).
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
