//! Work of a page that waits.

/// Runs `work`, which may wait for a disk or another process, in a thread where it holds up no
/// other page. `None` if it panicked or the console ended.
pub async fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
