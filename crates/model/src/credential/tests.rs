use super::*;

#[test]
fn a_token_ends_within_the_maximum_and_with_the_token_that_made_it() {
    let term = AccessTokenTerm {
        now_us: 100,
        end_max_us: 500,
        parent_end_us: None,
    };
    let young = AccessTokenTerm {
        parent_end_us: Some(300),
        ..term
    };
    let code = |end: Result<i64, Fault>| end.unwrap_err().code;
    assert_eq!(term.end(None), Ok(500));
    assert_eq!(term.end(Some(500)), Ok(500));
    assert_eq!(young.end(None), Ok(300));
    assert_eq!(young.end(Some(300)), Ok(300));
    assert_eq!(code(term.end(Some(100))), "access_token.expired");
    assert_eq!(code(term.end(Some(501))), "access_token.too_long");
    assert_eq!(code(young.end(Some(301))), "access_token.outlives");
    assert_eq!(access_token_end_max(i64::MAX, 3_650), i64::MAX);
}
