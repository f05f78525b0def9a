//! Input that is made to harm: messages and types.

mod hostile_types;
mod input;
