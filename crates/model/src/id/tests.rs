use super::*;

#[test]
fn an_id_reads_back_from_its_text_and_sorts_by_time() {
    let early = ApiId::new(1_800_000_000_000, 0x3f_ffff);
    let late = ApiId::new(1_800_000_000_001, 0);
    assert!(early < late);
    assert!(early.to_string() < late.to_string());
    assert_eq!(early.to_string().parse(), Ok(early));
}

#[test]
fn an_id_of_another_kind_or_shape_is_refused() {
    let text = ApiId::new(1_800_000_000_000, 7).to_string();
    assert!(text.parse::<PlanId>().is_err());
    for wrong in [
        "",
        "api_",
        "api_0",
        "api_00000000000",
        "api_zzzzzzzzzzz",
        "api_0000000000-",
    ] {
        assert!(wrong.parse::<ApiId>().is_err(), "{wrong}");
    }
}

#[test]
fn an_id_that_may_be_absent_takes_no_more_space() {
    assert_eq!(size_of::<Option<ApiId>>(), size_of::<i64>());
}
