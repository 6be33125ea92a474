use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::damage::{Damage, ReadError};
use crate::gap::GapReason;
use crate::segment::{self, Depth, Segment, Summary};

const GIB: u64 = 1 << 30;

fn settings(folder: &Path) -> Settings {
    Settings {
        folder: folder.to_owned(),
        bytes_max: GIB,
        kept: Duration::from_secs(7 * 86_400),
        free_bytes_min: 0,
        segment_bytes: GIB,
    }
}

fn open(folder: &Path) -> Spool {
    Spool::open(settings(folder)).unwrap()
}

fn now_us() -> i64 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    i64::try_from(since.as_micros()).unwrap()
}

fn record(number: u64) -> Record {
    Record {
        at_us: now_us(),
        number,
        status: 200,
        ..Record::default()
    }
}

/// Writes calls with these numbers as a block.
fn write(spool: &Spool, numbers: std::ops::Range<u64>) {
    let mut recording = spool.recording(3);
    for number in numbers {
        recording.push(&record(number));
    }
    spool.shared.seal(&mut recording.collected);
}

/// The numbers of all calls of a folder, with the place of each.
fn read(folder: &Path) -> Vec<(u64, u64)> {
    let mut numbers = Vec::new();
    for named in segment::list(folder).unwrap() {
        let mut segment = Segment::open(&named.path).unwrap();
        while let Some(block) = segment.next_block().unwrap() {
            let mut calls = Vec::new();
            block.read(&mut calls).unwrap();
            let places = block.head().first..;
            numbers.extend(places.zip(calls.iter().map(|it| it.record.number)));
        }
    }
    numbers
}

fn summaries(folder: &Path) -> Vec<Summary> {
    let named = segment::list(folder).unwrap().into_iter();
    let summaries = named.map(|it| segment::summarize(&it, Depth::Whole).unwrap());
    summaries
        .map(|(summary, error)| {
            assert!(error.is_none(), "{error:?}");
            summary
        })
        .collect()
}

