use super::*;

type Flags = Vec<(String, Option<String>)>;

fn parsed(line: &str) -> Result<(Command, Flags), UsageError> {
    let arguments = line.split_whitespace().map(OsString::from);
    let (command, written) = parse(arguments, std::iter::empty())?;
    let flags = written.flags.into_iter();
    Ok((command, flags.map(|flag| (flag.name, flag.value)).collect()))
}

#[test]
fn a_line_is_a_command_and_flags_in_any_order() {
    let flags = vec![
        ("--no-example".to_owned(), None),
        ("--data".to_owned(), Some("x".to_owned())),
        ("--log-level".to_owned(), Some("warn".to_owned())),
    ];
    let (command, found) = parsed("--no-example run --data x --log-level=warn").unwrap();
    assert_eq!((command, found), (Command::Run, flags));
    assert_eq!(parsed("").unwrap().0, Command::Run);
    assert_eq!(parsed("admin reset").unwrap().0, Command::AdminReset(None));
    let named = Command::AdminReset(Some("ada".into()));
    assert_eq!(parsed("admin reset ada --data x").unwrap().0, named);
    let help = |topic: &[&str]| Command::Help(topic.iter().map(|&it| it.to_owned()).collect());
    assert_eq!(parsed("config --help").unwrap().0, help(&["config"]));
    assert_eq!(parsed("-h").unwrap().0, help(&[]));
    assert_eq!(parsed("admin -h").unwrap().0, help(&["admin"]));
    assert_eq!(parsed("sing -h").unwrap().0, help(&[]));
    assert_eq!(
        parsed("help admin reset").unwrap().0,
        help(&["admin", "reset"])
    );
    assert_eq!(
        parsed("help sing").unwrap_err(),
        UsageError::NoCommand("sing".into())
    );
    let bare = parsed("admin").unwrap_err().to_string();
    assert!(bare.contains("tollgate admin reset [USER]"), "{bare}");
    assert_eq!(
        parsed("sing").unwrap_err(),
        UsageError::NoCommand("sing".into())
    );
}

#[test]
fn the_help_names_every_command_and_every_setting() {
    let help = help(&[]);
    for setting in crate::settings::SETTINGS {
        let name = setting.flag().trim_start_matches("--").to_owned();
        assert!(help.contains(&name), "{name}");
    }
    for described in COMMANDS {
        assert!(help.contains(described.meaning));
        let words: Vec<_> = described.fixed().map(str::to_owned).collect();
        assert!(command(&words).is_ok());
    }
    assert!(help.contains("end their sessions and access tokens"));
}
