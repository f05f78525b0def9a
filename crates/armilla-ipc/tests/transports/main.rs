//! Streams, datagrams and descriptors over every transport, and the programs of the README.

mod abstract_unix;
mod address;
#[cfg(feature = "zero-copy")]
mod conformance;
#[cfg(any(feature = "udp", feature = "unix-datagram"))]
mod datagrams;
mod fifo;
mod passing;
mod pipe;
mod pty;
mod readme;
mod resource_exhaustion;
mod same_host;
mod shm;
mod signals;
mod tcp;
mod termination;
mod udp;
mod unix;
mod unix_datagram;

#[path = "../../../../tests/src/alone.rs"]
#[allow(dead_code, unreachable_pub)]
mod alone;
