use super::*;

#[test]
fn a_place_is_the_same_as_long_as_it_is_held_and_then_another_targets() {
    let (mut places, pools) = (Places::default(), Pools::new(&Rc::default()));
    let one = places.find("a", 80);
    assert!(Arc::ptr_eq(&one, &places.find("a", 80)));
    let two = places.find("a", 81);
    let pool = pools.find(&one);
    assert!(Rc::ptr_eq(&pool, &pools.find(&one)));
    assert!(!Rc::ptr_eq(&pool, &pools.find(&two)));

    let index = one.index;
    drop(one);
    places.release();
    let three = places.find("b", 80);
    assert_eq!(three.index, index);
    // Before any sweep: no call gets the connections of another target.
    assert!(!Rc::ptr_eq(&pool, &pools.find(&three)));
    let four = places.find("a", 80);
    assert!(![two.index, three.index].contains(&four.index));
}

#[test]
fn a_sweep_closes_the_pools_of_places_that_nobody_holds() {
    let (mut places, pools) = (Places::default(), Pools::new(&Rc::default()));
    let (one, two) = (places.find("a", 80), places.find("b", 80));
    let (gone, kept) = (pools.find(&one), pools.find(&two));
    drop(one);
    pools.sweep();
    assert_eq!((Rc::strong_count(&gone), Rc::strong_count(&kept)), (1, 2));
}

#[test]
fn a_place_that_comes_back_before_its_release_keeps_its_index_alone() {
    let mut places = Places::default();
    let index = places.find("a", 80).index;
    let again = places.find("a", 80);
    let other = places.find("b", 80);
    assert_eq!(again.index, index);
    assert_ne!(other.index, index);
}
