use std::io::{Seek, SeekFrom, Write};

use tempfile::TempDir;

use super::*;

const NOW_US: i64 = 1_800_000_000_000_000;

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| {
            !["-wal", "-shm", ".mark"]
                .iter()
                .any(|end| name.ends_with(end))
        })
        .collect();
    names.sort();
    names
}

/// Opens a database with some pages after `damage` has changed it.
async fn opened_after(damage: impl FnOnce(&Path)) -> (TempDir, Result<Database, OpenError>) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("usage.db");
    let mut database = Database::open(&path, NOW_US, &[]).await.unwrap();
    let fill = "with recursive n(value) as (select 1 union all select value + 1 from n \
         where value < 20000) insert into quotas select value, value, value, 0, 1 from n";
    sqlx::query(fill)
        .execute(&mut database.connection)
        .await
        .unwrap();
    database.readers.close().await;
    close(database.connection).await;
    damage(&path);
    let opened = Database::open(&path, NOW_US, &[]).await;
    (folder, opened)
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

#[tokio::test]
async fn a_damaged_file_is_set_aside_and_a_new_one_created() {
    let damages: [fn(&Path); 4] = [
        |path| {
            let text = "this is text, and more of it than a header. ".repeat(9);
            fs::write(path, text).unwrap();
        },
        |path| overwrite(path, 0, &[0xff; 100]),
        |path| overwrite(path, 3 * 4_096, &[0xff; 30 * 4_096]),
        |path| {
            let file = OpenOptions::new().write(true).open(path).unwrap();
            file.set_len(5 * 4_096).unwrap();
        },
    ];
    for damage in damages {
        let (folder, opened) = opened_after(damage).await;
        let database = opened.unwrap();
        assert_eq!(
            names(&folder),
            ["usage.db", "usage.db.damaged-20270115T080000Z"]
        );
        let [loss] = database.losses[..] else {
            panic!("{:?}", database.losses)
        };
        assert_eq!(
            (loss.reason, loss.from_us, loss.to_us),
            (Reason::Damaged, 0, NOW_US)
        );
    }
}

#[tokio::test]
async fn a_file_that_lacks_a_table_is_set_aside_too() {
    for sql in [
        "drop table usage_minutes",
        "drop table usage_hours",
        "drop table losses",
        "drop table state",
        "drop table quotas",
        "drop table journal",
        "drop table pages",
        "drop table cubes",
        "drop table places",
        "alter table pages drop column sketches",
        "insert into journal (batch, content) values (1, x'80')",
        "insert into journal (batch, columns, content) values (1, 20, x'80')",
        "insert into journal (batch, columns, content) values (1, 99, x'0000')",
        "insert into journal (batch, columns, quota_columns, content) values (1, 20, 9, x'0000')",
        "drop table _sqlx_migrations",
        "alter table usage_hours drop column calls",
        "delete from state",
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("usage.db");
        let mut database = Database::open(&path, NOW_US, &[]).await.unwrap();
        sqlx::query(sql)
            .execute(&mut database.connection)
            .await
            .unwrap();
        close(database.connection).await;
        let database = Database::open(&path, NOW_US, &[]).await.unwrap();
        assert_eq!(
            names(&folder),
            ["usage.db", "usage.db.damaged-20270115T080000Z"],
            "{sql}"
        );
        let reasons = database.losses.iter().map(|loss| loss.reason);
        assert_eq!(reasons.collect::<Vec<_>>(), [Reason::Damaged], "{sql}");
    }
}

#[tokio::test]
async fn an_intact_file_stays_and_only_its_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, opened) = opened_after(|_| {}).await;
    assert_eq!(opened.unwrap().losses, []);
    assert_eq!(names(&folder), ["usage.db"]);
    let mode = fs::metadata(folder.path().join("usage.db"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn an_empty_file_is_a_new_one() {
    let (folder, opened) = opened_after(|path| fs::write(path, "").unwrap()).await;
    assert_eq!(opened.unwrap().losses, []);
    assert_eq!(names(&folder), ["usage.db"]);
}

#[tokio::test]
async fn a_file_of_a_later_release_and_a_missing_folder_are_clear_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("usage.db");
    let mut database = Database::open(&path, NOW_US, &[]).await.unwrap();
    let later = "insert into _sqlx_migrations values (99, 'later', 0, 1, x'00', 1)";
    sqlx::query(later)
        .execute(&mut database.connection)
        .await
        .unwrap();
    drop(database);
    let error = Database::open(&path, NOW_US, &[])
        .await
        .err()
        .expect("it is newer");
    assert!(
        error
            .to_string()
            .contains("written by a newer Tollgate (its schema is 99)")
    );
    assert_eq!(names(&folder), ["usage.db"], "it is not set aside");

    let nowhere = folder.path().join("nowhere/usage.db");
    let error = Database::open(&nowhere, NOW_US, &[])
        .await
        .err()
        .expect("there is no folder");
    assert!(
        error
            .to_string()
            .ends_with("nowhere/usage.db cannot be opened")
    );
}
