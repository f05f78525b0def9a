//! The process of the sensors: `avionics-sensors URL SECONDS [--told]`. Each sensor is a thread at
//! its priority, which pushes to the event channel in the lane of that priority. With `--told`
//! somebody else has said that the system refuses priorities.

use armilla::Orb;
use armilla_events::corba::comm::PushSupplierRef;
use armilla_events::corba::{
    Event, EventChannel as _, EventChannelRef, ProxyPushConsumerRef, PushConsumer as _,
};
use armilla_ipc::real_time::{monotonic_now, sleep_until};
use armilla_rt::{DirectMapping, NativeRange, RtOrb};
use avionics::avionics::{AIR_DATA, ENGINE_DATA, GPS_DATA, INERTIAL_DATA, Sample, sensors};
use avionics::plan::Plan;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The sensors: their operations in the schedule, and the types of their events.
const SENSORS: [(&str, u32); 4] = [
    ("Avionics::Sensors::inertial", INERTIAL_DATA),
    ("Avionics::Sensors::air", AIR_DATA),
    ("Avionics::Sensors::engine", ENGINE_DATA),
    ("Avionics::Sensors::gps", GPS_DATA),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().collect();
    let told = arguments.pop_if(|last| last == "--told").is_some();
    let [_, url, seconds] = &arguments[..] else {
        return Err("usage: avionics-sensors URL SECONDS [--told]".into());
    };
    // Each thread would say the same.
    let told = AtomicBool::new(told);
    let seconds: u64 = seconds.parse()?;
    let plan = Plan::new()?;
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    let rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    let channel: EventChannelRef = orb.resolve(url)?;
    let proxy = channel.connect_supplier(&PushSupplierRef::nil())?;
    let start = monotonic_now() + Duration::from_millis(50);
    thread::scope(|scope| {
        for (source, (operation, event_type)) in (1..).zip(SENSORS) {
            let info = sensors::RT_INFO.iter().find(|info| info.operation == operation);
            let period = info.and_then(|info| info.period).unwrap_or(Duration::from_secs(1));
            let (proxy, rt, priority) = (&proxy, &rt, plan.priority(operation));
            let told = &told;
            let name = operation.trim_start_matches("Avionics::Sensors::").to_owned();
            let sense_all = move || {
                if let Err(error) = rt.current().set_priority(priority)
                    && !told.swap(true, Ordering::Relaxed)
                {
                    eprintln!("{operation}: {error}");
                }
                let releases = (0..).map(|index| start + period * index);
                let end = start + Duration::from_secs(seconds);
                for (number, release) in (0..).zip(releases.take_while(|at| *at < end)) {
                    sleep_until(release);
                    if let Err(error) = sense(proxy, source, event_type, number) {
                        eprintln!("{operation}: {error}");
                        return;
                    }
                }
            };
            if let Err(error) = thread::Builder::new().name(name).spawn_scoped(scope, sense_all) {
                eprintln!("{operation}: no thread: {error}");
            }
        }
    });
    proxy.disconnect_push_consumer()?;
    orb.shutdown();
    Ok(())
}

/// One measurement.
fn sense(
    proxy: &ProxyPushConsumerRef,
    source: u32,
    event_type: u32,
    number: u64,
) -> Result<(), Box<dyn Error>> {
    let sample = Sample { number, value: number as f64 / 100.0 };
    Ok(proxy.push(&[Event::new(source, event_type, &sample)?])?)
}
