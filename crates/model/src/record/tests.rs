use std::time::Duration;

use super::*;

#[test]
fn a_record_fits_its_place_in_the_ring() {
    let bytes = size_of::<Record>();
    assert!(bytes <= 144, "{bytes} bytes");
}

#[test]
fn parts_of_a_byte_are_read_as_they_were_put_together() {
    for by in AnsweredBy::ALL {
        for cache in CacheUse::ALL {
            let answered = Answered::new(by, cache);
            assert_eq!((answered.by(), answered.cache()), (by, cache));
            assert_eq!(Answered::from_number(answered.number()), Some(answered));
        }
    }
    assert_eq!(Answered::from_number(0x60), None);
    assert_eq!(Answered::from_number(0x05), None);
    let mut flags = Flags::default();
    flags.set(Flags::OVER, true);
    flags.set(Flags::CUT, true);
    flags.set(Flags::OVER, false);
    assert!(flags.has(Flags::CUT) && !flags.has(Flags::OVER));
    assert_eq!(Flags::from_bits(16), None);
}

#[test]
fn a_request_id_has_the_numbers_that_it_was_made_of() {
    let numbers = (0..1_000).chain([u64::MAX, 1 << 63, 0x0123_4567_89ab_cdef]);
    for number in numbers {
        let worker = !number ^ 0x5555;
        assert_eq!(request_parts(request_id(worker, number)), (worker, number));
    }
}

#[test]
fn a_limit_is_known_by_its_owner_and_its_index() {
    for (owner, index) in [(Owner::Plan, 0), (Owner::Response, 8_191)] {
        let by = RefusedBy::new(owner, index);
        assert_eq!((by.owner(), usize::from(by.index())), (owner, index));
        assert_eq!(RefusedBy::from_number(by.number()), Some(by));
    }
    assert_eq!(RefusedBy::new(Owner::Plan, 1 << 20).index(), 8_191);
    assert_eq!(RefusedBy::from_number(3), None);
}

#[test]
fn a_time_that_was_taken_is_never_none() {
    assert_eq!(ShortTime::default().ns(), None);
    assert_eq!(ShortTime::of(Duration::ZERO).ns(), Some(100));
    assert_eq!(ShortTime::of(Duration::from_secs(1)).ns(), Some(6_553_500));
}
