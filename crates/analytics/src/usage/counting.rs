//! Counts the calls that earlier processes have left in the spool.

use tokio::time::sleep;

use super::{FLUSH_EVERY, RETRY_MAX, Usage, lock, now_us};
use crate::UsageError;
use crate::replay::{Chunk, Replay};
use crate::upkeep::Progress;

/// What is left to count.
#[derive(Debug)]
pub(super) struct Left {
    replay: Replay,
    /// What was read and could not be written yet.
    chunk: Option<Chunk>,
}

impl Left {
    pub(super) fn new(replay: Replay) -> Self {
        Self {
            replay,
            chunk: None,
        }
    }
}

impl Usage {
    /// Counts everything that is left, unless it cannot be written now.
    pub(super) async fn count_at_start(&self) {
        loop {
            match self.count_some().await {
                Ok(Progress::More) => {}
                Ok(Progress::Done) => return,
                Err(error) => {
                    tracing::warn!(%error, "calls of the spool are not counted yet");
                    return;
                }
            }
        }
    }

    /// Counts everything that is left.
    pub(super) async fn count_until_done(&self) {
        let mut pause = FLUSH_EVERY;
        loop {
            match self.count_some().await {
                Ok(Progress::More) => pause = FLUSH_EVERY,
                Ok(Progress::Done) => return,
                Err(error) => {
                    tracing::warn!(%error, "calls of the spool are not counted yet");
                    sleep(pause).await;
                    pause = (pause * 2).min(RETRY_MAX);
                }
            }
        }
    }

    /// Counts a part of what is left.
    async fn count_some(&self) -> Result<Progress, UsageError> {
        let taken = lock(&self.0.left).take();
        let Some(mut left) = taken else {
            return Ok(Progress::Done);
        };
        if left.chunk.is_none() {
            let read = move || {
                let chunk = left.replay.next();
                (left, chunk)
            };
            let read = tokio::task::spawn_blocking(read).await;
            let (back, chunk) = read.map_err(|error| UsageError::Other(error.into()))?;
            left = back;
            match chunk {
                Ok(Some(chunk)) => left.chunk = Some(chunk),
                Ok(None) => {
                    *lock(&self.0.counted_to_us) = None;
                    return Ok(Progress::Done);
                }
                Err(error) => {
                    *lock(&self.0.left) = Some(left);
                    return Err(UsageError::Other(error.into()));
                }
            }
        }
        let written = match &left.chunk {
            Some(chunk) => self.write_chunk(chunk).await,
            None => Ok(()),
        };
        if written.is_ok() {
            let chunk = left.chunk.take();
            *lock(&self.0.counted_to_us) = chunk.map(|chunk| chunk.to_us);
        }
        *lock(&self.0.left) = Some(left);
        written.map(|()| Progress::More)
    }

    async fn write_chunk(&self, chunk: &Chunk) -> Result<(), UsageError> {
        let mut writer = self.0.writer.lock().await;
        if writer.batch.is_some() {
            self.write_batch(&mut writer, true).await?;
        }
        let number = {
            let mut memory = lock(&self.0.memory);
            memory.number = writer.next_number();
            memory.number
        };
        writer.write_chunk(chunk, number, now_us()).await
    }
}
