#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod locks;
mod operators;
#[cfg(feature = "server")]
pub mod server;

#[allow(missing_docs)]
mod idl {
    pub(crate) mod concurrency {
        armilla::include_idl!("CosConcurrencyControl");
    }
}
