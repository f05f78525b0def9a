//! The protocol in a world that fails: a network, disks and processes under a seed.

mod check;
mod crashes;
mod mistakes;
mod node;
mod resource;
mod rules;
mod seeds;
mod world;
