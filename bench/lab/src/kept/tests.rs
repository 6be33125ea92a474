use super::*;
use crate::sample::{Sample, matrix};

#[test]
fn a_run_is_read_as_it_was_written_from_its_file_or_its_folder() {
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
    assert_eq!(missing, "there is no kept run /nowhere/run.json");
}
