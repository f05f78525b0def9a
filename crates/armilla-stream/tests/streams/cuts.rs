//! Connections that are cut at random octets: every flow is resumed, and what arrives is what was
//! sent. `soak` of this crate runs ten thousand transfers.

use crate::common::{content, listener, options, over};
use armilla_stream::{
    Checksum, FlowAgreement, FlowConsumer, FlowProducer, FlowRequest, FlowSpec, Listener,
    RunningChecksum, StreamError,
};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

/// Numbers that are the same in each run (xorshift64*).
struct Random(AtomicU64);

impl Random {
    fn below(&self, limit: u64) -> u64 {
        let step = |mut state: u64| {
            state ^= state >> 12;
            state ^= state << 25;
            Some(state ^ state >> 27)
        };
        let state = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step).unwrap();
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) % limit
    }
}

/// Passes connections on to a listener, and cuts each somewhere.
struct Cutter {
    at: String,
    cuts: Arc<AtomicU64>,
}

impl Cutter {
    fn new(to: &str, random: Arc<Random>) -> Self {
        let (to, cuts) = (to.to_owned(), Arc::new(AtomicU64::new(0)));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = format!("tcp://{}", listener.local_addr().unwrap());
        let counting = Arc::clone(&cuts);
        thread::spawn(move || {
            for near in listener.incoming() {
                let (near, far) = (near.unwrap(), TcpStream::connect(&to).unwrap());
                // Otherwise small messages would wait for one another.
                near.set_nodelay(true).unwrap();
                far.set_nodelay(true).unwrap();
                let room = Arc::new(AtomicU64::new(random.below(100_000)));
                for (mut from, mut to) in [(&near, &far), (&far, &near)]
                    .map(|(from, to)| (from.try_clone().unwrap(), to.try_clone().unwrap()))
                {
                    let (room, cuts) = (Arc::clone(&room), Arc::clone(&counting));
                    thread::spawn(move || pass(&mut from, &mut to, &room, &cuts));
                }
            }
        });
        Self { at, cuts }
    }
}

/// Passes octets on while there is room for them, then ends both connections.
fn pass(from: &mut TcpStream, to: &mut TcpStream, room: &AtomicU64, cuts: &AtomicU64) {
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let take = |room: u64| Some(room.saturating_sub(count as u64));
        let before = room.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).unwrap();
        let allowed = usize::try_from(before).unwrap_or(usize::MAX).min(count);
        let passed = to.write_all(&buffer[..allowed]);
        if allowed < count {
            cuts.fetch_add(1, Ordering::Relaxed);
        }
        if allowed < count || passed.is_err() {
            break;
        }
    }
    for stream in [from, to] {
        stream.shutdown(Shutdown::Both).ok();
    }
}

/// What both ways of a transfer need.
struct Way {
    listener: Listener,
    /// Where the other side finds the listener.
    at: String,
}

impl Way {
    fn agree<E: armilla_stream::FlowEnd>(
        &self,
        spec: FlowSpec,
        offset: u64,
        work: impl FnOnce(Result<E, StreamError>) + Send + 'static,
    ) -> FlowAgreement {
        let request = FlowRequest { offset, ..over("tcp") }.with_checksum(Checksum::Sha256);
        let (mut agreement, _) = self.listener.agree(&request, spec, work).unwrap();
        agreement.listens[0].r#where = vec![self.at.clone()];
        agreement
    }
}

/// Reads until the end or a cut; both agree on how much has come.
fn receive(
    consumer: Result<FlowConsumer, StreamError>,
    found: &mut Vec<u8>,
) -> Result<(), StreamError> {
    let mut consumer = consumer?;
    let mut before = RunningChecksum::new(Checksum::Sha256);
    before.update(found);
    consumer.continue_checksum(before);
    let mut buffer = [0; 10_000];
    loop {
        match consumer.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => found.extend_from_slice(&buffer[..count]),
            Err(error) => {
                let error = StreamError::from(error);
                assert_eq!(error.resumes_at(), Some(found.len() as u64), "{error}");
                return Err(error);
            }
        }
    }
}

