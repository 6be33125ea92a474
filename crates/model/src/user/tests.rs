use super::*;

#[test]
fn disabling_a_user_with_live_keys_needs_a_decision_on_them() {
    use KeyDecision::{Keep, Resume, Suspend};
    let code = |decision, is_asked, was_disabled, live_keys| {
        let disabling = Disabling {
            is_asked,
            was_disabled,
            live_keys,
        };
        key_decision_fault(decision, disabling).map(|fault| fault.code)
    };
    let missing = code(None, true, false, 1);
    assert_eq!(missing.as_deref(), Some("user.credentials_missing"));
    assert_eq!(code(None, true, false, 0), None, "no keys, no decision");
    assert_eq!(
        code(None, true, true, 1),
        None,
        "decided when the user was disabled"
    );
    assert_eq!(code(None, false, false, 1), None);
    for decision in [Keep, Suspend] {
        assert_eq!(code(Some(decision), true, false, 0), None);
        assert_eq!(code(Some(decision), true, true, 1), None);
        let misplaced = code(Some(decision), false, false, 1);
        assert_eq!(misplaced.as_deref(), Some("user.credentials"));
    }
    assert_eq!(code(Some(Resume), false, true, 0), None);
    let misplaced = code(Some(Resume), true, false, 1);
    assert_eq!(misplaced.as_deref(), Some("user.credentials"));
}
