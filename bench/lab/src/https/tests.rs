use super::*;

#[test]
fn the_main_side_of_a_run_is_ours_with_the_most_tls() {
    let ours_of = |sides: &[&str]| ours(|side| sides.contains(&side));
    assert_eq!(ours_of(&["nginx-plain"]), "tollgate");
    assert_eq!(ours_of(&["tollgate", "tollgate-https"]), "tollgate-https");
    let all = ["tollgate-https", "nginx-https-both", "tollgate-https-both"];
    assert_eq!(ours_of(&all), "tollgate-https-both");
}

#[test]
fn the_name_of_a_side_determines_where_it_uses_tls() {
    for (side, expected) in [
        ("direct", Some((false, false))),
        ("direct-https", Some((true, false))),
        ("tollgate", Some((false, false))),
        ("tollgate-https", Some((true, false))),
        ("tollgate-https-both", Some((true, true))),
        ("nginx-https", None),
    ] {
        let https = Https::of_side(side);
        let spoken = https.map(|it| (it.has_callers(), it.has_back_end()));
        assert_eq!(spoken, expected, "{side}");
    }
}
