use std::path::Path;

use super::*;

/// A file without a row would never run, and a row with a checksum that differs from sqlx's would
/// lock out every database of an earlier release.
#[tokio::test]
async fn the_list_is_what_sqlx_finds_in_the_folder() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
    let found = Migrator::new(Path::new(folder)).await.unwrap();
    assert_eq!(MIGRATIONS.iter().count(), found.iter().count());
    for (ours, found) in MIGRATIONS.iter().zip(found.iter()) {
        assert_eq!(ours.version, found.version);
        assert_eq!(ours.description, found.description);
        assert_eq!(ours.migration_type, found.migration_type);
        assert_eq!(ours.checksum, found.checksum, "{}", found.description);
        assert_eq!(ours.no_tx, found.no_tx, "{}", found.description);
    }
}
