//! Counts the calls that earlier processes have left in the spool.

use std::sync::Arc;

use tokio::time::sleep;

use super::{FLUSH_EVERY, RETRY_MAX, Usage, lock, now_us};
use crate::backlog::epochs;
use crate::cube::COUNT;
use crate::levels::Marks;
use crate::replay::Chunk;
use crate::{UsageError, levels, reached};

impl Usage {
    /// Counts the calls that earlier processes have left in the spool.
    pub(super) async fn count_backlog(&self) {
        let mut pause = FLUSH_EVERY;
        loop {
            let taken = lock(&self.0.replay).take();
            let Some(mut replay) = taken else {
                return;
            };
            let Some(marks) = self.load_marks().await else {
                *lock(&self.0.replay) = Some(replay);
                sleep(pause).await;
                pause = (pause * 2).min(RETRY_MAX);
                continue;
            };
            let read = move || {
                let chunk = replay.next(&marks);
                (replay, chunk)
            };
            let Ok((replay, chunk)) = tokio::task::spawn_blocking(read).await else {
                tracing::error!("the thread that reads the spool panicked: calls are missing");
                return;
            };
            let Some(chunk) = chunk else {
                *lock(&self.0.counted_to_us) = None;
                self.forget_epochs().await;
                return;
            };
            let mut pause = FLUSH_EVERY;
            while let Err(error) = self.write_chunk(&chunk).await {
                tracing::warn!(%error, "calls of the spool could not be counted; this is retried");
                sleep(pause).await;
                pause = (pause * 2).min(RETRY_MAX);
            }
            *lock(&self.0.counted_to_us) = Some(chunk.to_us);
            *lock(&self.0.replay) = Some(replay);
        }
    }

    /// Forgets epochs of which the spool has nothing any more.
    async fn forget_epochs(&self) {
        let spool = Arc::clone(&self.0.spool);
        let epochs = tokio::task::spawn_blocking(move || epochs(spool.folder())).await;
        let mut writer = self.0.writer.lock().await;
        let (Ok(epochs), Ok(mut connection)) = (epochs, writer.connect().await) else {
            return;
        };
        match reached::keep_only(&mut connection, &epochs).await {
            Ok(()) => writer.release(connection),
            Err(error) => tracing::debug!(%error, "old places in the spool stay"),
        }
    }

    async fn load_marks(&self) -> Option<[Marks; COUNT]> {
        let mut reader = self.0.readers.acquire().await.ok()?;
        levels::load(&mut reader).await.ok()
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