/// Waits for a state that the writer reaches by itself.
fn wait_for(mut is_reached: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_reached() {
        assert!(begun.elapsed() < Duration::from_secs(30), "not reached");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn calls_are_found_again_and_each_process_has_an_epoch() {
    let folder = TempDir::new().unwrap();
    for numbers in [0..10, 10..10, 10..15] {
        let spool = open(folder.path());
        write(&spool, numbers);
        spool.close();
        assert_eq!(spool.gaps(), []);
    }
    let expected = (0..10).map(|number| (number, number));
    let expected: Vec<_> = expected.chain((0..5).map(|at| (at, at + 10))).collect();
    assert_eq!(read(folder.path()), expected);
    // The one without calls is gone.
    let [first, second] = summaries(folder.path()).try_into().unwrap();
    assert_ne!(first.header.epoch, second.header.epoch);
    assert_eq!((first.named.sequence, second.named.sequence), (0, 2));
}

#[test]
fn a_full_segment_is_followed_by_the_next_one_of_its_epoch() {
    let folder = TempDir::new().unwrap();
    let spool = many_segments(folder.path());
    spool.close();
    let all = summaries(folder.path());
    let places: Vec<_> = all.iter().map(|it| (it.header.first, it.calls)).collect();
    assert_eq!(places, [(0, 10), (10, 10), (20, 10)]);
    assert!(all.iter().all(|it| it.header.epoch == all[0].header.epoch));
}

/// A spool with a segment for each of three blocks of ten calls.
fn many_segments(folder: &Path) -> Spool {
    let spool = Spool::open(Settings {
        segment_bytes: 1,
        ..settings(folder)
    });
    let spool = spool.unwrap();
    for first in [0, 10, 20] {
        write(&spool, first..first + 10);
    }
    spool
}

#[test]
fn what_is_collected_reaches_the_file_without_further_calls() {
    let folder = TempDir::new().unwrap();
    let spool = open(folder.path());
    spool.recording(1).push(&record(5));
    // The next drain finds no calls, but that one is due.
    wait_for(|| {
        drop(spool.recording(1));
        summaries(folder.path()).iter().any(|it| it.calls == 1)
    });
    spool.close();
}

#[test]
fn a_kill_leaves_whole_blocks() {
    let folder = TempDir::new().unwrap();
    let spool = open(folder.path());
    write(&spool, 0..10);
    write(&spool, 10..20);
    spool.close();
    let named = segment::list(folder.path()).unwrap().remove(0);
    let file = OpenOptions::new().write(true).open(&named.path).unwrap();
    let bytes = file.metadata().unwrap().len();
    // Without a byte of the second block.
    file.set_len(bytes - 1).unwrap();
    let spool = open(folder.path());
    write(&spool, 100..101);
    spool.close();
    assert_eq!(spool.gaps(), [], "a kill is no damage");
    let numbers: Vec<_> = read(folder.path()).iter().map(|it| it.1).collect();
    assert_eq!(numbers, (0..10).chain([100]).collect::<Vec<_>>());
}

#[test]
fn a_damaged_segment_is_set_aside_and_its_calls_are_counted() {
    fn flip(path: &Path, at: i64) {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .unwrap();
        let bytes = file.metadata().unwrap().len();
        let at = u64::try_from(at).unwrap_or(bytes.saturating_add_signed(at));
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(b"!").unwrap();
    }
    /// A way to damage a segment, and the number of calls that are known to be lost.
    type Row<'r> = (&'r str, fn(&Path), Option<u64>);
    let damages: [Row<'_>; 6] = [
        (
            "cut",
            |path| {
                let bytes = fs::metadata(path).unwrap().len();
                OpenOptions::new()
                    .write(true)
                    .open(path)
                    .unwrap()
                    .set_len(bytes / 2)
                    .unwrap();
            },
            Some(10),
        ),
        ("a head", |path| flip(path, 60), Some(10)),
        ("empty", |path| fs::write(path, "").unwrap(), Some(10)),
        (
            "foreign",
            |path| fs::write(path, "a text of somebody else, longer than a header").unwrap(),
            Some(10),
        ),
        (
            "short",
            |path| fs::write(path, "TGSPOOL1").unwrap(),
            Some(10),
        ),
        ("later", |path| flip(path, 8), Some(10)),
    ];
    for (what, damage, calls) in damages {
        let folder = TempDir::new().unwrap();
        many_segments(folder.path()).close();
        let path = segment::list(folder.path()).unwrap().remove(1).path;
        damage(&path);
        let spool = open(folder.path());
        spool.close();
        let [gap] = spool.gaps().try_into().unwrap();
        assert_eq!(
            (gap.reason, gap.calls),
            (GapReason::Damaged, calls),
            "{what}"
        );
        let aside = path.with_extension("damaged");
        assert!(!path.exists() && aside.exists(), "{what}");
        let numbers: Vec<_> = read(folder.path()).iter().map(|it| it.1).collect();
        let expected: Vec<_> = (0..10).chain(20..30).collect();
        assert_eq!(numbers, expected, "{what}");
    }
}

#[test]
fn a_changed_byte_of_the_last_segment_is_found_at_the_start() {
    let folder = TempDir::new().unwrap();
    let spool = open(folder.path());
    write(&spool, 0..500);
    spool.close();
    let named = segment::list(folder.path()).unwrap().remove(0);
    let mut bytes = fs::read(&named.path).unwrap();
    // In the body of its block.
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&named.path, &bytes).unwrap();
    let (_, error) = segment::summarize(&named, Depth::Whole).unwrap();
    assert!(
        matches!(error, Some(ReadError::Damaged(Damage::Changed))),
        "{error:?}"
    );
    let spool = open(folder.path());
    let [gap] = spool.gaps().try_into().unwrap();
    assert_eq!(gap.calls, Some(500), "as the heads of its blocks have it");
    spool.close();
}

#[test]
fn a_segment_that_could_not_be_read_is_set_aside_and_its_calls_are_counted() {
    let folder = TempDir::new().unwrap();
    let spool = many_segments(folder.path());
    assert!(spool.settle());
    let named = segment::list(folder.path()).unwrap();
    spool.report_damaged(&named[1], Damage::Changed);
    let mut gaps = Vec::new();
    wait_for(|| {
        gaps.extend(spool.gaps());
        !gaps.is_empty()
    });
    let [gap] = gaps.try_into().unwrap();
    assert_eq!((gap.reason, gap.calls), (GapReason::Damaged, Some(10)));
    assert!(named[1].path.with_extension("damaged").exists());
    // Somebody else had read it too.
    spool.report_damaged(&named[1], Damage::Changed);
    spool.close();
    assert_eq!(spool.gaps(), []);
    let numbers: Vec<_> = read(folder.path()).iter().map(|it| it.1).collect();
    assert_eq!(numbers, (0..10).chain(20..30).collect::<Vec<_>>());
}

#[test]
fn small_blocks_are_merged_without_moving_a_place() {
    let folder = TempDir::new().unwrap();
    let spool = open(folder.path());
    for at in 0..400 {
        write(&spool, at * 2..at * 2 + 2);
    }
    spool.close();
    let before = read(folder.path());
    let [many] = summaries(folder.path()).try_into().unwrap();
    assert_eq!(many.blocks, 400);
    // The next process merges what the one before has left.
    let spool = open(folder.path());
    wait_for(|| summaries(folder.path())[0].blocks == 1);
    let merged = &summaries(folder.path())[0];
    assert_eq!(merged.calls, 800);
    assert!(
        merged.bytes * 10 < many.bytes,
        "{} of {}",
        merged.bytes,
        many.bytes
    );
    spool.close();
    assert_eq!(read(folder.path()), before);
}

