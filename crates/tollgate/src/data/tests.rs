use super::*;

#[test]
fn a_directory_has_one_owner_at_a_time_and_the_error_names_it() {
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

#[test]
fn usage_without_its_database_ends_the_start_with_one_sentence() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("usage.db"), "usage").unwrap();
    for is_there in [false, true] {
        if is_there {
            fs::write(path.join("tollgate.db"), "").unwrap();
        }
        let refused = DataDirectory::lock(path).unwrap_err().to_string();
        assert!(
            refused.contains("tollgate.db is missing or empty although"),
            "{refused}"
        );
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
    fs::write(path.join("tollgate.db"), "data").unwrap();
    DataDirectory::lock(path).unwrap();
    fs::remove_file(path.join("tollgate.db")).unwrap();
    fs::write(path.join("usage.db"), "").unwrap();
    DataDirectory::lock(path).unwrap();
}

#[test]
fn a_full_disk_is_named_only_if_it_is_full_and_the_cause_does_not_name_it() {
    let directory = tempfile::tempdir().unwrap();
    let data = DataDirectory::lock(directory.path()).unwrap();
    let vague = || OpenError::Io {
        path: data.store(),
        source: "disk I/O error".into(),
    };
    let text = data.explain(vague().into());
    assert_eq!(
        format!("{text:#}"),
        format!("{:#}", anyhow::Error::from(vague()))
    );
    let text = format!("{:#}", data.explain_with(0, vague().into()));
    assert!(
        text.starts_with("the disk that holds the data directory"),
        "{text}"
    );
    let path = data.store();
    let clear = OpenError::Full { path };
    let text = data.explain_with(0, clear.into()).to_string();
    assert!(
        text.starts_with("the disk that holds the database"),
        "{text}"
    );
}
