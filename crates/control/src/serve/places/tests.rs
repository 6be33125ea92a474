use super::*;

#[tokio::test]
async fn one_caller_cannot_hold_the_places_of_others() {
    let places = Places::new(9, 2);
    let take = async |address: &str| {
        let peer = Peer(address.parse().unwrap());
        places.take(places.room().await, peer)
    };
    let first = take("192.0.2.1").await.unwrap();
    let _second = take("::ffff:192.0.2.1").await.unwrap();
    assert!(take("192.0.2.1").await.is_none());
    let _other = take("192.0.2.2").await.unwrap();
    drop(first);
    let _again = take("192.0.2.1").await.unwrap();

    let _one = take("2001:db8:0:1::1").await.unwrap();
    let _two = take("2001:db8:0:1:ffff::2").await.unwrap();
    assert!(take("2001:db8:0:1::3").await.is_none(), "one /64");
    let _next = take("2001:db8:0:2::1").await.unwrap();
    let _loopback = take("::1").await.unwrap();
}
