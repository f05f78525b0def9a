//! The end that receives.

use super::sealed::FromLink;
use super::{FlowEnd, FlowSummary, Link, Part, Receiving, STEP, Sending};
use crate::carrier::Carrier;
use crate::wire::{self, Outcome, Receipt, Trailer, WireError};
use crate::{Checksum, FlowControl, FlowSpec, RunningChecksum, StreamError};
use armilla_ipc::zero_copy;
use std::fs::File;
use std::io::{self, IoSliceMut, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// The end of a flow that receives its octets.
///
/// [`Read`] returns 0 only when everything has arrived, the checksum is right, and the producer was
/// told so; a flow that ends in any other way is an error that contains a [`StreamError`], see
/// [`StreamError::of`]. So whoever reads to the end has read all of it.
#[derive(Debug)]
pub struct FlowConsumer {
    link: Link,
    stage: Stage,
    checksum: Option<RunningChecksum>,
    verified: Vec<u8>,
}

/// What comes next.
#[derive(Debug)]
enum Stage {
    /// So many octets.
    Octets(u64),
    ChunkHead(Part<4>),
    /// So many octets, then a head.
    Chunk(u64),
    Trailer(Part<{ Trailer::LENGTH }>),
    /// To be sent.
    Receipt(Part<{ Receipt::LENGTH }>, Outcome),
    Ended(Outcome),
}

impl FlowEnd for FlowConsumer {}

impl FromLink for FlowConsumer {
    fn from_link(link: Link) -> Self {
        let (spec, agreed) = (&link.spec, link.agreed());
        // The checksum of the whole needs the octets before this flow.
        let begins = spec.offset == 0 || spec.digest.is_empty();
        let needs = begins && spec.algorithm != Checksum::None;
        let checksum = needs.then(|| RunningChecksum::new(spec.algorithm));
        let stage = agreed.map_or(Stage::ChunkHead(Part::empty()), Stage::Octets);
        Self { link, stage, checksum, verified: Vec::new() }
    }
}

impl FlowConsumer {
    /// What was agreed on.
    pub const fn spec(&self) -> &FlowSpec {
        &self.link.spec
    }

    /// Watches and controls this flow.
    pub fn control(&self) -> FlowControl {
        self.link.control.clone()
    }

    /// Takes the checksum of the octets before this flow, so that the checksum of the whole can be
    /// compared at the end of a flow that resumes another. Of use before the first read.
    pub fn continue_checksum(&mut self, before: RunningChecksum) {
        if !self.link.spec.digest.is_empty() && self.link.control.transferred() == 0 {
            self.checksum = Some(before);
        }
    }

    /// Receives all that is left into a file, from `offset` on. Over sockets the kernel moves the
    /// octets without a copy, unless they must be read for a checksum.
    ///
    /// # Errors
    /// The flow broke, was cancelled or timed out, or its checksum is wrong; the file cannot be
    /// written. What [`StreamError::resumes_at`] counts is in the file.
    pub fn receive_file(mut self, file: &File, offset: u64) -> Result<FlowSummary, StreamError> {
        let mut at = offset;
        if self.checksum.is_none() {
            at += self.splice_file(file, offset)?;
        }
        let mut buffer = vec![0; STEP / 4];
        loop {
            match self.read(&mut buffer)? {
                0 => return self.finish(),
                count => file.write_all_at(&buffer[..count], at).map_err(StreamError::File)?,
            }
            at = offset + self.link.control.transferred();
        }
    }

    /// Receives the octets of a flow of known size by the kernel alone, if it can.
    fn splice_file(&mut self, file: &File, offset: u64) -> io::Result<u64> {
        let mut done = 0;
        while let Stage::Octets(left @ 1..) = self.stage {
            self.link.prepare()?;
            let step = left.min(4 * STEP as u64);
            let at = offset + done;
            let moved = match &*self.link.carrier {
                Carrier::Tcp(stream) => zero_copy::receive_file(stream, file, at, step),
                Carrier::Unix(stream) => zero_copy::receive_file(stream, file, at, step),
                _ => return Ok(done),
            };
            let (count, failed) = match moved {
                Ok(()) => (step, None),
                Err(error) => (error.received as u64, Some(error.source)),
            };
            self.account(count);
            done += count;
            if let Some(error) = failed {
                return Err(self.link.error_of_either(error));
            }
        }
        Ok(done)
    }

    /// Ends the flow, all of whose octets must have been read. Reading to the end does the same but
    /// for the summary.
    ///
    /// # Errors
    /// Octets are left ([`StreamError::WrongSize`]); otherwise as reading.
    pub fn finish(mut self) -> Result<FlowSummary, StreamError> {
        match self.read(&mut [0])? {
            0 => {
                let verified = std::mem::take(&mut self.verified);
                Ok(FlowSummary { octets: self.link.control.transferred(), verified })
            }
            _ => {
                let agreed = self.link.agreed().unwrap_or(0);
                let what = "the consumer ended before it had read everything";
                Err(StreamError::WrongSize { agreed, what })
            }
        }
    }

    /// Receives a part of what is left; 0 at the end.
    pub(crate) fn advance(
        &mut self,
        buffer: &mut [u8],
        recv: Receiving<'_>,
        send: Sending<'_>,
    ) -> io::Result<usize> {
        loop {
            match &mut self.stage {
                Stage::Octets(0) => self.stage = Stage::Trailer(Part::empty()),
                Stage::Octets(_) | Stage::Chunk(1..) if buffer.is_empty() => return Ok(0),
                Stage::Octets(left) | Stage::Chunk(left @ 1..) => {
                    let most = usize::try_from(*left).unwrap_or(STEP).min(buffer.len()).min(STEP);
                    let received = recv(&mut buffer[..most]);
                    return self.take(&buffer[..most], received);
                }
                Stage::Chunk(_) => self.stage = Stage::ChunkHead(Part::empty()),
                Stage::ChunkHead(head) => {
                    let octets = *head.receive(recv).map_err(|error| self.link.error(error))?;
                    let size = wire::decode_chunk(octets).map_err(StreamError::Protocol)?;
                    self.stage = match size {
                        0 => Stage::Trailer(Part::empty()),
                        size => Stage::Chunk(u64::from(size)),
                    };
                }
                Stage::Trailer(trailer) => {
                    let octets = *trailer.receive(recv).map_err(|error| self.link.error(error))?;
                    let outcome = self.verify(&octets)?;
                    let count = self.link.control.transferred();
                    let receipt = Receipt { outcome, count }.encode();
                    self.stage = Stage::Receipt(Part::new(receipt), outcome);
                }
                Stage::Receipt(receipt, outcome) => {
                    let outcome = *outcome;
                    receipt.send(send).map_err(|error| self.link.error(error))?;
                    self.stage = Stage::Ended(outcome);
                    self.link.control.end();
                    if outcome == Outcome::Complete {
                        self.link.complete();
                    }
                }
                Stage::Ended(Outcome::Complete) => return Ok(0),
                Stage::Ended(Outcome::Cancelled) => return Err(StreamError::Cancelled.into()),
                Stage::Ended(Outcome::Damaged) => return Err(StreamError::Damaged.into()),
            }
        }
    }

    /// Counts what one call received into the front of `octets`.
    fn take(&mut self, octets: &[u8], received: io::Result<usize>) -> io::Result<usize> {
        match received {
            Ok(0) => Err(self.link.error(io::ErrorKind::UnexpectedEof.into())),
            Ok(count) => {
                if let Some(checksum) = &mut self.checksum {
                    checksum.update(&octets[..count]);
                }
                self.account(count as u64);
                Ok(count)
            }
            Err(error) => Err(self.link.error(error)),
        }
    }

    /// Receives the last octets and, if it has arrived, the trailer behind them in one step. The
    /// producer sends nothing more before it has the receipt.
    fn receive_last(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut trailer = [0; Trailer::LENGTH];
        let mut parts = [IoSliceMut::new(buffer), IoSliceMut::new(&mut trailer)];
        let received = self.link.carrier.stream().recv_vectored(&mut parts);
        let more = received.as_ref().map_or(0, |count| count.saturating_sub(buffer.len()));
        let count = self.take(buffer, received.map(|count| count - more))?;
        if more > 0 {
            self.stage = Stage::Trailer(Part::begun(trailer, more));
        }
        Ok(count)
    }

    fn account(&mut self, count: u64) {
        self.link.control.moved(count);
        if let Stage::Octets(left) | Stage::Chunk(left) = &mut self.stage {
            *left -= count;
        }
    }

    /// Compares what the producer says with what came.
    fn verify(&mut self, octets: &[u8; Trailer::LENGTH]) -> io::Result<Outcome> {
        let trailer = Trailer::decode(octets).map_err(StreamError::Protocol)?;
        let found = self.link.control.transferred();
        if trailer.outcome == Outcome::Complete && trailer.count != found {
            let told = trailer.count;
            return Err(StreamError::Protocol(WireError::Count { told, found }).into());
        }
        let Some(checksum) = self.checksum.take() else { return Ok(trailer.outcome) };
        let known = std::mem::take(&mut self.link.spec.digest);
        let expected = if known.is_empty() { &trailer.digest } else { &known };
        let digest = checksum.finish();
        let outcome = match *expected == digest {
            true => trailer.outcome,
            false => Outcome::Damaged,
        };
        (self.verified, self.link.spec.digest) = (digest, known);
        Ok(outcome)
    }

    #[cfg(feature = "futures-io")]
    pub(crate) fn link(&self) -> &Link {
        &self.link
    }
}

impl Read for FlowConsumer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !matches!(self.stage, Stage::Ended(_)) {
            self.link.prepare()?;
        }
        if let Stage::Octets(left @ 1..) = self.stage
            && let Ok(left @ ..=STEP) = usize::try_from(left)
            && left <= buffer.len()
        {
            return self.receive_last(&mut buffer[..left]);
        }
        let carrier = Arc::clone(&self.link.carrier);
        let mut recv = |octets: &mut [u8]| carrier.stream().recv(octets);
        self.advance(buffer, &mut recv, &mut |parts| carrier.stream().send_vectored(parts))
    }
}
