//! A servant that tells at which priority it is called, and ORBs on the loopback interface.

#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod wire;

pub mod idl {
    armilla::include_idl!("station");
}

pub use idl::station::{AmhSensor, Sensor, SensorRef};

use armilla::{Orb, ResponseHandler, SystemException};
use armilla_rt::{DirectMapping, NativeRange, Priority, RtOrb, Scheduling};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};

pub type Result<T, E = SystemException> = std::result::Result<T, E>;

/// How long a test waits before it fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What serves a sensor.
pub struct Station {
    pub rt: RtOrb,
    open: Mutex<bool>,
    opened: Condvar,
    /// How many calls wait.
    pub inside: AtomicUsize,
    most: AtomicUsize,
    noted: Mutex<Vec<i16>>,
    /// The replies that `wait` has put off, for servants that reply later.
    pub deferred: Mutex<Vec<ResponseHandler<()>>>,
    /// What `ping` does.
    pub on_ping: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Station {
    pub fn new(rt: &RtOrb) -> Arc<Self> {
        let (open, opened, inside, most, on_ping) = Default::default();
        let (noted, deferred, rt) = (Mutex::default(), Mutex::default(), rt.clone());
        Arc::new(Self { rt, open, opened, inside, most, noted, deferred, on_ping })
    }

    /// Lets all calls of `wait` return.
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    /// How many calls were in the servant at once, at most.
    pub fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    /// Waits until so many calls wait in the servant.
    pub fn await_inside(&self, count: usize) {
        until("the calls are in the servant", || self.inside.load(Ordering::SeqCst) == count);
    }
}

impl Sensor for Station {
    fn priority(&self) -> Result<i16> {
        Ok(self.rt.current().priority().map_or(-1, Priority::get))
    }

    fn scheduling(&self) -> Result<String> {
        Ok(Scheduling::current().unwrap().to_string())
    }

    fn thread(&self) -> Result<String> {
        Ok(std::thread::current().name().unwrap_or_default().to_owned())
    }

    fn faults(&self) -> Result<u64> {
        let faults = armilla_ipc::real_time::page_faults().unwrap();
        Ok(faults.minor + faults.major)
    }

    fn caller(&self) -> Result<String> {
        let caller = self.rt.orb().caller()?;
        Ok(caller.map_or_else(|| "here".to_owned(), |address| address.to_string()))
    }

    fn ping(&self) -> Result<()> {
        self.on_ping.get().iter().for_each(|action| action());
        Ok(())
    }

    fn note(&self) -> Result<()> {
        self.noted.lock().unwrap().push(self.priority()?);
        Ok(())
    }

    fn noted(&self) -> Result<Vec<i16>> {
        Ok(self.noted.lock().unwrap().clone())
    }

    fn wait(&self) -> Result<()> {
        let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(inside, Ordering::SeqCst);
        let open = self.opened.wait_while(self.open.lock().unwrap(), |open| !*open);
        drop(open.unwrap());
        self.inside.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }

    fn ask(&self, other: &SensorRef) -> Result<i16> {
        other.priority()
    }
}

impl AmhSensor for Station {
    fn wait_amh(&self, reply: ResponseHandler<()>) {
        self.deferred.lock().unwrap().push(reply);
    }
}

/// The station as the servant of a sensor whose `wait` replies later.
pub fn deferring(station: Arc<Station>) -> Arc<dyn AmhSensor> {
    station
}

/// The station as the servant of a sensor.
pub fn sensor_of(station: Arc<Station>) -> Arc<dyn Sensor> {
    station
}

/// Waits until the condition holds.
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "waited for: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub fn priority(number: i16) -> Priority {
    Priority::new(number).unwrap()
}

/// A server on the loopback interface, with the direct mapping to `SCHED_FIFO`.
pub fn server() -> (Orb, RtOrb) {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    (orb, rt)
}

/// The reference as another process would have it.
pub fn remote(server: &Orb, client: &Orb, sensor: &SensorRef) -> SensorRef {
    client.resolve(&server.object_to_string(sensor).unwrap()).unwrap()
}

/// Calls at a priority, in a thread of its own.
pub fn at<T: Send>(rt: &RtOrb, number: i16, call: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let run = || {
            // Without the privilege the thread has the CORBA priority all the same.
            if let Err(error) = rt.current().set_priority(priority(number)) {
                println!("skipped in part: {error}");
            }
            call()
        };
        scope.spawn(run).join().unwrap()
    })
}

/// Whether threads of this process may have real-time priorities. What needs them is skipped
/// otherwise, and says so.
pub fn may_be_real_time() -> bool {
    let trial = || Scheduling::Fifo { priority: 1 }.apply().is_ok();
    let granted = std::thread::spawn(trial).join().unwrap();
    if !granted {
        println!("skipped in part: no privilege for real-time threads");
    }
    granted
}
