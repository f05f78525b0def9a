//! The tests of replicated groups.

mod active;
mod corpus;
mod large;
mod manager_crashes;
mod managers;
mod members;
mod page;
mod reads;
mod savings;
mod simulation;
