//! Runs the server tests of other files with all connections in the reactor, because the behaviour
//! of an ORB must not depend on its threads. `armilla_tests::orbs` refers to the name of this file.

#[path = "asynchronous_local.rs"]
mod asynchronous_local;
#[path = "callers.rs"]
mod callers;
#[path = "calls.rs"]
mod calls;
#[path = "concurrency.rs"]
mod concurrency;
#[path = "failures/main.rs"]
mod failures;
#[path = "hostile/main.rs"]
mod hostile;
#[path = "shutdown.rs"]
mod shutdown;
#[path = "transports.rs"]
mod transports;