#[test]
fn the_oldest_segments_go_when_there_is_too_much() {
    let folder = TempDir::new().unwrap();
    many_segments(folder.path()).close();
    let bytes: u64 = summaries(folder.path()).iter().map(|it| it.bytes).sum();
    let spool = Spool::open(Settings {
        bytes_max: bytes - 1,
        ..settings(folder.path())
    })
    .unwrap();
    wait_for(|| segment::list(folder.path()).unwrap().len() == 3);
    spool.close();
    let [gap] = spool.gaps().try_into().unwrap();
    assert_eq!((gap.reason, gap.calls), (GapReason::Full, Some(10)));
    let numbers: Vec<_> = read(folder.path()).iter().map(|it| it.1).collect();
    assert_eq!(numbers, (10..30).collect::<Vec<_>>());

    let spool = Spool::open(Settings {
        kept: Duration::ZERO,
        ..settings(folder.path())
    })
    .unwrap();
    wait_for(|| segment::list(folder.path()).unwrap().len() == 1);
    spool.close();
    assert_eq!(spool.gaps(), [], "their time has come");
}

#[test]
fn a_warning_is_logged_once_before_the_oldest_segments_go() {
    let folder = TempDir::new().unwrap();
    many_segments(folder.path()).close();
    let bytes: u64 = summaries(folder.path()).iter().map(|it| it.bytes).sum();
    let logs = TempDir::new().unwrap();
    let path = logs.path().join("log");
    let log = Mutex::new(fs::File::create(&path).unwrap());
    // The writer has a thread of its own.
    tracing_subscriber::fmt().with_writer(log).init();
    let spool = Spool::open(Settings {
        bytes_max: bytes * 10 / 9,
        ..settings(folder.path())
    })
    .unwrap();
    let logged = || fs::read_to_string(&path).unwrap();
    wait_for(|| logged().contains("the oldest calls will be removed before their time"));
    write(&spool, 30..31);
    assert!(spool.settle());
    spool.close();
    assert_eq!(spool.gaps(), []);
    assert_eq!(
        logged().matches("the oldest calls will be removed").count(),
        1
    );
}

#[test]
fn a_disk_with_too_little_room_keeps_the_calls_to_come_only() {
    let folder = TempDir::new().unwrap();
    many_segments(folder.path()).close();
    let spool = Spool::open(Settings {
        free_bytes_min: u64::MAX,
        ..settings(folder.path())
    })
    .unwrap();
    let mut gaps = Vec::new();
    wait_for(|| {
        gaps.extend(spool.gaps());
        !gaps.is_empty()
    });
    assert_eq!((gaps[0].reason, gaps[0].calls), (GapReason::Full, Some(30)));
    write(&spool, 0..5);
    assert!(spool.settle());
    assert_eq!(read(folder.path()).len(), 5);
    spool.close();
}

#[test]
fn a_folder_that_is_removed_is_made_again_and_its_calls_are_counted() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("spool");
    let spool = open(&place);
    write(&spool, 0..10);
    wait_for(|| summaries(&place)[0].calls == 10);
    fs::remove_dir_all(&place).unwrap();
    let mut gaps = Vec::new();
    wait_for(|| {
        gaps.extend(spool.gaps());
        !gaps.is_empty()
    });
    assert_eq!(
        (gaps[0].reason, gaps[0].calls),
        (GapReason::Damaged, Some(10))
    );
    write(&spool, 10..15);
    spool.close();
    let places = read(&place);
    let expected: Vec<_> = (10..15).map(|number| (number, number)).collect();
    assert_eq!(places, expected);
}

#[test]
fn calls_beyond_the_memory_are_counted_as_lost() {
    let folder = TempDir::new().unwrap();
    let spool = open(folder.path());
    spool.shared.fill(true);
    write(&spool, 0..7);
    let [gap] = spool.gaps().try_into().unwrap();
    assert_eq!((gap.reason, gap.calls), (GapReason::Behind, Some(7)));
    assert!(gap.from_us <= gap.to_us && gap.from_us > 0);
    spool.shared.fill(false);
    // The numbers of the others are those that they were given.
    write(&spool, 7..10);
    assert!(spool.settle());
    let places = vec![(7, 7), (8, 8), (9, 9)];
    assert_eq!((read(folder.path()), spool.next()), (places.clone(), 10));
    spool.close();
    drop(spool);
    let spool = open(folder.path());
    spool.close();
    assert_eq!(read(folder.path()), places);
}

#[test]
fn a_folder_that_cannot_be_used_is_one_sentence() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("file");
    fs::write(&place, "").unwrap();
    let error = Spool::open(settings(&place)).unwrap_err().to_string();
    let begins = format!("the spool {} cannot be used: ", place.display());
    assert!(error.starts_with(&begins), "{error}");
}
