//! Transactions over databases of a real server, which each test starts for itself.

mod branches;
mod crashes;
mod server;
