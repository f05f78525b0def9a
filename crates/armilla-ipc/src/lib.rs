//! Typed endpoints over an operating system's interprocess communication.
