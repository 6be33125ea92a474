use super::*;

fn naive(text: &str, in_attribute: bool) -> Option<String> {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#13;"),
            '"' if in_attribute => out.push_str("&quot;"),
            '\t' if in_attribute => out.push_str("&#9;"),
            '\n' if in_attribute => out.push_str("&#10;"),
            '\t' | '\n' => out.push(character),
            '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => return None,
            _ => out.push(character),
        }
    }
    Some(out)
}

#[test]
fn each_character_is_escaped_or_refused_at_every_place_of_a_word() {
    let characters = (0..=0x7F_u8).map(char::from);
    let others = [
        'é', 'ÿ', '\u{FEFF}', '\u{FFFD}', '\u{FFFE}', '\u{FFFF}', '😀',
    ];
    for character in characters.chain(others) {
        for before in 0..18 {
            let text = format!(
                "{}{character}<{}",
                "x".repeat(before),
                "y".repeat(17 - before)
            );
            for in_attribute in [false, true] {
                let mut out = Vec::new();
                let pushed = if in_attribute {
                    push_attribute(&mut out, &text)
                } else {
                    push_text(&mut out, &text)
                };
                let pushed = pushed.ok().map(|()| String::from_utf8(out).unwrap());
                assert_eq!(pushed, naive(&text, in_attribute), "{text:?}");
            }
        }
    }
}
