//! Runs the server tests of other files with a thread for each connection, because the behaviour of
//! an ORB must not depend on its threads. `armilla_tests::orbs` refers to the name of this file.

#[path = "same_process/asynchronous_local.rs"]
mod asynchronous_local;
#[path = "calls/callers.rs"]
mod callers;
#[path = "calls/concurrency.rs"]
mod concurrency;
#[path = "hostile/input/mod.rs"]
mod input;
#[path = "calls/parameters.rs"]
mod parameters;
#[path = "failures/servers_gone/mod.rs"]
mod servers_gone;
#[path = "failures/shutdown.rs"]
mod shutdown;
