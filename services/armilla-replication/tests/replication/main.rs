//! The tests of replicated groups.

mod corpus;
mod manager_crashes;
mod managers;
mod members;
mod page;
mod savings;
mod simulation;
