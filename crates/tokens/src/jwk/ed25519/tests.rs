use super::*;

/// The y from 0 to 63 of points, as bits; computed with Python's integers.
const SMALL: u64 = 0xf7d9_1dab_7fad_c67b;

fn point(hex: &str) -> [u8; 32] {
    let digits = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
    std::array::from_fn(digits)
}

#[test]
fn points_are_distinguished_from_other_bytes() {
    for y in 2..64_u8 {
        let mut bytes = [0; 32];
        bytes[0] = y;
        assert_eq!(is_sound(&bytes), SMALL & (1 << y) != 0, "{y}");
        bytes[31] = 0x80;
        assert_eq!(is_sound(&bytes), SMALL & (1 << y) != 0, "-{y}");
    }
    // RFC 8032, section 7.1, tests 1 and 2.
    for hex in [
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    ] {
        assert!(is_sound(&point(hex)), "{hex}");
    }
}

#[test]
fn points_of_small_order_and_second_forms_are_refused() {
    for hex in [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        // 0, 1 and 3 again, above the prime.
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ] {
        let mut bytes = point(hex);
        assert!(!is_sound(&bytes), "{hex}");
        bytes[31] |= 0x80;
        assert!(!is_sound(&bytes), "-{hex}");
    }
}
