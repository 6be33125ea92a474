use std::net::{Ipv4Addr, SocketAddr};

use super::*;

const BENCH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const SMALL: &str = r#"
title = "Small"
what = "A rival for a test."
secured = true
install = "make rivals"
does_not = []
command = ["@PROGRAM@", "-c", "@DIRECTORY@/small.conf", "mail@host"]
files = ["small.conf"]
log = "access.log"
[program]
name = "small-gateway"
[request]
base = "/base"
headers = [["apikey", "{value}"]]
"#;

/// A folder `small` of rivals, with a folder for installed programs.
struct Folder(tempfile::TempDir);

impl Folder {
    fn with(description: &str, configuration: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(folder.rival()).unwrap();
        fs::write(folder.rival().join("rival.toml"), description).unwrap();
        fs::write(folder.rival().join("small.conf"), configuration).unwrap();
        folder
    }

    fn rival(&self) -> PathBuf {
        self.0.path().join("rivals/small")
    }

    fn installed(self) -> Self {
        let program = self.0.path().join("installed/small/bin");
        fs::create_dir_all(&program).unwrap();
        fs::write(program.join("small-gateway"), "").unwrap();
        self
    }

    fn read(&self, variables: &[(&str, &str)]) -> anyhow::Result<Rival> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| PathBuf::from(value))
        };
        let lookup = Lookup {
            installed: &self.0.path().join("installed"),
            path: Vec::new(),
            variable: &variable,
        };
        read_rival(&self.rival(), &lookup)
    }

    fn prepare(&self) -> anyhow::Result<(Command, String)> {
        let directory = self.0.path().join("work");
        let (command, mut files) = self.read(&[])?.prepare(&Place {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 1111)),
            upstream: SocketAddr::from((Ipv4Addr::LOCALHOST, 2222)),
            keys: &["first".to_owned(), "second".to_owned()],
            limit_per_minute: Some(10),
            directory: &directory,
            identity: None,
        })?;
        Ok((command, files.remove("small.conf").unwrap()))
    }
}

#[test]
fn every_folder_of_rivals_can_be_read_and_lists_existing_files() {
    let rivals = all(Path::new(BENCH)).unwrap();
    assert!(!rivals.is_empty());
    for rival in rivals {
        for file in &rival.described.files {
            assert!(
                rival.folder.join(file).is_file(),
                "{} lacks {file}",
                rival.name
            );
        }
        let sent = rival.request("/small");
        assert!(sent.target.ends_with("/small"), "{}", rival.name);
        assert!(
            sent.headers
                .iter()
                .any(|(_, value)| value.contains("{value}")),
            "{}",
            rival.name
        );
        assert!(
            !rival.does_not().is_empty(),
            "{} has no `does_not`",
            rival.name
        );
    }
}

#[test]
fn a_configuration_is_filled_in_with_a_line_for_each_key() {
    let folder = Folder::with(
        SMALL,
        "listen @LISTEN@ to @UPSTREAM_HOST@ at @UPSTREAM_PORT@;\n\
         @KEY@ is @NUMBER@ of me@home@COMMA@\n\
         limit @LIMIT@ burst @LIMIT_LESS_ONE@\n",
    );
    let (command, text) = folder.installed().prepare().unwrap();
    assert_eq!(
        text,
        "listen 127.0.0.1:1111 to 127.0.0.1 at 2222;\nfirst is 1 of me@home,\n\
         second is 2 of me@home\nlimit 10 burst 9\n"
    );
    let arguments: Vec<_> = command.get_args().map(|it| it.to_string_lossy()).collect();
    assert!(
        command
            .get_program()
            .to_string_lossy()
            .ends_with("small/bin/small-gateway")
    );
    assert!(arguments[1].ends_with("work/small.conf"), "{arguments:?}");
    assert_eq!(arguments[2], "mail@host");
}

#[test]
fn an_unknown_placeholder_is_named_with_its_place() {
    let folder = Folder::with(SMALL, "one\ntwo @LISTENN@\n").installed();
    let error = format!("{:#}", folder.prepare().unwrap_err());
    assert!(
        error.contains("small.conf") && error.contains("line 2"),
        "{error}"
    );
    assert!(error.contains("@LISTENN@"), "{error}");
}

