//! The handshake of a new stream: the connecting side makes the memory and passes its descriptor
//! over the socket, without waiting for an answer.

use super::region::{CAPACITIES, Region};
use crate::StreamOptions;
use crate::unix::passing::expect;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    self, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;

/// What a greeting begins with; the last byte is the version.
const MAGIC: [u8; 8] = *b"ARMSHM\0\x02";

/// The greeting of a peer that connects to a same-host endpoint and wants the socket itself.
const SOCKET_MAGIC: [u8; 8] = *b"ARMSOC\0\x01";

/// What a peer has said first.
#[derive(Debug)]
pub(super) enum Greeting {
    /// It shares this memory; or that, which this process cannot have.
    Memory(io::Result<Region>),
    /// It wants the socket itself.
    Socket,
}

/// The magic, and the binary logarithms of the two capacities, that of the sender's ring first.
const LENGTH: usize = 10;

/// The capacity of a ring unless the options say otherwise: so much that two sides that sleep
/// seldom have to. Its pages are taken from the system when they are first used.
const CAPACITY: usize = 1 << 20;

/// The memory for a new stream, before it is [offered](Self::offer) to the acceptor. Our bytes go
/// through ring 0.
pub(super) struct Memory {
    pub(super) region: Region,
    file: OwnedFd,
    capacities: [usize; 2],
}

/// Makes the memory for a new stream.
pub(super) fn memory(options: &StreamOptions) -> io::Result<Memory> {
    let capacities = [capacity(options.send_buffer), capacity(options.recv_buffer)];
    let (region, file) = Region::create(capacities)?;
    Ok(Memory { region, file, capacities })
}

impl Memory {
    /// Passes it to the acceptor at the other end of `socket`.
    pub(super) fn offer(&self, socket: BorrowedFd<'_>) -> io::Result<()> {
        let mut greeting = [0; LENGTH];
        greeting[..8].copy_from_slice(&MAGIC);
        for (byte, capacity) in greeting[8..].iter_mut().zip(self.capacities) {
            *byte = capacity.ilog2() as u8;
        }
        let files = [self.file.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !control.push(SendAncillaryMessage::ScmRights(&files)) {
            return Err(io::Error::other("no room for the descriptor"));
        }
        // A new connection has room for a few bytes.
        net::sendmsg(socket, &[IoSlice::new(&greeting)], &mut control, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

/// Takes the memory that the connecting side has passed; `None` if it has not yet. The peer's bytes
/// come through ring 0.
///
/// # Errors
/// [`io::ErrorKind::ConnectionReset`] if the peer has gone; [`io::ErrorKind::InvalidData`] if it
/// violates the handshake; exhausted descriptors, after which this may be tried again.
pub(super) fn accept(socket: BorrowedFd<'_>) -> io::Result<Option<Region>> {
    match accept_any(socket)? {
        None => Ok(None),
        Some(Greeting::Memory(region)) => region.map(Some),
        Some(Greeting::Socket) => Err(wrong_version()),
    }
}

/// Says that the socket itself is to carry the bytes.
pub(super) fn offer_socket(socket: BorrowedFd<'_>) -> io::Result<()> {
    let mut greeting = [0; LENGTH];
    greeting[..8].copy_from_slice(&SOCKET_MAGIC);
    net::send(socket, &greeting, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// What the connecting side has said; `None` if it has not yet.
///
/// # Errors
/// Those of [`accept`].
pub(super) fn accept_any(socket: BorrowedFd<'_>) -> io::Result<Option<Greeting>> {
    expect(socket, 1)?;
    let mut greeting = [0; LENGTH];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let count = loop {
        match net::recvmsg(socket, &mut [IoSliceMut::new(&mut greeting)], &mut control, flags) {
            Ok(message) => break message.bytes,
            Err(Errno::AGAIN) => return Ok(None),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    };
    let invalid = |reason| Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    match (count, descriptor(control)) {
        (0, _) => Err(io::ErrorKind::ConnectionReset.into()),
        (LENGTH, None) if greeting[..8] == SOCKET_MAGIC => Ok(Some(Greeting::Socket)),
        (LENGTH, _) if greeting[..8] != MAGIC => Err(wrong_version()),
        (LENGTH, Some(file)) => {
            // An exponent beyond the word's width gives a capacity of 0, which is refused.
            let capacity = |exponent: u8| 1_usize.checked_shl(exponent.into()).unwrap_or(0);
            let capacities = [capacity(greeting[8]), capacity(greeting[9])];
            match Region::open(file.as_fd(), capacities) {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(error),
                region => Ok(Some(Greeting::Memory(region))),
            }
        }
        (LENGTH, None) => invalid("the peer passed no memory"),
        _ => invalid("the peer's greeting is too short"),
    }
}

#[cold]
fn wrong_version() -> io::Error {
    let reason = "the peer does not speak this version of the shared-memory transport";
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

/// The one descriptor of a message.
fn descriptor(mut control: RecvAncillaryBuffer<'_>) -> Option<OwnedFd> {
    control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    })
}

/// The capacity for a queue size of the options.
fn capacity(wanted: Option<usize>) -> usize {
    let wanted = wanted.unwrap_or(CAPACITY).clamp(*CAPACITIES.start(), *CAPACITIES.end());
    wanted.next_power_of_two()
}
