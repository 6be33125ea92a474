use std::rc::Rc;

use tokio::runtime::{Builder, LocalOptions};
use tokio::task::{JoinHandle, spawn_local};

use super::*;

const WAITING: usize = 3 * TOGETHER + 1;

#[derive(Debug, Default)]
struct Rig {
    turns: Turns,
    /// The loop turn in which each one began.
    begun: RefCell<Vec<(usize, u64)>>,
    loops: Cell<u64>,
}

/// Runs `test` on a worker's runtime, with turns that are given and loop turns that are counted.
fn run<F: Future<Output = ()>>(test: impl FnOnce(Rc<Rig>) -> F) {
    let options = LocalOptions::default();
    let runtime = Builder::new_current_thread().build_local(options);
    runtime.unwrap().block_on(async {
        let rig = Rc::<Rig>::default();
        let giving = Rc::clone(&rig);
        spawn_local(async move { giving.turns.give().await });
        let counting = Rc::clone(&rig);
        spawn_local(async move {
            loop {
                yield_now().await;
                counting.loops.set(counting.loops.get() + 1);
            }
        });
        test(rig).await;
    });
}

fn wait(rig: &Rc<Rig>, at: usize) -> JoinHandle<()> {
    let rig = Rc::clone(rig);
    spawn_local(async move {
        rig.turns.wait().await;
        rig.begun.borrow_mut().push((at, rig.loops.get()));
    })
}

#[test]
fn a_few_begin_in_each_turn_of_the_loop_the_longest_waiting_first() {
    run(async |rig| {
        let waiting: Vec<_> = (0..WAITING).map(|at| wait(&rig, at)).collect();
        for it in waiting {
            it.await.unwrap();
        }
        let begun = rig.begun.take();
        assert!(begun.iter().map(|(at, _)| *at).eq(0..WAITING));
        let mut loops: Vec<_> = begun.iter().map(|(_, turn)| *turn).collect();
        for together in begun.chunk_by(|(_, a), (_, b)| a == b) {
            assert!(together.len() <= TOGETHER, "{}", together.len());
        }
        loops.dedup();
        assert_eq!(loops.len(), WAITING.div_ceil(TOGETHER));
    });
}

#[test]
fn one_that_no_longer_waits_keeps_nobody_from_a_turn() {
    run(async |rig| {
        let waiting: Vec<_> = (0..WAITING).map(|at| wait(&rig, at)).collect();
        yield_now().await;
        let (left, kept): (Vec<_>, Vec<_>) = (0..).zip(waiting).partition(|(at, _)| at % 3 == 0);
        for (_, it) in &left {
            it.abort();
        }
        for (_, it) in kept {
            it.await.unwrap();
        }
        // After a pause turns are given again.
        wait(&rig, WAITING).await.unwrap();
        assert!(rig.begun.take().iter().any(|(at, _)| *at == WAITING));
    });
}
