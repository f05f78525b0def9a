//! The server: two objects, of low and of high priority.

use super::super::{Outcome, Worker};
use super::idl::real_time::{Task, TaskRef};
use super::{HIGH, LOW, option, work};
use crate::support::over_tcp;
use armilla::{Concurrency, SystemException};
use armilla_ipc::real_time::{Scheduling, lock_memory, reserve_heap};
use armilla_ipc::{Acceptor, Address, Stream, StreamOptions, listen};
use armilla_rt::{DirectMapping, NativeRange, Priority, PriorityModel, RtOrb, ThreadpoolOptions};
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Works.
struct Workshop;

impl Task for Workshop {
    fn work(&self, micros: u32) -> Result<(), SystemException> {
        work(Duration::from_micros(micros.into()));
        Ok(())
    }

    fn churn(&self, micros: u32) -> Result<(), SystemException> {
        for _ in 0..micros / 100 {
            let blocks: Vec<Vec<u8>> = (1..32).map(|n| vec![n as u8; n * 1024]).collect();
            black_box(&blocks);
            work(Duration::from_micros(50));
        }
        Ok(())
    }
}

pub(super) fn run(worker: &Worker) -> Outcome {
    if let Err(error) = lock_memory() {
        eprintln!("the server: {error}");
    }
    reserve_heap(16 << 20);
    match option(worker, "variant") {
        Some("sockets") => sockets(),
        Some("lanes") => lanes(),
        _ => pool(),
    }
}

/// Tells the addresses of both objects, and waits for the end.
fn serve(low: &str, high: &str) -> Outcome {
    println!("{low} {high}");
    io::stdout().flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Real-time CORBA: a lane of one thread for each priority.
fn lanes() -> Outcome {
    let orb = over_tcp()?.build()?;
    let rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    let [low, high] = [LOW, HIGH].map(|number| Priority::new(number).unwrap_or_default());
    let lanes = ThreadpoolOptions::with_lanes("lanes").lane(low, 1, 0).lane(high, 1, 0);
    let pool = rt.create_threadpool(lanes)?;
    let poa = rt
        .poa(orb.root_poa().create_poa("tasks"))
        .threadpool(&pool)
        .priority_model(PriorityModel::ServerDeclared(low))
        .build()?;
    let of_low: TaskRef = poa.activate(task())?;
    let of_high: TaskRef = poa.activate_with_priority(task(), high)?;
    eprintln!("{pool}");
    serve(&orb.object_to_string(&of_low)?, &orb.object_to_string(&of_high)?)
}

/// One pool for all, without priorities.
fn pool() -> Outcome {
    let builder = over_tcp()?;
    let concurrency = Concurrency::LeaderFollowers { min_threads: 1, max_threads: 1 };
    let orb = builder.settings(|settings| settings.concurrency = concurrency).build()?;
    let [low, high]: [TaskRef; 2] =
        [orb.root_poa().activate(task())?, orb.root_poa().activate(task())?];
    serve(&orb.object_to_string(&low)?, &orb.object_to_string(&high)?)
}

fn task() -> Arc<dyn Task> {
    Arc::new(Workshop)
}

/// Plain sockets: an endpoint for each priority, a thread for each connection.
fn sockets() -> Outcome {
    let endpoint = |scheduling: Scheduling| -> io::Result<Address> {
        let acceptor = listen(&Address::tcp("127.0.0.1", 0), &StreamOptions::default())?;
        let address = acceptor.local().clone();
        thread::spawn(move || accept_all(&*acceptor, scheduling));
        Ok(address)
    };
    let low = endpoint(Scheduling::DEFAULT)?;
    let high = endpoint(Scheduling::Fifo { priority: HIGH as u8 })?;
    serve(&low.to_string(), &high.to_string())
}

fn accept_all(acceptor: &dyn Acceptor, scheduling: Scheduling) {
    scheduling.apply().ok();
    while let Ok(Some(stream)) = acceptor.accept() {
        thread::spawn(move || answer_all(&*stream));
    }
}

/// A request is the microseconds of work; the reply is the same.
fn answer_all(stream: &dyn Stream) {
    let mut octets = [0; 4];
    while stream.recv_all(&mut octets).is_ok() {
        work(Duration::from_micros(u32::from_le_bytes(octets).into()));
        if stream.send_all(&octets).is_err() {
            return;
        }
    }
}
