use super::*;

#[test]
fn a_run_is_about_the_side_of_ours_that_speaks_most_tls() {
    let ours_of = |sides: &[&str]| ours(|side| sides.contains(&side));
    assert_eq!(ours_of(&["nginx-plain"]), "tollgate");
    assert_eq!(ours_of(&["tollgate", "tollgate-https"]), "tollgate-https");
    let all = ["tollgate-https", "nginx-https-both", "tollgate-https-both"];
    assert_eq!(ours_of(&all), "tollgate-https-both");
}

#[test]
fn a_name_says_where_tls_is_spoken() {
    for (side, expected) in [
        ("direct", Some((false, false))),
        ("direct-https", Some((true, false))),
        ("tollgate", Some((false, false))),
        ("tollgate-https", Some((true, false))),
        ("tollgate-https-both", Some((true, true))),
        ("nginx-https", None),
    ] {
        let https = Https::of(side);
        let spoken = https.map(|it| (it.has_callers(), it.has_back_end()));
        assert_eq!(spoken, expected, "{side}");
    }
}
