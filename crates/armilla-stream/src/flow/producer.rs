//! The end that sends.

use super::pace::Pace;
use super::sealed::FromLink;
use super::{FlowEnd, FlowSummary, Link, Part, Receiving, STEP, Sending};
use crate::wire::{Outcome, Receipt, Trailer, WireError};
use crate::{Checksum, FlowControl, FlowSpec, RunningChecksum, StreamError};
use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Instant;

/// The most octets that go out together with what ends a flow.
const TAIL: usize = 16 << 10;

/// The most octets of a chunk: some of them may have to be kept.
const MOST_CHUNK: usize = 256 << 10;

/// The end of a flow that sends its octets.
///
/// What [`Write`] takes goes out at once; the operating system holds the writer back while the
/// consumer does not keep up. [`finish`](Self::finish) waits until the consumer has everything and
/// says so. A producer that is dropped before cuts the flow. Errors of writing contain a
/// [`StreamError`], see [`StreamError::of`].
#[derive(Debug)]
pub struct FlowProducer {
    link: Link,
    /// How many octets are still to be sent, if that was agreed on.
    left: Option<u64>,
    /// Of a chunk that was begun, what the transport has not taken yet. It goes out before all else.
    rest: Vec<u8>,
    checksum: Option<RunningChecksum>,
    pace: Pace,
    ending: Ending,
}

/// What follows the octets.
#[derive(Debug)]
enum Ending {
    Open,
    LastChunk(Part<4>),
    Trailer(Part<{ Trailer::LENGTH }>),
    Receipt(Part<{ Receipt::LENGTH }>),
    Ended,
}

impl FlowEnd for FlowProducer {}

impl FromLink for FlowProducer {
    fn from_link(link: Link) -> Self {
        let needs = link.spec.algorithm != Checksum::None && link.spec.digest.is_empty();
        Self {
            left: link.agreed(),
            rest: Vec::new(),
            checksum: needs.then(|| RunningChecksum::new(link.spec.algorithm)),
            pace: Pace::new(link.spec.rate),
            ending: Ending::Open,
            link,
        }
    }
}

impl FlowProducer {
    /// What was agreed on.
    pub const fn spec(&self) -> &FlowSpec {
        &self.link.spec
    }

    /// Watches and controls this flow.
    pub fn control(&self) -> FlowControl {
        self.link.control.clone()
    }

    /// Sends `count` octets of a file from `offset` on. Over sockets the kernel moves them without a
    /// copy, unless they must be read for a checksum.
    ///
    /// # Errors
    /// The flow broke, was cancelled or timed out; the file is shorter.
    pub fn send_file(&mut self, file: &File, offset: u64, count: u64) -> Result<(), StreamError> {
        let direct = self.left.is_some() && self.checksum.is_none();
        match direct && self.link.carrier.is_spliced() {
            true => self.splice_file(file, offset, count).map_err(StreamError::from),
            false => self.copy_file(file, offset, count),
        }
    }

