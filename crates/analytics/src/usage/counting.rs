//! Counts the calls that earlier processes have left in the spool.

use std::io;
use std::sync::Arc;

use tokio::time::sleep;

use super::{FLUSH_EVERY, RETRY_MAX, Usage, lock, now_us};
use crate::UsageError;
use crate::replay::{Chunk, Replay};
use crate::threads::COUNTING;
use crate::upkeep::Progress;

/// The calls that are left to count.
#[derive(Debug)]
pub(super) struct Left {
    /// `None` once all are read.
    replay: Option<Replay>,
    /// A chunk that may not be written yet.
    chunk: Option<Arc<Chunk>>,
}

impl Left {
    pub(super) fn new(replay: Replay) -> Self {
        Self {
            replay: Some(replay),
            chunk: None,
        }
    }

    /// Returns the chunk that may not be written yet, or the next one; `None` at the end.
    ///
    /// # Errors
    /// The system's, if the spool cannot be read now.
    fn read(&mut self) -> io::Result<Option<Arc<Chunk>>> {
        if self.chunk.is_none() {
            let next = self.replay.as_mut().map_or(Ok(None), Replay::next)?;
            self.chunk = next.map(Arc::new);
        }
        if self.chunk.is_none() {
            self.replay = None;
        }
        Ok(self.chunk.clone())
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
        let left = Arc::clone(&self.0.left);
        let read = COUNTING.spawn(move || lock(&left).read()).await;
        let read = read.map_err(|error| UsageError::Other(error.into()))?;
        let Some(chunk) = read.map_err(|error| UsageError::Other(error.into()))? else {
            *lock(&self.0.counted_to_us) = None;
            return Ok(Progress::Done);
        };
        self.write_chunk(&chunk).await?;
        lock(&self.0.left).chunk = None;
        *lock(&self.0.counted_to_us) = Some(chunk.to_us);
        Ok(Progress::More)
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
