use super::*;

#[test]
fn a_directory_has_one_owner_at_a_time_who_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("some/data");
    let owner = DataDirectory::lock(&path).unwrap();
    let refused = DataDirectory::lock(&path).unwrap_err().to_string();
    let pid = std::process::id();
    assert!(
        refused.ends_with(&format!("is in use by process {pid}")),
        "{refused}"
    );
    drop(owner);
    DataDirectory::lock(&path).unwrap();
}
