//! The tests of replicated groups.

mod corpus;
mod members;
mod simulation;
