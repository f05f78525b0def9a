//! A buffer for several datagrams that one system call receives.

use crate::sys::MAX_BATCH;

/// Room for datagrams, used again for every reception: no reception allocates.
///
/// ```
/// use armilla_ipc::datagram::{Batch, Datagram};
/// use armilla_ipc::udp::UdpSocket;
///
/// let receiver = UdpSocket::bind("127.0.0.1:0".parse().unwrap())?;
/// let sender = UdpSocket::bind("127.0.0.1:0".parse().unwrap())?;
/// let to = receiver.local()?;
/// assert_eq!(sender.send_batch(&[(b"one", &to), (b"two", &to)])?, 2);
///
/// let mut batch = Batch::new(16, 1500);
/// let mut count = 0;
/// while count < 2 {
///     count += receiver.recv_batch(&mut batch)?;
///     for arrival in batch.iter() {
///         println!("{:?} from {:?}", arrival.bytes, arrival.from);
///     }
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Batch<A> {
    pub(super) buffer: Vec<u8>,
    pub(super) size: usize,
    pub(super) arrived: Vec<Record<A>>,
}

#[derive(Debug)]
pub(super) struct Record<A> {
    pub(super) length: usize,
    pub(super) truncated: bool,
    pub(super) from: Option<A>,
}

/// One datagram of a [`Batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival<'a, A> {
    /// What stands in it, as far as it fitted.
    pub bytes: &'a [u8],
    /// It was longer than the room for it; the rest is lost.
    pub truncated: bool,
    /// The sender's address; `None` if it has none.
    pub from: Option<&'a A>,
}

impl<A> Batch<A> {
    /// Room for `count` datagrams, 1 to 64, of up to `size` bytes each.
    pub fn new(count: usize, size: usize) -> Self {
        let (count, size) = (count.clamp(1, MAX_BATCH), size.max(1));
        let arrived = Vec::with_capacity(count);
        Self { buffer: vec![0; count.saturating_mul(size)], size, arrived }
    }

    /// The datagrams of the last reception, in the order of their arrival.
    pub fn iter(&self) -> impl Iterator<Item = Arrival<'_, A>> {
        let rooms = self.buffer.chunks_exact(self.size);
        rooms.zip(&self.arrived).map(|(room, record)| Arrival {
            bytes: &room[..record.length],
            truncated: record.truncated,
            from: record.from.as_ref(),
        })
    }

    /// How many datagrams the last reception brought.
    pub fn len(&self) -> usize {
        self.arrived.len()
    }

    /// Whether nothing has been received yet.
    pub fn is_empty(&self) -> bool {
        self.arrived.is_empty()
    }
}
