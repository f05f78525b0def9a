//! Transactions between ORBs: they travel, end together, and are finished after a restart.

mod bank_world;
mod commits;
mod corpus;
mod kills;
mod page;
mod policies;
mod recovery;
mod references;
mod replays;
mod silence;
mod subtransactions;