#[test]
fn a_key_that_would_break_a_configuration_is_refused() {
    let folder = Folder::with(SMALL, "").installed();
    let rival = folder.read(&[]).unwrap();
    let keys = ["fine".to_owned(), "\"; return 200; \"".to_owned()];
    let place = Place {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 1111)),
        upstream: SocketAddr::from((Ipv4Addr::LOCALHOST, 2222)),
        keys: &keys,
        limit_per_minute: None,
        directory: &folder.0.path().join("work"),
        identity: None,
    };
    assert!(
        rival
            .prepare(&place)
            .unwrap_err()
            .to_string()
            .contains("a key may contain")
    );
}

#[test]
fn a_missing_program_is_named_with_the_way_to_install_it() {
    let folder = Folder::with(SMALL, "");
    let missing = folder.read(&[]).unwrap().missing.unwrap();
    assert_eq!(missing, "small-gateway is not installed; make rivals");
    let error = folder.prepare().unwrap_err().to_string();
    assert!(error.contains("small-gateway is not installed"), "{error}");
}

#[test]
fn a_variable_locates_a_program_that_no_package_provides() {
    let described = SMALL.replace(
        "name = \"small-gateway\"",
        "name = \"small-gateway\"\nvariable = \"BENCH_SMALL\"",
    );
    let folder = Folder::with(&described, "").installed();
    let missing = folder.read(&[]).unwrap().missing.unwrap();
    assert!(missing.starts_with("BENCH_SMALL is not set"), "{missing}");
    let absent = folder
        .read(&[("BENCH_SMALL", "/nowhere")])
        .unwrap()
        .missing
        .unwrap();
    assert_eq!(
        absent,
        "BENCH_SMALL is set to /nowhere, which is not a file"
    );
    let program = folder.0.path().join("installed/small/bin/small-gateway");
    let found = folder
        .read(&[("BENCH_SMALL", program.to_str().unwrap())])
        .unwrap();
    assert_eq!((found.missing, found.program), (None, program));
}

#[test]
fn a_missing_file_of_a_rival_is_named() {
    let described = format!(
        "{SMALL}\n[[needs]]\npath = \"@INSTALLED@/small/gateway.jar\"\nwhat = \"the jar\"\n"
    );
    let folder = Folder::with(&described, "").installed();
    let missing = folder.read(&[]).unwrap().missing.unwrap();
    assert_eq!(missing, "the jar is missing; make rivals");
    fs::write(folder.0.path().join("installed/small/gateway.jar"), "").unwrap();
    let rival = folder.read(&[]).unwrap();
    assert_eq!(rival.missing, None);
    let binaries: Vec<String> = rival.binaries().into_keys().collect();
    assert_eq!(binaries, ["small", "small/gateway.jar"]);
    assert!(rival.binaries().values().all(|path| path.is_file()));
}

#[test]
fn a_rival_with_tls_gets_a_certificate() {
    let described = SMALL.replace("secured = true", "secured = false\nhttps = \"both\"");
    let configuration = "@CERTIFICATE@ @PRIVATE_KEY@ @AUTHORITY@ @UPSTREAM_NAME@";
    let folder = Folder::with(&described, configuration).installed();
    let rival = folder.read(&[]).unwrap();
    assert_eq!(rival.https(), Https::Both);
    let identity = Identity::make(&[Ipv4Addr::LOCALHOST.into()]).unwrap();
    let place = Place {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 1111)),
        upstream: SocketAddr::from((Ipv4Addr::LOCALHOST, 2222)),
        keys: &["key".to_owned()],
        limit_per_minute: None,
        directory: Path::new("/work"),
        identity: Some(&identity),
    };
    let (_, files) = rival.prepare(&place).unwrap();
    let expected = "/work/lab.crt /work/lab.key /work/ca.crt localhost\n";
    assert_eq!(files["small.conf"], expected);
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["ca.crt", "keys", "lab.crt", "lab.key", "small.conf"]
    );
    assert!(files["lab.key"].contains("PRIVATE KEY"));

    let secured = SMALL.replace("secured = true", "secured = true\nhttps = \"callers\"");
    let error = Folder::with(&secured, "").read(&[]).unwrap_err();
    assert!(
        error.to_string().contains("it cannot have `https`"),
        "{error}"
    );
}

#[test]
fn a_secured_rival_without_a_log_is_rejected() {
    let folder = Folder::with(&SMALL.replace("log = \"access.log\"\n", ""), "");
    let error = folder.read(&[]).unwrap_err().to_string();
    assert!(
        error.contains("rival.toml: a secured rival needs a `log`"),
        "{error}"
    );
}