    fn splice_file(&mut self, file: &File, mut offset: u64, count: u64) -> io::Result<()> {
        self.check_room(count)?;
        let mut rest = count;
        while rest > 0 {
            self.link.prepare()?;
            self.keep_pace();
            let step = usize::try_from(rest).unwrap_or(STEP).min(4 * STEP);
            let step = self.pace.step(step) as u64;
            let sent = self.link.carrier.send_file(file, offset, step);
            let sent = sent.map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => StreamError::File(error).into(),
                _ => self.link.error_of_either(error),
            })?;
            (offset, rest) = (offset + sent, rest - sent);
            self.account(sent);
        }
        Ok(())
    }

    fn copy_file(&mut self, file: &File, mut offset: u64, count: u64) -> Result<(), StreamError> {
        let mut buffer = vec![0; STEP / 4];
        let mut rest = count;
        while rest > 0 {
            let step = usize::try_from(rest).unwrap_or(usize::MAX).min(buffer.len());
            let part = &mut buffer[..step];
            file.read_exact_at(part, offset).map_err(StreamError::File)?;
            self.write_all(part)?;
            (offset, rest) = (offset + step as u64, rest - step as u64);
        }
        Ok(())
    }

    /// Ends the flow, and waits until the consumer has everything.
    ///
    /// # Errors
    /// Fewer octets were sent than agreed on; the flow broke, was cancelled or timed out; the
    /// consumer found another checksum.
    pub fn finish(mut self) -> Result<FlowSummary, StreamError> {
        self.link.prepare()?;
        let carrier = Arc::clone(&self.link.carrier);
        let mut send = |parts: &[IoSlice<'_>]| carrier.stream().send_vectored(parts);
        let mut recv = |octets: &mut [u8]| carrier.stream().recv(octets);
        self.advance_end(&mut send, &mut recv).map_err(StreamError::from)
    }

    /// The same behind these octets, the last ones. They go out together with what ends the flow,
    /// which costs one system call and wakes the consumer once.
    ///
    /// ```
    /// use armilla_stream::{FlowConsumer, FlowOptions, FlowProducer, FlowRequest, FlowSpec, Listener};
    /// use std::io::Read;
    ///
    /// let listener = Listener::builder().unix().start()?;
    /// let send = |producer: Result<FlowProducer, _>| {
    ///     let sent = producer.and_then(|producer| producer.finish_with(b"pixels"));
    ///     assert_eq!(sent.unwrap().octets, 6);
    /// };
    /// let request = FlowRequest::connecting(0);
    /// let (agreement, _) = listener.agree(&request, FlowSpec::sized(6), send)?;
    /// let mut consumer: FlowConsumer = agreement.collect(&FlowOptions::default())?;
    /// let mut pixels = Vec::new();
    /// consumer.read_to_end(&mut pixels)?;
    /// assert_eq!(pixels, b"pixels");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As writing and [`finish`](Self::finish).
    pub fn finish_with(mut self, octets: &[u8]) -> Result<FlowSummary, StreamError> {
        // What is paced goes in steps, and what is left of a chunk goes first.
        let most = if self.pace.is_limited() || !self.rest.is_empty() { 0 } else { TAIL };
        let (first, last) = octets.split_at(octets.len().saturating_sub(most));
        self.write_all(first)?;
        if !last.is_empty() {
            self.send_last(last)?;
        }
        self.finish()
    }

    /// Sends a part of a file as [`send_file`](Self::send_file) does, and ends the flow behind it as
    /// [`finish_with`](Self::finish_with) does.
    ///
    /// # Errors
    /// As these.
    pub fn finish_file(
        mut self,
        file: &File,
        offset: u64,
        count: u64,
    ) -> Result<FlowSummary, StreamError> {
        let mut last = [0; TAIL];
        let last = &mut last[..usize::try_from(count).unwrap_or(TAIL).min(TAIL)];
        let first = count - last.len() as u64;
        self.send_file(file, offset, first)?;
        let beyond = || io::Error::from(io::ErrorKind::InvalidInput);
        let at = offset.checked_add(first).ok_or_else(|| StreamError::File(beyond()))?;
        file.read_exact_at(last, at).map_err(StreamError::File)?;
        self.finish_with(last)
    }

    /// Sends the last octets and what follows them. The flow ends here, whatever comes of it.
    fn send_last(&mut self, octets: &[u8]) -> Result<(), StreamError> {
        let count = octets.len() as u64;
        self.check_room(count)?;
        if self.left.is_some_and(|left| left > count) {
            return Ok(self.write_all(octets)?);
        }
        self.link.prepare()?;
        if let Some(checksum) = &mut self.checksum {
            checksum.update(octets);
        }
        // The trailer counts them, too.
        self.link.control.moved(count);
        let (head, trailer) = ((octets.len() as u32).to_be_bytes(), self.trailer());
        let chunked = [&head[..], octets, &[0; 4], &trailer];
        let parts = if self.left.is_some() { [octets, &trailer, &[], &[]] } else { chunked };
        let sent = self.link.carrier.stream().send_all_vectored(&parts.map(IoSlice::new));
        sent.map_err(|error| self.link.error(error.source))?;
        self.left = self.left.map(|_| 0);
        self.ending = Ending::Receipt(Part::empty());
        Ok(())
    }

    /// Sends a part of `octets`, at least one, in one step.
    pub(crate) fn advance(&mut self, octets: &[u8], send: Sending<'_>) -> io::Result<usize> {
        if octets.is_empty() {
            return Ok(0);
        }
        let wanted = self.pace.step(octets.len().min(STEP));
        let sent = match self.left {
            Some(left) => {
                self.check_room(1)?;
                let wanted = wanted.min(usize::try_from(left).unwrap_or(wanted));
                let sent = send(&[IoSlice::new(&octets[..wanted])]);
                sent.map_err(|error| self.link.error(error))?
            }
            None => self.send_chunk(&octets[..wanted.min(MOST_CHUNK)], send)?,
        };
        if let Some(checksum) = &mut self.checksum {
            checksum.update(&octets[..sent]);
        }
        self.account(sent as u64);
        Ok(sent)
    }

    /// Sends a chunk of all these octets. What the transport does not take at once is kept, because
    /// the consumer has been told how long the chunk is.
    fn send_chunk(&mut self, octets: &[u8], send: Sending<'_>) -> io::Result<usize> {
        self.send_rest(send)?;
        let head = (octets.len() as u32).to_be_bytes();
        let sent = send(&[IoSlice::new(&head), IoSlice::new(octets)]);
        let sent = sent.map_err(|error| self.link.error(error))?;
        if sent < head.len() + octets.len() {
            self.rest.extend_from_slice(head.get(sent..).unwrap_or_default());
            self.rest.extend_from_slice(&octets[sent.saturating_sub(head.len())..]);
        }
        Ok(octets.len())
    }

    /// Sends what is left of a chunk.
    pub(crate) fn send_rest(&mut self, send: Sending<'_>) -> io::Result<()> {
        while !self.rest.is_empty() {
            let sent = send(&[IoSlice::new(&self.rest)]);
            let sent = sent.map_err(|error| self.link.error(error))?;
            self.rest.drain(..sent);
        }
        Ok(())
    }

    fn account(&mut self, sent: u64) {
        self.link.control.moved(sent);
        self.pace.sent(sent);
        if let Some(left) = &mut self.left {
            *left -= sent;
        }
    }

    fn check_room(&self, octets: u64) -> io::Result<()> {
        match self.left {
            Some(left) if left < octets => {
                let agreed = self.link.agreed().unwrap_or(0);
                let what = "the producer has more to send";
                Err(StreamError::WrongSize { agreed, what }.into())
            }
            _ => Ok(()),
        }
    }

    /// Sends what follows the octets, and takes the receipt.
    pub(crate) fn advance_end(
        &mut self,
        send: Sending<'_>,
        recv: Receiving<'_>,
    ) -> io::Result<FlowSummary> {
        self.send_rest(send)?;
        loop {
            let done = match &mut self.ending {
                Ending::Open => Ok(None),
                Ending::LastChunk(chunk) => chunk.send(send).map(|()| None),
                Ending::Trailer(trailer) => trailer.send(send).map(|()| None),
                Ending::Receipt(receipt) => receipt.receive(recv).map(|octets| Some(*octets)),
                Ending::Ended => Err(io::ErrorKind::NotConnected.into()),
            };
            let receipt = done.map_err(|error| self.link.error(error))?;
            self.ending = match &self.ending {
                Ending::Open if self.left.is_some_and(|left| left > 0) => {
                    let agreed = self.link.agreed().unwrap_or(0);
                    let what = "the producer ended before";
                    return Err(StreamError::WrongSize { agreed, what }.into());
                }
                Ending::Open if self.left.is_none() => Ending::LastChunk(Part::new([0; 4])),
                Ending::Open | Ending::LastChunk(_) => Ending::Trailer(Part::new(self.trailer())),
                Ending::Trailer(_) => Ending::Receipt(Part::empty()),
                Ending::Receipt(_) | Ending::Ended => Ending::Ended,
            };
            if let Some(octets) = receipt {
                return self.take_receipt(&octets);
            }
        }
    }

    fn trailer(&mut self) -> [u8; Trailer::LENGTH] {
        let digest = match self.checksum.take() {
            Some(checksum) => checksum.finish(),
            None if self.link.spec.offset == 0 => self.link.spec.digest.clone(),
            None => Vec::new(),
        };
        let count = self.link.control.transferred();
        Trailer { outcome: Outcome::Complete, count, digest }.encode()
    }

    fn take_receipt(&mut self, octets: &[u8; Receipt::LENGTH]) -> io::Result<FlowSummary> {
        let receipt = Receipt::decode(octets).map_err(StreamError::Protocol)?;
        let found = self.link.control.transferred();
        match receipt.outcome {
            Outcome::Complete if receipt.count == found => {
                self.link.complete();
                Ok(FlowSummary { octets: found, verified: self.link.spec.digest.clone() })
            }
            Outcome::Complete => {
                let told = receipt.count;
                Err(StreamError::Protocol(WireError::Count { told, found }).into())
            }
            Outcome::Cancelled => Err(StreamError::Cancelled.into()),
            Outcome::Damaged => Err(StreamError::Damaged.into()),
        }
    }

    fn keep_pace(&mut self) {
        let pause = self.pace.pause(Instant::now());
        if !pause.is_zero() {
            std::thread::sleep(pause);
        }
    }

    #[cfg(feature = "futures-io")]
    pub(crate) fn link(&self) -> &Link {
        &self.link
    }

    #[cfg(feature = "futures-io")]
    pub(crate) const fn is_paced(&self) -> bool {
        self.pace.is_limited()
    }
}

impl Write for FlowProducer {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.link.prepare()?;
        if self.pace.is_limited() {
            self.keep_pace();
        }
        let carrier = Arc::clone(&self.link.carrier);
        self.advance(octets, &mut |parts| carrier.stream().send_vectored(parts))
    }

    /// Sends what the transport did not take at once.
    fn flush(&mut self) -> io::Result<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        self.link.prepare()?;
        let carrier = Arc::clone(&self.link.carrier);
        self.send_rest(&mut |parts| carrier.stream().send_vectored(parts))
    }
}
