//! The plant: its model, and a server with clients.

mod bench;
mod clients;
mod gateway;
mod groups;
mod hostile;
mod octets;
mod programs;
mod simulation;
mod watching;
