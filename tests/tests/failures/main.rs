//! Failures: of the peer, the network, the servant and the program; and the end of an ORB.

mod callbacks;
mod groups;
mod outcomes;
mod selectors;
mod servers_gone;
mod shutdown;
mod silent;
