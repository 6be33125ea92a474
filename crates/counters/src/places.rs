//! Calls at the same time: the lower half of a counter's word is how many there are.

use crate::judgement::{Admission, Judgement, Shortfall, Wait, Word};

/// Judges one more call, by the counter's word.
pub(crate) fn judge(amount: u64, word: Word) -> Judgement {
    let held = word.low;
    if held >= amount {
        return Err(Shortfall {
            wait: Wait::Release,
            settled: None,
        });
    }
    Ok(Admission {
        word: Word {
            low: held + 1,
            ..word
        },
        remaining: amount - held - 1,
        reset_us: 0,
        is_over: false,
    })
}

/// The word with one call less.
pub(crate) fn released(word: Word) -> Option<Word> {
    let low = word.low.checked_sub(1)?;
    Some(Word { low, ..word })
}
