//! The processes of the overload: a server whose requests a scheduler orders, and a client that
//! releases more work than the server has a processor for.

use super::super::{Outcome, Worker};
use super::{number, option, work};
use crate::support::over_tcp;
use armilla::{Orb, SystemException};
use armilla_ipc::real_time::{Scheduling, lock_memory, monotonic_now, reserve_heap, sleep_until};
use armilla_rt::{
    DirectMapping, NativeRange, Priority, RtOrb, SchedulerOptions, ThreadpoolOptions, tasks_of,
};
use armilla_schedule::Strategy;
use idl::overload::{Cockpit, CockpitRef, cockpit};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("overload");
}

/// The priorities of operations, one above the other, and that at which requests are read.
const LEVELS: std::ops::Range<i16> = 20..24;
const READERS: i16 = 40;
/// How much of its worst case an operation executes; the rest is for the ORB.
const SHARE: f64 = 0.97;

/// Works for as long as the annotations say.
struct Busy;

impl Busy {
    fn work(name: &str) -> Result<(), SystemException> {
        let found = cockpit::RT_INFO.iter().find(|info| info.operation.ends_with(name));
        work(found.and_then(|info| info.wcet).unwrap_or_default().mul_f64(SHARE));
        Ok(())
    }
}

impl Cockpit for Busy {
    fn display(&self) -> Result<(), SystemException> {
        Self::work("display")
    }

    fn radio(&self) -> Result<(), SystemException> {
        Self::work("radio")
    }

    fn flight(&self) -> Result<(), SystemException> {
        Self::work("flight")
    }

    fn engine(&self) -> Result<(), SystemException> {
        Self::work("engine")
    }
}

pub(super) fn serve(worker: &Worker) -> Outcome {
    if let Err(error) = lock_memory() {
        eprintln!("the server: {error}");
    }
    reserve_heap(16 << 20);
    let strategy: Strategy = option(worker, "strategy").unwrap_or("muf").parse()?;
    let orb = over_tcp()?.build()?;
    let rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    // Without the privilege the kernel would share the processor among all levels.
    let granted = || Scheduling::Fifo { priority: 1 }.apply().is_ok();
    let levels = match thread::spawn(granted).join() {
        Ok(true) => LEVELS,
        _ => LEVELS.start..LEVELS.start + 1,
    };
    let tasks = tasks_of([("cockpit", cockpit::RT_INFO)])?;
    let options = SchedulerOptions::new("cockpit", strategy, tasks);
    let scheduler = rt.create_scheduler(options.priorities(levels.filter_map(Priority::new)))?;
    let readers = Priority::new(READERS).unwrap_or_default();
    let pool = ThreadpoolOptions::new("cockpit", 4, 4, readers).scheduled_by(&scheduler);
    let pool = rt.create_threadpool(pool)?;
    let poa = rt.poa(orb.root_poa().create_poa("cockpit")).threadpool(&pool).build()?;
    let object: CockpitRef = poa.activate(Arc::new(Busy) as Arc<dyn Cockpit>)?;
    println!("{}", orb.object_to_string(&object)?);
    io::stdout().flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    let all = scheduler.statistics().into_iter().filter(|one| one.operation != "unlisted");
    let all = all.map(|one| {
        let kind = if one.is_critical { "critical" } else { "other" };
        let counts = [one.arrived, one.executed, one.missed, one.cancelled];
        format!("{} {kind} {}", one.operation, counts.map(|count| count.to_string()).join(" "))
    });
    println!("{}", all.collect::<Vec<_>>().join(";"));
    Ok(io::stdout().flush()?)
}

/// Releases each operation in each of its periods.
pub(super) fn release(worker: &Worker) -> Outcome {
    let cockpit: CockpitRef = Orb::new()?.resolve(&worker.place)?;
    cockpit.object().non_existent()?;
    let lasts = Duration::from_secs(number(worker, "seconds")?);
    let start = monotonic_now() + Duration::from_millis(50);
    thread::scope(|scope| {
        for info in cockpit::RT_INFO {
            let cockpit = &cockpit;
            scope.spawn(move || {
                let period = info.period.unwrap_or(lasts);
                let mut release = start;
                while release < start + lasts {
                    sleep_until(release);
                    let call = match info.operation.rsplit("::").next() {
                        Some("display") => cockpit.display_async(),
                        Some("radio") => cockpit.radio_async(),
                        Some("flight") => cockpit.flight_async(),
                        _ => cockpit.engine_async(),
                    };
                    // What becomes of it, the server counts.
                    call.on_reply(|_| ());
                    release += period;
                }
            });
        }
    });
    // The last critical ones end within their deadlines.
    sleep_until(start + lasts + Duration::from_millis(500));
    println!("released");
    Ok(io::stdout().flush()?)
}
