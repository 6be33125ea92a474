//! Fuzz targets without a fuzzer, run with every test.
//!
//! `FUZZ_SECONDS` sets how long each target runs; a failure prints the seed, which `FUZZ_SEED`
//! repeats.

use std::io::{self, Write as _};
use std::time::{Duration, Instant, SystemTime};

/// Additional time for a target to see both verdicts: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// xorshift64*
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound.max(1)
    }
}

/// Prints the seed when a target panics.
pub(crate) struct Seed(pub(crate) u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The seed is needed to repeat it.
            let _ = writeln!(io::stderr(), "repeat it with FUZZ_SEED={}", self.0);
        }
    }
}

/// Runs a target, which returns whether its input was accepted: both must happen.
pub(crate) fn fuzz(mut target: impl FnMut(&mut Random) -> bool) {
    if let Ok(seed) = std::env::var("FUZZ_SEED") {
        target(&mut Random(seed.parse().expect("a number")));
        return;
    }
    let seconds = std::env::var("FUZZ_SECONDS").map_or(2, |text| text.parse().expect("a number"));
    let time = Duration::from_secs(seconds);
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let mut seeds = Random(since_epoch.expect("a clock after 1970").as_nanos() as u64 | 1);
    let (start, mut verdicts) = (Instant::now(), [0_u64; 2]);
    while start.elapsed() < time || verdicts.contains(&0) {
        let seed = Seed(seeds.next() | 1);
        verdicts[usize::from(target(&mut Random(seed.0)))] += 1;
        assert!(start.elapsed() < time + PATIENCE, "{verdicts:?}");
    }
    let [refused, accepted] = verdicts;
    let _ = writeln!(io::stdout(), "{refused} refused, {accepted} accepted");
}
