//! What other files check of a server, once more with all connections in the reactor: what an ORB does must
//! not depend on which threads do it. `armilla_tests::orbs` knows this file by its name.

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
