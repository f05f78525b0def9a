//! A UDP socket with one peer.

use crate::datagram::{Batch, ConnectedDatagram, Endpoint, Received, roles};
use crate::option::has_options;
use rustix::fd::{AsFd, BorrowedFd};
use std::io::{self, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::time::Duration;

/// A UDP socket with one peer, made by [`UdpSocket::connect`](super::UdpSocket::connect).
#[derive(Debug)]
pub struct ConnectedUdp {
    pub(super) endpoint: Endpoint<SocketAddr>,
}

roles!(ConnectedDatagram for ConnectedUdp, SocketAddr);
has_options!(ConnectedUdp: SendBuffer, RecvBuffer, BusyPoll, Priority, Dscp);
