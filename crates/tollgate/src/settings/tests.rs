use super::sources::Flag;
use super::*;

fn flag(name: &str, value: Option<&str>) -> Flag {
    Flag {
        name: name.to_owned(),
        value: value.map(str::to_owned),
    }
}

fn file(text: &str) -> (tempfile::TempDir, Written) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(FILE_DEFAULT), text).unwrap();
    let written = Written {
        directory: directory.path().to_owned(),
        ..Written::default()
    };
    (directory, written)
}

fn sentence(written: &Written) -> String {
    gather(written).unwrap_err().to_string()
}

#[test]
fn a_flag_beats_the_environment_which_beats_the_file_which_beats_the_default() {
    let (_directory, mut written) = file("[gateway]\nworkers = 3\nfields_max = 50\n");
    let workers = |written: &Written| gather(written).unwrap().1.gateway.workers.number();
    assert_eq!(workers(&Written::default()), 0);
    assert_eq!(workers(&written), 3);
    written.environment = vec![("TOLLGATE_GATEWAY_WORKERS".into(), "4".into())];
    assert_eq!(workers(&written), 4);
    written.flags = vec![flag("--gateway-workers", Some("5"))];
    let (effective, settings) = gather(&written).unwrap();
    assert_eq!(settings.gateway.workers.number(), 5);
    assert_eq!(settings.gateway.fields_max.number(), 50);
    let printed = page::effective(&effective);
    assert!(printed.contains("workers = 5  # flag --gateway-workers"));
    assert!(printed.contains("fields_max = 50  # file tollgate.toml"));
    assert!(printed.contains("listen = \"127.0.0.1:9000\"  # default"));
}

#[test]
fn the_printed_configuration_is_a_settings_file_with_the_same_meaning() {
    let (_one, mut written) = file("[gateway]\nworkers = 3\n");
    written.flags = vec![flag("--no-example", None)];
    let (effective, _) = gather(&written).unwrap();
    let (_two, again) = file(&page::effective(&effective));
    let (read_back, settings) = gather(&again).unwrap();
    assert!(!settings.process.example);
    for declared in SETTINGS {
        let (one, two) = (effective.found(declared), read_back.found(declared));
        assert_eq!(one.text, two.text, "{}", declared.name);
    }
}

#[test]
fn an_unknown_or_invalid_setting_is_named_in_one_sentence_with_its_origin() {
    let (_directory, written) = file("[gateway]\nworkerz = 3\n");
    let expected =
        "gateway.workerz (file tollgate.toml) is not a setting; `tollgate settings` lists them";
    assert_eq!(sentence(&written), expected);

    let (_directory, written) = file("[gateway]\nworkers = \"3\"\n");
    let expected = "gateway.workers is \"\\\"3\\\"\" (file tollgate.toml), but must be a whole \
                    number from 0 to 1024";
    assert_eq!(sentence(&written), expected);

    let (_directory, written) = file("gateway = [\n");
    let expected = "the settings file tollgate.toml is not valid TOML: line ";
    assert!(sentence(&written).starts_with(expected));

    let written = Written {
        environment: vec![("TOLLGATE_GATEWAY_LISTEN".into(), "here".into())],
        ..Written::default()
    };
    let expected = "gateway.listen is \"here\" (environment TOLLGATE_GATEWAY_LISTEN), but must be \
                    empty, or an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080";
    assert_eq!(sentence(&written), expected);

    for (name, value, expected) in [
        (
            "--gateway-workrs",
            None,
            "--gateway-workrs (flag --gateway-workrs) is not a setting",
        ),
        ("--data", None, "data (flag --data) needs a value: a path"),
        (
            "--no-example",
            Some("x"),
            "--no-example (flag --no-example) is not a setting",
        ),
        (
            "--config",
            Some("absent.toml"),
            "the settings file absent.toml cannot be read",
        ),
    ] {
        let written = Written {
            flags: vec![flag(name, value)],
            ..Written::default()
        };
        assert!(
            sentence(&written).starts_with(expected),
            "{}",
            sentence(&written)
        );
    }
}

#[test]
fn the_token_of_commands_and_variables_of_a_cluster_are_not_settings() {
    let with = |name: &str| Written {
        environment: vec![(name.into(), "tcp://10.0.0.1:8080".into())],
        ..Written::default()
    };
    for name in [
        "TOLLGATE_TOKEN",
        "TOLLGATE_SERVICE_HOST",
        "TOLLGATE_SERVICE_PORT_HTTP",
        "TOLLGATE_PORT",
        "TOLLGATE_PORT_8080_TCP_ADDR",
    ] {
        assert!(gather(&with(name)).is_ok(), "{name}");
    }
    assert!(sentence(&with("TOLLGATE_PORTS")).contains("TOLLGATE_PORTS"));
}

#[test]
fn every_default_is_a_value_and_every_name_is_declared_once() {
    gather(&Written::default()).unwrap();
    let mut flags: Vec<_> = SETTINGS.iter().map(Declared::flag).collect();
    flags.sort();
    flags.dedup();
    assert_eq!(flags.len(), SETTINGS.len());
}
