//! Tests of `.ci/crates`: clones of a small workspace with one dependency share its compiled crate,
//! and nothing else.

#![expect(clippy::unwrap_used, reason = "tests panic if a precondition fails")]

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

const MANIFEST: &str = "[package]\nname = \"tollgate\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
    [dependencies]\nitoa = \"1\"\n\n[workspace]\n";
const LOCKED: &str =
    "[[package]]\nname = \"tollgate\"\nversion = \"0.1.0\"\ndependencies = [\n \"itoa\",\n]\n";
const PROGRAM: &str = "fn main() { println!(\"LINE {}\", itoa::Buffer::new().format(7)) }\n";
/// Compares what the program next to this test prints with the line of its own clone.
const TEST: &str = "#[test]\nfn tests_its_own_binary() {\n\
    let output = std::process::Command::new(env!(\"CARGO_BIN_EXE_tollgate\")).output().unwrap();\n\
    assert_eq!(output.stdout, b\"LINE 7\\n\");\n}\n";

/// The clones of a machine, and what they share.
struct Machine(TempDir);

/// A clone: its folder, and further environment variables.
struct Clone<'m> {
    machine: &'m Machine,
    folder: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Machine {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Creates a clone whose program prints this word.
    fn clone_with(&self, word: &str) -> Clone<'_> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = self.0.path().join(word);
        for name in [".ci", "src", "tests"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        fs::copy(root.join(".ci/crates"), folder.join(".ci/crates")).unwrap();
        let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap();
        let parts = || lock.split("\n\n");
        let itoa = parts().find(|it| it.contains("name = \"itoa\"")).unwrap();
        let lock = format!("{}\n\n{itoa}\n\n{LOCKED}", parts().next().unwrap());
        for (path, text) in [
            ("Cargo.toml", MANIFEST.to_owned()),
            ("Cargo.lock", lock),
            ("src/main.rs", PROGRAM.replace("LINE", word)),
            ("tests/own.rs", TEST.replace("LINE", word)),
        ] {
            fs::write(folder.join(path), text).unwrap();
        }
        Clone {
            machine: self,
            folder,
            variables: Vec::new(),
        }
    }

    /// Returns the names of the stores, and of whatever else is beside them.
    fn stores(&self) -> Vec<String> {
        let folder = self.0.path().join("cache/tollgate/crates");
        let entries = fs::read_dir(folder).into_iter().flatten();
        let mut names: Vec<_> = entries
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "lock")
            .collect();
        names.sort();
        names
    }

    fn store(&self, name: &str) -> PathBuf {
        self.0.path().join("cache/tollgate/crates").join(name)
    }
}

impl Clone<'_> {
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    /// Begins to run its tests with what other clones have compiled, and to share what it compiles.
    fn begin(&self) -> std::process::Child {
        let script = ".ci/crates restore && \"$CARGO\" test --offline --locked 2>&1 && \
            \"$CARGO\" build --release --offline --locked 2>&1 && .ci/crates save";
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .current_dir(&self.folder)
            .env("CARGO", env!("CARGO"))
            .env("XDG_CACHE_HOME", self.machine.0.path().join("cache"))
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("TOLLGATE_FROM_NOTHING")
            .envs(self.variables.iter().cloned())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Runs it to its end; returns whether it compiled the dependency.
    fn compiles(&self) -> bool {
        compiled(&self.begin().wait_with_output().unwrap())
    }
}

fn compiled(output: &Output) -> bool {
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}{errors}");
    assert!(printed.contains("tests_its_own_binary ... ok"), "{printed}");
    let times = printed.matches("Compiling itoa ").count();
    assert!(
        times == 0 || times == 2,
        "one profile shares its crates, the other does not: {printed}"
    );
    times > 0
}

/// Returns the metadata of the compiled dependency in this folder.
fn metadata_of_crate(folder: &Path) -> Metadata {
    let mut files = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let file = files.find(|it| it.path().extension().is_some_and(|it| it == "rlib"));
    file.unwrap().metadata().unwrap()
}

