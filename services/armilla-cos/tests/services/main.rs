//! The services without locks: what the standards say of them, and what outlives the process.

mod corpus;
mod lifecycle;
mod properties;
mod property_store;
mod time;
mod timers;
