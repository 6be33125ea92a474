use super::*;

#[test]
fn a_record_fits_its_place_in_the_ring() {
    let bytes = size_of::<Record>();
    assert!(bytes <= 144, "{bytes} bytes");
    assert_eq!(size_of::<AnsweredBy>(), 1);
}
