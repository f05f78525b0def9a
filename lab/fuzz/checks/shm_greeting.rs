//! The greeting of a peer that offers shared memory, with files of every kind.

/// The crate checks itself, for the greeting is its own matter.
pub(crate) fn check(data: &[u8]) {
    armilla_ipc::shm::trial::greeting(data);
}
