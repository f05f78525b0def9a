//! A transfer through an object: the receiver has it, the sender calls it. See `idl/relay.idl`.

use crate::idl::relay::receiver::BeginRaises;
use crate::idl::relay::transfer::{FinishRaises, PutRaises, ReachedRaises};
use crate::idl::relay::{
    self as idl, Busy, MAX_CHUNK, Receiver as _, ReceiverRef, Transfer as _, TransferRef,
};
use crate::options::Options;
use crate::sink::Sink;
use crate::{Transferred, read_some};
use armilla::{Orb, Poa, SystemException};
use std::error::Error;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Instant;

/// So many oneway calls are on their way at most.
const WINDOW: u64 = 8;

/// Sends all of `input`.
pub(crate) fn send(
    url: &str,
    options: &Options,
    input: &mut dyn Read,
) -> Result<Transferred, Box<dyn Error>> {
    let builder = Orb::builder().arguments(options.arguments.clone())?;
    let orb = builder.call_timeout(Some(options.idle)).build()?;
    let receiver: ReceiverRef = orb.resolve(url)?;
    let transfer = receiver.begin()?;
    let begun = Instant::now();
    let mut buffer = vec![0; MAX_CHUNK as usize];
    let (mut octets, mut calls) = (0, 0);
    loop {
        let data = match read_some(input, &mut buffer) {
            Ok(data) => data,
            Err(reason) => {
                // The receiver need not wait for what does not come; that it is told is enough.
                transfer.abandon(&reason).ok();
                return Err(reason.into());
            }
        };
        if data.is_empty() {
            break;
        }
        match options.oneway {
            true => transfer.push(octets, data)?,
            false => transfer.put(octets, data)?,
        }
        octets += data.len() as u64;
        calls += 1;
        if options.oneway && calls % WINDOW == 0 {
            transfer.reached(octets)?;
        }
    }
    transfer.finish(octets)?;
    Ok(Transferred::since(begun, octets))
}

/// Offers the object until one transfer is complete.
pub(crate) fn receive(
    at: &str,
    options: &Options,
    output: Box<dyn Write + Send>,
) -> Result<Transferred, Box<dyn Error>> {
    let orb = Orb::builder().arguments(options.arguments.clone())?.listen(at)?.build()?;
    let poa = orb.root_poa().create_poa("relay").persistent().user_ids().build()?;
    let sink = Arc::new(Sink::new(output, options.idle));
    let servant = ReceiverServant { sink: sink.clone(), transfers: orb.root_poa() };
    let receiver: ReceiverRef = poa.activate_with_id("receiver", idl::receiver::tie(servant))?;
    eprintln!("relay: listening at {}", orb.publish("Relay", receiver.object())?);
    let (ending, watched) = (orb.clone(), sink.clone());
    std::thread::spawn(move || {
        watched.await_end();
        // It waits until the sender has its last reply.
        ending.shutdown();
    });
    orb.run()?;
    let progress = sink.lock();
    match &progress.outcome {
        Some(Ok(transferred)) => Ok(Transferred { ..*transferred }),
        Some(Err(reason)) => Err(reason.as_str().into()),
        None => Err("ended before a transfer was complete".into()),
    }
}

/// The servant at which senders begin a transfer.
struct ReceiverServant {
    sink: Arc<Sink>,
    transfers: Poa,
}

impl idl::Receiver for ReceiverServant {
    fn begin(&self) -> Result<TransferRef, armilla::Error<BeginRaises>> {
        if !self.sink.begin() {
            return Err(Busy {}.into());
        }
        let servant = idl::transfer::tie(Incoming(self.sink.clone()));
        Ok(self.transfers.activate(servant)?)
    }
}

/// The transfer.
struct Incoming(Arc<Sink>);

impl idl::Transfer for Incoming {
    fn put(&self, offset: u64, data: &[u8]) -> Result<(), armilla::Error<PutRaises>> {
        Ok(self.0.write(offset, data)?)
    }

    fn push(&self, offset: u64, data: &[u8]) -> Result<(), SystemException> {
        // The sender learns it from its next call that has an answer.
        self.0.write(offset, data).ok();
        Ok(())
    }

    fn reached(&self, offset: u64) -> Result<(), armilla::Error<ReachedRaises>> {
        Ok(self.0.reached(offset)?)
    }

    fn finish(&self, total: u64) -> Result<(), armilla::Error<FinishRaises>> {
        Ok(self.0.finish(total)?)
    }

    fn abandon(&self, reason: &str) -> Result<(), SystemException> {
        self.0.abandon(reason);
        Ok(())
    }
}
