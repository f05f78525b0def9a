//! Clients and servers over plain sockets: who comes in, by what, and what the others are told.

mod access;
mod contexts;
mod corpus;
mod errors;
mod identity;
mod late;
mod limits;
mod passwords;
mod protected;
mod world;
