//! A viewer, and the ways in which it fetches images.

use super::idl::images::{self, FlowStore, FlowStoreRef, SinkRef, Store};
use super::{Outcome, PART, Worker};
use armilla::{ExceptionKind, Orb, SystemException};
use armilla_stream::{FlowConsumer, FlowOptions, FlowRequest};
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a viewer waits for parts that others send.
const PATIENCE: Duration = Duration::from_secs(60);

/// How images move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// As results of twoway calls.
    Twoway,
    /// As arguments of oneway calls to the viewer.
    Oneway,
    /// By a flow over this transport, agreed on in a call.
    Flow(&'static str),
}

impl Way {
    pub(super) fn parse(word: &str) -> Result<Self, String> {
        match word {
            "twoway" => Ok(Self::Twoway),
            "oneway" => Ok(Self::Oneway),
            "flow" => Ok(Self::Flow("tcp")),
            "flow-unix" => Ok(Self::Flow("unix")),
            _ => Err(format!("{word:?} is no way to move images")),
        }
    }
}

/// A viewer with what it has fetched.
pub(super) struct Viewer {
    way: Way,
    store: FlowStoreRef,
    buffer: Vec<u8>,
    sink: Arc<Sink>,
    reference: SinkRef,
    options: FlowOptions,
}

impl Viewer {
    pub(super) fn new(orb: &Orb, worker: &Worker, way: Way) -> Outcome<Self> {
        let store = orb.resolve(&worker.place)?;
        let sink = Arc::new(Sink::default());
        let reference = orb.root_poa().activate(sink.clone() as Arc<dyn images::Sink>)?;
        let options = FlowOptions { stream: worker.stream_options(), ..FlowOptions::default() };
        Ok(Self { way, store, buffer: Vec::new(), sink, reference, options })
    }

    /// Forgets what it has, and makes room for so many octets.
    pub(super) fn clear(&mut self, octets: usize) {
        self.buffer.clear();
        self.buffer.resize(octets, 0);
    }

    /// What it has fetched.
    pub(super) fn octets(&self) -> &[u8] {
        &self.buffer
    }

    /// Fetches images of `size` octets, one after the other.
    pub(super) fn fetch(&mut self, first: u32, count: u32, size: usize) -> Outcome {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut images = buffer.chunks_exact_mut(size);
        let fetched = match self.way {
            Way::Twoway => {
                (first..first + count).zip(images).try_for_each(|(image, to)| self.call(image, to))
            }
            Way::Flow(transport) => self.collect_all(transport, first, &mut images),
            Way::Oneway => {
                self.sink.lock().octets = buffer;
                let fetched = (first..first + count).try_for_each(|image| self.take(image, size));
                buffer = std::mem::take(&mut *self.sink.lock()).octets;
                fetched
            }
        };
        self.buffer = buffer;
        fetched
    }

    /// Two calls are under way, so that one part travels while another is taken: one in this
    /// thread, one in another.
    fn call(&self, image: u32, to: &mut [u8]) -> Outcome {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for (place, part) in to.chunks_mut(PART).enumerate() {
            let parts = if place % 2 == 0 { &mut here } else { &mut there };
            parts.push(((place * PART) as u64, part));
        }
        let take = |parts: Vec<(u64, &mut [u8])>| {
            parts.into_iter().try_for_each(|(offset, to)| self.take_part(image, offset, to))
        };
        if there.is_empty() {
            return Ok(take(here)?);
        }
        thread::scope(|scope| {
            let other = scope.spawn(|| take(there));
            take(here)?;
            Ok(other.join().map_err(|_| "a viewer panicked")??)
        })
    }

    fn take_part(&self, image: u32, offset: u64, to: &mut [u8]) -> Result<(), SystemException> {
        let octets = self.store.read(image, offset, to.len() as u32)?;
        let octets = octets.get(..to.len()).ok_or(ExceptionKind::Marshal)?;
        to.copy_from_slice(octets);
        Ok(())
    }

    /// Orders as many images in a call as the server agrees to; each has a flow of its own.
    fn collect_all(
        &self,
        transport: &str,
        mut next: u32,
        images: &mut dyn ExactSizeIterator<Item = &mut [u8]>,
    ) -> Outcome {
        let connects = vec![transport.to_owned()];
        let request = FlowRequest { connects, ..FlowRequest::default() };
        while images.len() > 0 {
            let agreements = self.store.open(next, images.len() as u32, &request)?;
            if agreements.is_empty() {
                return Err("the server agrees to no flow".into());
            }
            next += agreements.len() as u32;
            for (agreement, to) in agreements.iter().zip(&mut *images) {
                let mut consumer: FlowConsumer = agreement.collect(&self.options)?;
                consumer.read_exact(to)?;
                consumer.finish()?;
            }
        }
        Ok(())
    }

    fn take(&self, image: u32, size: usize) -> Outcome {
        self.store.push(image, PART as u32, &self.reference)?;
        self.sink.wait(size)
    }
}

/// Takes the parts of an image behind those of the images before.
#[derive(Default)]
struct Sink {
    taken: Mutex<Taken>,
    complete: Condvar,
}

#[derive(Default)]
struct Taken {
    octets: Vec<u8>,
    /// Where the image begins, how much of it is there, and its size.
    base: usize,
    arrived: usize,
}

impl Sink {
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until an image of `size` octets has come.
    fn wait(&self, size: usize) -> Outcome {
        let missing = |taken: &mut Taken| taken.arrived < size;
        let waited = self.complete.wait_timeout_while(self.lock(), PATIENCE, missing);
        let (mut taken, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(format!("only {} of {size} octets came", taken.arrived).into());
        }
        taken.base += size;
        taken.arrived = 0;
        Ok(())
    }
}

impl images::Sink for Sink {
    fn part(&self, offset: u64, octets: &[u8]) -> Result<(), SystemException> {
        let mut taken = self.lock();
        let from = taken.base.saturating_add(usize::try_from(offset).unwrap_or(usize::MAX));
        let to = from.saturating_add(octets.len());
        // What does not fit is missing at the end, and the checksum is wrong.
        if let Some(place) = taken.octets.get_mut(from..to) {
            place.copy_from_slice(octets);
        }
        taken.arrived += octets.len();
        drop(taken);
        self.complete.notify_one();
        Ok(())
    }
}
