use tollgate_model::plan::{Algorithm, Limit, Per};

use super::*;

#[test]
fn a_plan_is_not_mistaken_for_another_part_of_its_limit() {
    let plain = || Limit::requests(Per::OPERATION, 1, Window::DAY);
    let of_plans = |plans: &[&str]| Limit {
        plans: Some(plans.iter().map(|&it| it.to_owned()).collect()),
        ..plain()
    };
    let anchored = Limit {
        algorithm: Algorithm::Fixed {
            zone: None,
            anchor: Some("2026-01-31".to_owned()),
        },
        ..plain()
    };
    let otherwise = Limit {
        otherwise: true,
        ..plain()
    };
    let limits = [
        plain(),
        anchored,
        otherwise,
        of_plans(&["2026-01-31"]),
        of_plans(&["otherwise"]),
        of_plans(&["gold"]),
        of_plans(&["gold", "plan"]),
    ];
    let identities = limits.map(|limit| of(&ServedLimit::compile(&limit, 0)));
    for (index, identity) in identities.iter().enumerate() {
        assert!(!identities[..index].contains(identity), "{index}");
    }
}
