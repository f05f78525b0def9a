//! Flows from end to end.

mod asynchronous;
mod common;
mod corpus;
mod cuts;
mod flows;
mod kept;
mod listeners;
mod protected;
mod stalls;
