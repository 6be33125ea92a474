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
    let identities = limits.map(|limit| Identity::new(&ServedLimit::compile(&limit, 0)).words);
    for (index, identity) in identities.iter().enumerate() {
        assert!(!identities[..index].contains(identity), "{index}");
    }
}

#[test]
fn the_id_of_a_rolling_window_is_never_that_of_a_word() {
    let rows = [
        (Algorithm::Rolling {}, [ROLLING; 4]),
        (Algorithm::Gcra { burst: 1 }, [GCRA, GCRA, GCRA, LONG]),
        (
            Algorithm::Fixed {
                zone: None,
                anchor: None,
            },
            [SECOND, MINUTE, OTHER, LONG],
        ),
    ];
    let windows = ["second", "minute", "59 minutes", "hour"];
    for (algorithm, expected) in rows {
        let kinds = windows.map(|window| {
            let window = Window::parse(window).unwrap();
            let limit = Limit {
                algorithm: algorithm.clone(),
                ..Limit::requests(Per::API, 1, window)
            };
            Identity::new(&ServedLimit::compile(&limit, 0)).id(&[7; 16], &[1]) & KIND_BITS
        });
        assert_eq!(kinds, expected, "{algorithm:?}");
    }
}