#[test]
fn clones_that_differ_by_a_line_share_dependencies_and_each_tests_its_own_binary() {
    let machine = Machine::new();
    assert!(machine.clone_with("first").compiles());
    let clones = ["second", "third"].map(|word| machine.clone_with(word));
    let running = clones.each_ref().map(Clone::begin);
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(!compiled(&output), "the crate was compiled already");
    }
    // Another build of the same clone keeps its folder.
    let word = fs::read_to_string(clones[0].folder.join("src/main.rs")).unwrap();
    fs::write(
        clones[0].folder.join("src/main.rs"),
        word.replace("second", "other"),
    )
    .unwrap();
    let test = TEST.replace("LINE", "other");
    fs::write(clones[0].folder.join("tests/own.rs"), test).unwrap();
    assert!(!clones[0].compiles());

    let stores = machine.stores();
    assert_eq!(stores.len(), 1, "{stores:?}");
    // Copies with the same times, not links.
    let below = "target/debug/deps";
    let taken = metadata_of_crate(&clones[1].folder.join(below));
    let stored = metadata_of_crate(&machine.store(&stores[0]).join("debug/deps"));
    assert_eq!(taken.modified().unwrap(), stored.modified().unwrap());
    assert_eq!((taken.nlink(), stored.nlink()), (1, 1));
    let listed = Command::new("find").arg(machine.store(&stores[0])).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    assert!(listed.contains("itoa-"), "{listed}");
    let ours = |path: &&str| path.contains("tollgate-") || path.ends_with("/own");
    let below = listed
        .lines()
        .map(|it| it.rsplit("/crates/").next().unwrap());
    assert_eq!(below.filter(ours).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn another_manifest_lock_file_or_flag_has_another_store() {
    let machine = Machine::new();
    assert!(machine.clone_with("first").compiles());
    let optimized = machine.clone_with("second");
    let manifest = format!("{MANIFEST}\n[profile.dev.package.itoa]\nopt-level = 1\n");
    fs::write(optimized.folder.join("Cargo.toml"), manifest).unwrap();
    assert!(optimized.compiles());
    let flag = machine
        .clone_with("third")
        .with("RUSTFLAGS", "-Cdebuginfo=0");
    assert!(flag.compiles());
    assert_eq!(machine.stores().len(), 3);
    assert!(!machine.clone_with("fourth").compiles());
}

#[test]
fn nothing_is_shared_from_nothing_nor_with_a_target_folder_of_the_caller() {
    let machine = Machine::new();
    let from_nothing = |clone: Clone<'_>| clone.with("TOLLGATE_FROM_NOTHING", "1").compiles();
    assert!(from_nothing(machine.clone_with("first")));
    let target = machine.0.path().join("target");
    let own = machine.clone_with("second");
    let own = own.with("CARGO_TARGET_DIR", target.to_str().unwrap());
    assert!(own.compiles());
    assert_eq!(machine.stores(), [""; 0]);
    assert!(!own.folder.join("target").exists());

    assert!(machine.clone_with("third").compiles());
    assert!(from_nothing(machine.clone_with("fourth")));
}

#[test]
fn stores_that_are_partial_old_or_too_large_together_are_removed() {
    let machine = Machine::new();
    for (name, days) in [("partial.1", 0), ("forgotten", 15), ("recent", 13)] {
        fs::create_dir_all(machine.store(name)).unwrap();
        fs::write(machine.store(name).join("crate"), [0; 100_000]).unwrap();
        let time = SystemTime::now() - Duration::from_secs(days * 86_400);
        let folder = fs::File::open(machine.store(name)).unwrap();
        folder.set_modified(time).unwrap();
    }
    assert!(machine.clone_with("first").compiles());
    let stores = machine.stores();
    assert!(
        stores.len() == 2 && stores.contains(&"recent".to_owned()),
        "{stores:?}"
    );

    let clone = machine
        .clone_with("second")
        .with("RUSTFLAGS", "-Copt-level=1");
    assert!(clone.with("TOLLGATE_CRATES_KIB_MAX", "1").compiles());
    assert_eq!(machine.stores(), [""; 0]);
}
