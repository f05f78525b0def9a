//! Asynchronous calls to other processes: their results, limits and policies.

mod asynchronous_limits;
mod asynchronous_policies;
mod asynchronous_resolving;
mod replies;
