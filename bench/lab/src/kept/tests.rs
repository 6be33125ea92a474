use super::*;
use crate::sample::{Sample, matrix};

#[test]
fn a_run_is_read_back_from_its_file_or_its_folder() {
    let sample = Sample {
        seed: 1,
        turns: 1,
        sides: vec![("direct", 0.0), ("tollgate", 30.0)],
        cells: matrix(&["get"], &[100], &[102]),
        noise: 0.01,
    };
    let mut run = sample.run();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    let write = |run: &Run| std::fs::write(&file, serde_json::to_string(run).unwrap()).unwrap();
    write(&run);
    assert_eq!(Run::read(&file).unwrap(), run);
    assert_eq!(Run::read(folder.path()).unwrap(), run);

    run.format = FORMAT + 1;
    write(&run);
    let refused = Run::read(&file).unwrap_err().to_string();
    assert!(
        refused.ends_with("run.json has format 2, not 1"),
        "{refused}"
    );
    let missing = Run::read(Path::new("/nowhere/run.json"))
        .unwrap_err()
        .to_string();
    assert_eq!(missing, "cannot read a kept run from /nowhere/run.json");
}

#[test]
fn a_round_is_load_bound_by_a_saturated_thread() {
    let sample = Sample {
        seed: 1,
        turns: 1,
        sides: vec![("direct", 0.0)],
        cells: matrix(&["get"], &[100], &[102]),
        noise: 0.01,
    };
    let round = &sample.run().cells[0].rounds[0];
    let is_load_bound = |parts: [(&[u32], u32, u64); 2]| {
        let mut round = round.clone();
        let of = |(cores, machine, percent): (&[u32], u32, u64)| ProcessUse {
            cores: cores.to_vec(),
            machine: Some(IpAddr::from(machine.to_be_bytes())),
            cpu_user_us: round.outcome.measured_us * percent / 100,
            cpu_system_us: 0,
            ..round.processes["generator"].clone()
        };
        let [generator, back_end] = parts.map(of);
        let parts = [("generator", generator), ("back end", back_end)];
        round.processes = parts.map(|(name, it)| (name.to_owned(), it)).into();
        round.is_load_bound()
    };
    // One core for both.
    assert!(is_load_bound([(&[1], 1, 40), (&[1], 1, 40)]));
    assert!(!is_load_bound([(&[1], 1, 30), (&[1], 1, 30)]));
    assert!(!is_load_bound([(&[1], 1, 40), (&[1], 2, 40)]));
    // More cores than they have threads for.
    assert!(is_load_bound([
        (&[0, 1, 2, 3], 1, 80),
        (&[0, 1, 2, 3], 1, 20)
    ]));
    assert!(!is_load_bound([
        (&[0, 1, 2, 3], 1, 60),
        (&[2, 3, 4], 1, 60)
    ]));
}
