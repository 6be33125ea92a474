use std::time::Instant;

use super::*;

#[tokio::test]
async fn an_unknown_user_costs_as_much_as_a_known_one_and_never_matches() {
    let passwords = Passwords::default();
    let phc = passwords.hash("a long password".to_owned()).await.unwrap();
    let timed = async |phc: Option<String>| {
        let begun = Instant::now();
        let fits = passwords.verify("a long passwort".to_owned(), phc).await;
        assert!(!fits.unwrap());
        begun.elapsed()
    };
    let mut somebody = Vec::new();
    let mut nobody = Vec::new();
    for _ in 0..5 {
        somebody.push(timed(Some(phc.clone())).await);
        nobody.push(timed(None).await);
    }
    // A hash that does not parse would be rejected in microseconds.
    assert!(nobody.iter().min() > somebody.iter().min().map(|it| *it / 2).as_ref());
}
