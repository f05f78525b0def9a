//! The tests of replicated groups.

mod corpus;
mod manager_crashes;
mod managers;
mod members;
mod savings;
mod simulation;
