use super::*;

#[test]
fn a_head_of_any_length_goes_before_the_body() {
    let blocks = Rc::new(BufferPool::default());
    for length in [
        0,
        1,
        40,
        HEAD_BYTES - 1,
        HEAD_BYTES,
        HEAD_BYTES + 1,
        3 * HEAD_BYTES,
    ] {
        let head = vec![b'h'; length];
        for body in [&b""[..], b"body"] {
            let mut own = OwnBody::new(&blocks);
            assert_eq!(own.body(), b"");
            own.out().extend_from_slice(body);
            assert_eq!(own.body(), body);
            let (first, second) = own.behind(&head);
            assert!(length > HEAD_BYTES || second.is_empty());
            assert_eq!([first, second].concat(), [&head, body].concat());
            own.drop_body();
            assert_eq!(own.body(), b"");
        }
    }
}
