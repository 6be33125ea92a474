use super::*;

#[test]
fn the_first_special_byte_is_found_at_any_place_and_before_any_other() {
    let in_json = |byte: u8| matches!(byte, 0..=0x1F | b'"' | b'\\');
    let in_either = |byte: u8| byte == 0xEF || in_json(byte);
    let is_escaped = |byte: u8| matches!(byte, b'"' | b'\\');
    let in_text = |byte: u8| matches!(byte, 0..=0x1F | b'&' | b'<' | b'>' | 0xEF);
    let in_attribute = |byte: u8| byte == b'"' || in_text(byte);
    let in_value = |byte: u8| matches!(byte, 0..=0x1F | b'&' | b'<' | b'\'');
    let ends_name = |byte: u8| matches!(byte, 0..=b' ' | b'/' | b'>');
    let is_markup = |byte: u8| matches!(byte, b'&' | b'<');
    for length in (0..40).chain([63, 64, 65, 127, 128, 129, 200, 331, 450]) {
        let mut text = vec![b'x'; length];
        assert_eq!(plain_in_json(&text), length);
        assert_eq!(plain_in_text(&text), length);
        assert_eq!(plain_in_attribute(&text), length);
        for at in 0..length {
            for &byte in b"\0\x1F !\"#%&'./;<=>?[\\]\x7F\x80\xEE\xEF\xF0\xFF" {
                // Bytes after it may be marked because of a borrow: they must not come first.
                text[at] = byte;
                if at + 1 < length {
                    text[at + 1] = byte ^ 1;
                }
                let first = |is_special: &dyn Fn(u8) -> bool| {
                    let found = text.iter().position(|&byte| is_special(byte));
                    found.unwrap_or(length)
                };
                assert_eq!(plain_in_json(&text), first(&in_json), "{byte} at {at}");
                assert_eq!(clean_in_json(&text), first(&in_either), "{byte} at {at}");
                assert_eq!(before_escape(&text), first(&is_escaped), "{byte} at {at}");
                assert_eq!(plain_in_text(&text), first(&in_text), "{byte} at {at}");
                assert_eq!(
                    plain_in_attribute(&text),
                    first(&in_attribute),
                    "{byte} at {at}"
                );
                assert_eq!(
                    plain_in_value(&text, b'\''),
                    first(&in_value),
                    "{byte} at {at}"
                );
                assert_eq!(before_name_end(&text), first(&ends_name), "{byte} at {at}");
                assert_eq!(before_markup(&text), first(&is_markup), "{byte} at {at}");
            }
            text[at] = b'x';
            if at + 1 < length {
                text[at + 1] = b'x';
            }
        }
    }
}

#[test]
fn a_long_text_is_searched_to_its_end() {
    let length = 3 * BLOCK_MAX + 7;
    let mut text = vec![b'x'; length];
    assert_eq!(plain_in_json(&text), length);
    assert_eq!(plain_in_text(&text), length);
    assert!(is_clean(&text));
    for at in (0..length).step_by(61) {
        let none = length;
        for (byte, of_json, of_text, is_fine) in [
            (b'\n', at, at, false),
            (b'"', at, none, true),
            (b'<', none, at, true),
            (0xEF, none, at, false),
            (0xF0, none, none, true),
        ] {
            text[at] = byte;
            assert_eq!(
                (plain_in_json(&text), plain_in_text(&text)),
                (of_json, of_text)
            );
            assert_eq!(is_clean(&text), is_fine);
        }
        text[at] = b'x';
    }
}
