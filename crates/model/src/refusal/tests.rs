use super::*;

#[test]
fn a_refusal_is_found_again_by_its_number() {
    for &refusal in REFUSALS {
        assert_eq!(Refusal::from_number(refusal.number()), Some(refusal));
    }
    assert_eq!(Refusal::from_number(0), None);
    assert_eq!(Refusal::from_number(u8::MAX), None);
}

#[test]
fn a_code_names_one_cause_and_begins_with_a_room() {
    const ROOMS: [&str; 8] = [
        "listener",
        "route",
        "authenticate",
        "authorize",
        "admit",
        "cache",
        "mediate",
        "upstream",
    ];
    for refusal in REFUSALS {
        let facts = refusal.facts();
        let room = facts.code.split('.').next().unwrap();
        assert!(
            ROOMS.contains(&room) || facts.code == "internal",
            "{}",
            facts.code
        );
        let same = REFUSALS
            .iter()
            .filter(|other| other.facts().code == facts.code);
        let expected = if facts.code == "route.no_operation" {
            2
        } else {
            1
        };
        assert_eq!(same.count(), expected, "{}", facts.code);
    }
}
