//! What the operating system knows of the process, under the names that client libraries of
//! Prometheus give it. Absent where there is no `/proc`.

use std::fs;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::families::{
    Family, PROCESS_CPU, PROCESS_MAX_FDS, PROCESS_OPEN_FDS, PROCESS_RESIDENT_MEMORY, PROCESS_START,
    PROCESS_VIRTUAL_MEMORY,
};
use crate::page::Page;

/// Ticks in a second, in which Linux reports times to programs whatever its own are.
const TICKS: f64 = 100.0;

/// Writes the families of the process.
pub fn write_process(page: &mut Page) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may have spaces.
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    // Numbers of fields as in proc(5); the first one here is the third.
    let seconds = |number: usize| -> Option<f64> {
        let ticks: f64 = fields.split(' ').nth(number - 3)?.parse().ok()?;
        Some(ticks / TICKS)
    };
    if let (Some(user), Some(system)) = (seconds(14), seconds(15)) {
        page.family(&PROCESS_CPU).float(&[], user + system);
    }
    let open = fs::read_dir("/proc/self/fd").map(Iterator::count);
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let numbers: [(&'static Family, Option<u64>); 4] = [
        (&PROCESS_OPEN_FDS, open.ok().map(|count| count as u64)),
        (&PROCESS_MAX_FDS, first_number(&limits, "Max open files")),
        (&PROCESS_VIRTUAL_MEMORY, kibibytes(&status, "VmSize:")),
        (&PROCESS_RESIDENT_MEMORY, kibibytes(&status, "VmRSS:")),
    ];
    for (family, number) in numbers {
        if let Some(number) = number {
            page.family(family).number(&[], number);
        }
    }
    if let (Some(since_boot), Some(boot)) = (seconds(22), boot_s()) {
        page.family(&PROCESS_START).float(&[], boot + since_boot);
    }
}

/// Returns when the system started, Unix seconds. It is read once: it moves with the clock, and the
/// start of the process must not.
fn boot_s() -> Option<f64> {
    static BOOT: OnceLock<Option<f64>> = OnceLock::new();
    *BOOT.get_or_init(|| {
        let uptime = fs::read_to_string("/proc/uptime").ok()?;
        let uptime: f64 = uptime.split(' ').next()?.parse().ok()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        Some(now.as_secs_f64() - uptime)
    })
}

/// Returns the first number of the line that begins with this.
fn first_number(text: &str, start: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(start))?;
    line.split_whitespace().next()?.parse().ok()
}

fn kibibytes(text: &str, start: &str) -> Option<u64> {
    Some(first_number(text, start)? * 1_024)
}
