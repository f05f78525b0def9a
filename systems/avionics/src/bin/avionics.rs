//! The process of the event channel, navigation, display and recorder. It starts the process of the
//! sensors, which stands beside it.
//!
//! `avionics [--seconds N] [--page FILE] [--strict]`. The exit status is 1 if a deadline was missed,
//! and 2 if the flight failed.

use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException};
use armilla_events::EventChannel;
use armilla_ipc::Termination;
use armilla_rt::{
    DirectMapping, Measurement, NativeRange, Platform, Priority, RtOrb, Threadpool,
    ThreadpoolOptions,
};
use avionics::flight::Flight;
use avionics::page::page;
use avionics::plan::{LOWEST, Plan};
use avionics::view::table;
use std::error::Error;
use std::io::{IsTerminal, stdout};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The number of the signal of Ctrl-C.
const SIGINT: i32 = 2;

/// The exit statuses.
const MISSED: u8 = 1;
const FAILED: u8 = 2;

const USAGE: &str = "usage: avionics [--seconds N] [--page FILE] [--strict]\n\
                     exit status: 0 if all deadlines were met, 1 if not, 2 after an error";

/// What the command line says.
struct Options {
    seconds: u64,
    page: Option<PathBuf>,
    strict: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options { seconds: 10, page: None, strict: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} takes a value"));
        match word.as_str() {
            "--seconds" => {
                let seconds = value()?;
                options.seconds = seconds
                    .parse()
                    .ok()
                    .filter(|seconds| (1..=3_600).contains(seconds))
                    .ok_or_else(|| format!("--seconds takes 1 to 3600, and not {seconds}"))?;
            }
            "--page" => options.page = Some(value()?.into()),
            "--strict" => options.strict = true,
            _ => return Err(format!("there is no option {word}; {USAGE}")),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    if std::env::args().any(|word| word == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match fly() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(MISSED),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(FAILED)
        }
    }
}

/// Flies, and returns how many deadlines were missed.
fn fly() -> Result<u64, Box<dyn Error>> {
    let options = options()?;
    let ends_early = end_at_a_signal()?;
    let plan = Plan::new()?;
    let verdict = if plan.report.is_schedulable() { "meets" } else { "may miss" };
    println!("rate monotonic: every operation {verdict} its deadlines, as analysed");
    let mut platform = Platform::real_time();
    if options.strict {
        platform = platform.strict();
    }
    let report = platform.prepare()?;
    let is_granted = report.is_granted();
    match is_granted {
        true => println!("the platform grants all of real time that was asked for"),
        false => println!("not everything is granted; the flight goes on without:\n{report}"),
    }
    // `armilla rt measure` wants to know how long everything takes.
    let measurement = Measurement::from_environment();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    let mut rt = RtOrb::new(&orb).with_mapping(DirectMapping(NativeRange::FIFO));
    if options.strict {
        rt = rt.strict();
    }
    let pool = lanes(&rt, &plan)?;
    match is_granted {
        true => println!("{pool}"),
        // The report has said why.
        false => println!("{pool:#}"),
    }
    let lowest = Priority::new(LOWEST).unwrap_or_default();
    let mut channel =
        EventChannel::builder(&rt).threadpool(&pool).priority(lowest).schedule(&plan.report);
    if options.strict {
        channel = channel.strict();
    }
    if let Some(measurement) = &measurement {
        channel = channel.measure(measurement);
    }
    let channel = channel.build()?;
    let flight = Flight::begin(&channel, &plan)?;
    let url = orb.object_to_string(channel.reference())?;
    let sensors = start_sensors(&url, options.seconds, is_granted)?;
    watch(&flight, sensors, &ends_early)?;
    println!("{}", table(&flight));
    let missed: u64 = flight.instruments.iter().map(|it| it.read().missed).sum();
    println!("{missed} deadlines missed; {} events pushed", channel.statistics().pushed);
    if let Some(path) = &options.page {
        let written = std::fs::write(path, page(&flight, &plan));
        written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        println!("wrote {}", path.display());
    }
    channel.destroy();
    measurement.map_or(Ok(()), |it| it.write())?;
    orb.shutdown();
    Ok(missed)
}

/// A lane for each priority of a sensor, and one for those without.
fn lanes(rt: &RtOrb, plan: &Plan) -> Result<Threadpool, SystemException> {
    let lowest = Priority::new(LOWEST).unwrap_or_default();
    let sensors = plan.report.operations.iter().filter(|one| one.process == "sensors");
    let mut priorities: Vec<Priority> = sensors.map(|one| plan.priority(&one.name)).collect();
    priorities.sort();
    priorities.dedup();
    if priorities.contains(&lowest) {
        let what = "the schedule gives a sensor the lowest priority";
        return Err(SystemException::new(
            ExceptionKind::BadParam,
            Minor::default(),
            Completion::No,
        )
        .with_reason(what.to_owned()));
    }
    let options = ThreadpoolOptions::with_lanes("sensors").lane(lowest, 1, 1);
    let options = priorities.into_iter().fold(options, |options, it| options.lane(it, 1, 0));
    rt.create_threadpool(options)
}

/// Starts the process of the sensors. What is not granted there is not granted here, and was said.
fn start_sensors(url: &str, seconds: u64, is_granted: bool) -> Result<Child, Box<dyn Error>> {
    let program = std::env::current_exe()?.with_file_name("avionics-sensors");
    let mut command = Command::new(&program);
    command.args([url, &seconds.to_string()]);
    if !is_granted {
        command.arg("--told");
    }
    let child = command.spawn();
    child.map_err(|error| {
        let build = "`cargo build -p avionics` makes both programs";
        format!("{}: {error}; {build}", program.display()).into()
    })
}

/// What SIGINT (Ctrl-C) and SIGTERM set: the flight ends early, and all the same with its result.
fn end_at_a_signal() -> std::io::Result<Arc<AtomicBool>> {
    let mut termination = Termination::install()?;
    let ends = Arc::new(AtomicBool::new(false));
    let set = ends.clone();
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        termination.wait();
        set.store(true, Ordering::SeqCst);
    })?;
    Ok(ends)
}

/// Shows the flight until the sensors end, if anybody looks.
fn watch(flight: &Flight, mut sensors: Child, ends: &AtomicBool) -> Result<(), Box<dyn Error>> {
    let live = stdout().is_terminal();
    loop {
        if let Some(status) = sensors.try_wait()? {
            // Ctrl-C in a terminal is for both processes, and may end the other one first.
            let is_early = ends.load(Ordering::SeqCst) || status.signal() == Some(SIGINT);
            return match status.success() || is_early {
                true => Ok(()),
                false => Err(format!("the sensors ended with {status}").into()),
            };
        }
        std::thread::sleep(Duration::from_millis(200));
        if ends.load(Ordering::SeqCst) {
            // It may have ended just now.
            sensors.kill().ok();
        }
        if live {
            let table = table(flight);
            // Up again, so that the next one is written over it.
            print!("{table}\x1b[{}A", table.lines().count());
        }
    }
}
