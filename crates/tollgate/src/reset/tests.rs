use super::*;
use crate::settings::{Written, gather};

#[test]
fn without_data_nothing_is_reset_and_no_directory_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = gather(&Written::default()).unwrap().1;
    settings.process.data = folder.path().join("mistyped");
    let refused = carry_out(&settings, None).unwrap_err().to_string();
    assert!(refused.starts_with("no data found in "), "{refused}");
    assert!(!settings.process.data.exists());
}
