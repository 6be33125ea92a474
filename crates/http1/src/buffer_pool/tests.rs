use super::*;

#[test]
fn message_buffers_are_reused_unless_they_grew_too_large() {
    let blocks = Rc::new(BufferPool::default());
    let mut message = blocks.message();
    message.resize(MESSAGE_BYTES_MAX, b'x');
    drop(message);
    let message = blocks.message();
    assert!(message.is_empty());
    assert!(message.capacity() >= MESSAGE_BYTES_MAX);
    assert!(blocks.scratch().capacity() < MESSAGE_BYTES_MAX);
    let mut other = blocks.message();
    other.resize(MESSAGE_BYTES_MAX + 1, b'x');
    drop((message, other));
    assert_eq!(blocks.messages.borrow().len(), 1);
}

#[test]
fn free_message_buffers_are_bounded() {
    let blocks = Rc::new(BufferPool::default());
    let in_use: Vec<_> = (0..2 * MESSAGES_FREE_MAX)
        .map(|_| blocks.message())
        .collect();
    drop(in_use);
    assert_eq!(blocks.messages.borrow().len(), MESSAGES_FREE_MAX);
}
