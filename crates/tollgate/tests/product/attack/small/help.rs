//! Whoever asks for help gets it, and of nothing that is refused.

use std::process::Output;

use crate::house::builder;

fn said(output: &Output) -> (bool, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    (status.success(), text(stdout), text(stderr))
}

#[test]
fn help_answers_for_each_command_and_a_half_command_says_what_is_missing() {
    let builder = builder();
    for (words, expected) in [
        (&["help", "admin"][..], "tollgate admin reset [USER]"),
        (&["help", "admin", "reset"], "one-time password"),
        (&["admin", "--help"], "tollgate admin reset [USER]"),
        (&["help", "run"], "--gateway-listen"),
        (&["help", "config"], "tollgate config"),
        (&["help"], "admin reset [USER]"),
    ] {
        let (is_well, out, err) = said(&builder.command(words).unwrap());
        assert!(is_well && out.contains(expected), "{words:?}: {out}{err}");
    }
    // It has done nothing, so it is no success.
    let (is_well, out, err) = said(&builder.command(&["admin"]).unwrap());
    assert!(!is_well && out.is_empty());
    assert!(err.contains("tollgate admin reset [USER]"), "{err}");
    let (is_well, _, err) = said(&builder.command(&["help", "sing"]).unwrap());
    assert!(!is_well && err.contains("`sing` is not a command"), "{err}");
}

#[test]
fn roles_that_are_refused_do_not_stand_in_help() {
    let builder = builder();
    for words in [&["help"][..], &["help", "run"], &["settings"]] {
        let (_, out, _) = said(&builder.command(words).unwrap());
        let role = out
            .lines()
            .skip_while(|line| !(line.trim_start().starts_with("--role ") || *line == "## role"));
        let role: Vec<_> = role.take(7).collect();
        assert!(!role.is_empty());
        let role = role.join("\n").replace("--data", "");
        assert!(role.contains("all") && !role.contains("one of"), "{role}");
        assert!(
            !role.contains("`control`") && !role.contains("`gateway`"),
            "{role}"
        );
    }
}