fn send(producer: Result<FlowProducer, StreamError>, octets: &[u8]) -> Result<(), StreamError> {
    let mut producer = producer?;
    let from = producer.spec().offset as usize;
    producer.write_all(&octets[from..])?;
    producer.finish().map(drop)
}

/// From the called side to the caller; returns how many flows it took.
fn fetch(way: &Way, octets: &Arc<Vec<u8>>, spec: &FlowSpec) -> (Vec<u8>, u64) {
    let (mut found, mut flows) = (Vec::new(), 0);
    loop {
        flows += 1;
        let sending = Arc::clone(octets);
        let work = move |producer| {
            send(producer, &sending).ok();
        };
        let agreement = way.agree::<FlowProducer>(spec.clone(), found.len() as u64, work);
        match receive(agreement.collect(&options()), &mut found) {
            Ok(()) => return (found, flows),
            Err(StreamError::Cut { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// From the caller to the called side, which knows what it has.
fn store(way: &Way, octets: &[u8], spec: &FlowSpec) -> (Vec<u8>, u64) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let mut flows = 0;
    loop {
        flows += 1;
        let (keeping, (done, received)) = (Arc::clone(&kept), channel());
        let work = move |consumer| {
            let received = receive(consumer, &mut keeping.lock().unwrap());
            // Whoever waits may have given up.
            done.send(received).ok();
        };
        let offset = kept.lock().unwrap().len() as u64;
        let agreement = way.agree::<FlowConsumer>(spec.clone(), offset, work);
        match agreement.collect::<FlowProducer>(&options()) {
            Ok(producer) => drop(send(Ok(producer), octets)),
            // The greeting did not arrive, or its answer; the called side knows when.
            Err(StreamError::Cut { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        match received.recv_timeout(std::time::Duration::from_millis(500)) {
            Ok(Ok(())) => return (std::mem::take(&mut kept.lock().unwrap()), flows),
            Ok(Err(StreamError::Cut { .. } | StreamError::NotCollected)) | Err(_) => {}
            Ok(Err(error)) => panic!("{error}"),
        }
    }
}

/// Transfers octets in one of both ways; returns how many flows it took.
fn transfer(way: &Way, random: &Random) -> u64 {
    let octets = Arc::new(content(random.below(100_000) as usize));
    let digest = RunningChecksum::of(Checksum::Sha256, &octets);
    let spec = FlowSpec {
        digest: digest.clone(),
        algorithm: Checksum::Sha256,
        ..FlowSpec::sized(octets.len() as u64)
    };
    let (found, flows) = match random.below(2) {
        0 => fetch(way, &octets, &spec),
        _ => store(way, &octets, &spec),
    };
    assert_eq!(RunningChecksum::of(Checksum::Sha256, &found), digest);
    flows
}

#[test]
fn what_is_cut_anywhere_arrives_whole_in_the_end() {
    let transfers = std::env::var("ARMILLA_CUT_TRANSFERS").map_or(64, |n| n.parse().unwrap());
    let random = Arc::new(Random(AtomicU64::new(0x9e37_79b9_7f4a_7c15)));
    let listener = listener();
    let to = listener.addresses().iter().map(ToString::to_string);
    let to = to.filter_map(|at| at.strip_prefix("tcp://").map(str::to_owned)).next().unwrap();
    let cutter = Cutter::new(&to, Arc::clone(&random));
    let way = Way { listener, at: cutter.at.clone() };
    let (left, flows) = (AtomicU64::new(transfers), AtomicU64::new(0));
    let one_less = |left: u64| left.checked_sub(1);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while left.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_less).is_ok() {
                    flows.fetch_add(transfer(&way, &random), Ordering::Relaxed);
                }
            });
        }
    });
    let (flows, cuts) = (flows.into_inner(), cutter.cuts.load(Ordering::Relaxed));
    println!("{transfers} transfers in {flows} flows, {cuts} cuts; all checksums are right");
    assert!(cuts > transfers / 4, "too few cuts to tell");
}
