use super::Status::{Active, Blocked, BlockedProduction, Pending, Rejected};
use super::{STATUSES, Status};

#[test]
fn a_status_is_followed_only_by_those_of_the_table() {
    let table = [
        (Pending, Active),
        (Pending, Rejected),
        (Rejected, Active),
        (Rejected, Pending),
        (Active, Blocked),
        (Active, BlockedProduction),
        (Blocked, Active),
        (Blocked, BlockedProduction),
        (BlockedProduction, Active),
        (BlockedProduction, Blocked),
    ];
    for from in STATUSES {
        for to in STATUSES {
            let is_allowed = from.require_next(to).is_ok();
            assert_eq!(is_allowed, table.contains(&(from, to)), "{from:?} {to:?}");
        }
    }
    let refused = Active.require_next(Rejected).unwrap_err().to_string();
    let expected = "a subscription that is active cannot become rejected; it can become blocked \
        or blocked_production";
    assert_eq!(refused, expected);
}

#[test]
fn a_new_subscription_evades_neither_a_block_nor_a_decision() {
    let after = |last: Status| STATUSES.map(|new| new.after(last));
    assert_eq!(after(Active), STATUSES);
    assert_eq!(after(Blocked), [Blocked; 5]);
    let mut expected = [BlockedProduction; 5];
    expected[2] = Blocked;
    assert_eq!(after(BlockedProduction), expected);
    let expected = [Pending, Pending, Blocked, BlockedProduction, Rejected];
    assert_eq!(after(Pending), expected);
    assert_eq!(after(Rejected), expected);
}
