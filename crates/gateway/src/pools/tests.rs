use super::*;

fn find(places: &mut Places, host: &str, port: u16) -> Arc<Place> {
    let origin = Origin {
        host: host.to_owned(),
        port,
        trust: None,
    };
    places.find(origin).unwrap()
}

#[test]
fn a_place_is_stable_while_held_and_then_reused_for_another_target() {
    let (mut places, pools) = (Places::default(), Pools::new(&Rc::default()));
    let one = find(&mut places, "a", 80);
    assert!(Arc::ptr_eq(&one, &find(&mut places, "a", 80)));
    let two = find(&mut places, "a", 81);
    let pool = pools.find(&one);
    assert!(Rc::ptr_eq(&pool, &pools.find(&one)));
    assert!(!Rc::ptr_eq(&pool, &pools.find(&two)));

    let index = one.index;
    drop(one);
    places.release();
    let three = find(&mut places, "b", 80);
    assert_eq!(three.index, index);
    // Even before a sweep, no call gets the connections of another target.
    assert!(!Rc::ptr_eq(&pool, &pools.find(&three)));
    let four = find(&mut places, "a", 80);
    assert!(![two.index, three.index].contains(&four.index));
}

#[test]
fn a_sweep_closes_the_pools_of_unused_places() {
    let (mut places, pools) = (Places::default(), Pools::new(&Rc::default()));
    let (one, two) = (find(&mut places, "a", 80), find(&mut places, "b", 80));
    let (gone, kept) = (pools.find(&one), pools.find(&two));
    drop(one);
    pools.sweep();
    assert_eq!((Rc::strong_count(&gone), Rc::strong_count(&kept)), (1, 2));
}

#[test]
fn a_place_used_again_before_its_release_keeps_its_index() {
    let mut places = Places::default();
    let index = find(&mut places, "a", 80).index;
    let again = find(&mut places, "a", 80);
    let other = find(&mut places, "b", 80);
    assert_eq!(again.index, index);
    assert_ne!(other.index, index);
}

#[test]
fn connections_with_different_identity_checks_have_separate_pools() {
    let mut places = Places::default();
    let mut of = |trust| {
        let origin = Origin {
            host: "a".to_owned(),
            port: 443,
            trust,
        };
        places.find(origin).unwrap()
    };
    let all = [None, Some(Trust::System), Some(Trust::Anybody)].map(&mut of);
    let indices: std::collections::HashSet<_> = all.iter().map(|place| place.index).collect();
    assert_eq!(indices.len(), 3);
    assert!(Arc::ptr_eq(&all[1], &of(Some(Trust::System))));
}
