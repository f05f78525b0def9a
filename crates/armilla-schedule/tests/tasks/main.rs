//! Tasks: their analysis, their simulation, and how they are dispatched.

mod chains;
mod corpus;
mod dispatching;
mod executive;
mod faults;
mod published;
mod several_threads;
mod simulated;
mod support;
