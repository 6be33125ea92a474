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
    assert_eq!(parsed("config --help").unwrap().0, Command::Help);
    assert_eq!(
        parsed("sing").unwrap_err(),
        UsageError::NoCommand("sing".into())
    );
}

#[test]
fn the_help_names_every_command_and_every_setting() {
    let help = help();
    for setting in crate::settings::SETTINGS {
        let name = setting.flag().trim_start_matches("--").to_owned();
        assert!(help.contains(&name), "{name}");
    }
    for (words, _) in COMMANDS {
        let words: Vec<_> = words
            .split(' ')
            .filter(|word| !word.starts_with('['))
            .collect();
        assert!(command(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()).is_ok());
    }
}
