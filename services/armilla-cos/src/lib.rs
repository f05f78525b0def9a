#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod lifecycle;
pub mod locks;
mod operators;
pub mod properties;
#[cfg(feature = "disk")]
mod record;
#[cfg(feature = "server")]
pub mod server;
pub mod time;
pub mod timers;

#[allow(missing_docs)]
mod idl {
    pub(crate) mod concurrency {
        armilla::include_idl!("CosConcurrencyControl");
    }
    pub(crate) mod lifecycle {
        armilla::include_idl!("CosLifeCycle");
    }
    pub(crate) mod properties {
        armilla::include_idl!("CosPropertyService");
    }
    pub(crate) mod time {
        armilla::include_idl!("CosTime");
    }
}
