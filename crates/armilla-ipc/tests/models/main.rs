//! Models that loom runs in every order of their steps:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p armilla-ipc --test models
//! ```

mod pi_mutex_model;
mod ring_model;
