//! `armilla time`: serves the time and timers, tells the time, and sets an alarm.

use crate::orb::OrbArguments;
use crate::place::{At, Place};
use crate::service::ServerArguments;
use crate::values::untyped;
use armilla::Error;
use armilla_cos::server::{self, Server};
use armilla_cos::time::corba::{TimeService as _, TimeServiceRef, Uto, UtoRef};
use armilla_cos::time::model::{UNIX, duration, units};
use armilla_cos::time::{KEY, TimeOptions};
use armilla_cos::timers::corba::{
    PushConsumerRef, TimeType, TimerEventHandler, TimerEventHandlerRef, TimerEventService,
    TimerEventServiceRef,
};
use armilla_cos::timers::{KEY as TIMERS_KEY, Store, TimerOptions};
use armilla_terminal::{Failure, Outcome, say};
use std::path::PathBuf;
use std::time::Duration;
use time::OffsetDateTime;

/// The endpoint of a service, if no `-ORBEndpoint` says another.
const ENDPOINT: &str = "iiop://:11173";

const SERVICE: Place = Place { name: KEY, variable: "ARMILLA_TIME", usual: "127.0.0.1:11173" };
const TIMERS: Place = Place { name: TIMERS_KEY, ..SERVICE };

/// The arguments of `armilla time`.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A service is found at --at HOST:PORT or URL, else where -ORBInitRef says, \
                  else at ARMILLA_TIME, else at\n127.0.0.1:11173."
)]
pub(crate) enum Time {
    /// Serve the time and timers until interrupted; prints `ready URL`
    Serve(Box<Serve>),
    /// Print the time of a service, and how inaccurate it is
    Now(Now),
    /// Let a service push an event when it is time; prints the reference of the timer
    Alarm(Alarm),
    /// Cancel a timer
    Cancel(Cancel),
}

/// The arguments of `armilla time serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the service listens at iiop://:11173. How inaccurate the clock \
                  is the kernel knows,\nwhile that follows another clock. Without --store timers\nare in memory."
)]
pub(crate) struct Serve {
    #[command(flatten)]
    server: ServerArguments,
    /// Take the clock for so inaccurate while it follows no other one
    #[arg(long, value_name = "SECONDS")]
    inaccuracy: Option<f64>,
    /// Say that nobody sets the clock of this host who must not
    #[arg(long)]
    secure: bool,
    /// Tell times with this displacement from Greenwich
    #[arg(long, value_name = "MINUTES", default_value_t = 0, allow_negative_numbers = true)]
    displacement: i16,
    /// Keep timers in this directory, so that they outlive the process
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Have at most so many timers
    #[arg(long, value_name = "COUNT")]
    timers: Option<usize>,
    /// Bind the service to this name in the naming service of -ORBInitRef NameService=URL
    #[arg(long, value_name = "NAME")]
    bind: Option<String>,
}

/// The arguments of `armilla time now`.
#[derive(Debug, clap::Args)]
pub(crate) struct Now {
    /// Ask for a time that is secure
    #[arg(long)]
    secure: bool,
    #[command(flatten)]
    at: At,
}

/// The arguments of `armilla time alarm`.
#[derive(Debug, clap::Args)]
pub(crate) struct Alarm {
    /// The push consumer: of an event channel, or of a program
    #[arg(value_name = "REF")]
    consumer: String,
    /// When, from now
    #[arg(value_name = "SECONDS")]
    after: f64,
    /// Again and again, each time after so long
    #[arg(long)]
    again: bool,
    /// What the event carries, in JSON; a text needs no quotes
    #[arg(default_value = "")]
    data: String,
    #[command(flatten)]
    at: At,
}

/// The arguments of `armilla time cancel`.
#[derive(Debug, clap::Args)]
pub(crate) struct Cancel {
    /// The timer
    #[arg(value_name = "REF")]
    timer: String,
    #[command(flatten)]
    at: At,
}

pub(crate) fn run(time: &Time, arguments: &OrbArguments) -> Outcome {
    match time {
        Time::Serve(options) => serve(options, arguments),
        Time::Now(options) => now(options, arguments),
        Time::Alarm(options) => alarm(options, arguments),
        Time::Cancel(options) => {
            let (orb, timers) = TIMERS.at(&options.at, arguments)?;
            let timers: TimerEventServiceRef = timers.narrow()?;
            let timer: TimerEventHandlerRef = orb.string_to_object(&options.timer)?.assume();
            Ok(timers.unregister(&timer)?)
        }
    }
}

fn seconds(what: &str, seconds: f64) -> Outcome<Duration> {
    let refused = |_| {
        Failure::usage(format_args!("{what} is {seconds}: it takes a number of seconds from 0 on"))
    };
    Duration::try_from_secs_f64(seconds).map_err(refused)
}

fn serve(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let callers = options.server.callers(false)?;
    let mut time = TimeOptions::default();
    time.inaccuracy = options.inaccuracy.map(|it| seconds("--inaccuracy", it)).transpose()?;
    (time.is_secure, time.displacement) = (options.secure, options.displacement);
    let mut timers = TimerOptions::default();
    timers.most = options.timers.unwrap_or(timers.most);
    // References are read from the store with an ORB that serves nothing.
    let reading = armilla::Orb::new()?;
    let store = match &options.store {
        Some(directory) => Store::open(directory, &reading).map_err(Failure::because)?,
        None => Store::memory(),
    };
    let server = Server::builder().console(options.server.console(arguments, &callers));
    let server = options.bind.iter().fold(server, |server, name| server.bind(name));
    let configure = |orb| arguments.configure(orb, ENDPOINT, &callers);
    Ok(server.start(configure, |orb| server::time(orb, time, timers, store))?.run()?)
}

fn now(options: &Now, arguments: &OrbArguments) -> Outcome {
    let (_orb, service) = SERVICE.at(&options.at, arguments)?;
    let service: TimeServiceRef = service.narrow()?;
    let unknown = |what: &str| Failure::because(format_args!("the service does not know {what}"));
    let now: UtoRef = match options.secure {
        true => service.secure_universal_time().map_err(|error| match error {
            Error::System(exception) => exception.into(),
            Error::User(_) => unknown(
                "a secure time\n  hint: it does once its host follows another clock, as by NTP, and \
                 whoever serves it says `armilla time serve --secure`",
            ),
        })?,
        false => service.universal_time().map_err(|error| match error {
            Error::System(exception) => exception.into(),
            Error::User(_) => unknown(
                "how wrong its clock is, which follows no other one\n  hint: let its host follow one, as by \
                 NTP, or say how wrong it may be: `armilla time serve --inaccuracy SECONDS`",
            ),
        })?,
    };
    let (time, inaccuracy) = (now.time()?, now.inaccuracy()?);
    let since = i128::from(time) - i128::from(UNIX);
    let date = OffsetDateTime::from_unix_timestamp_nanos(since * 100).map_err(Failure::because)?;
    let (day, month, hour) = (date.day(), u8::from(date.month()), date.hour());
    let (minute, second, part) = (date.minute(), date.second(), date.nanosecond() / 100);
    say!(
        "{}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{part:07}Z  give or take {} s",
        date.year(),
        duration(inaccuracy).as_secs_f64()
    )
}

fn alarm(options: &Alarm, arguments: &OrbArguments) -> Outcome {
    let (orb, service) = SERVICE.at(&options.at, arguments)?;
    let service: TimeServiceRef = service.narrow()?;
    let (_, timers) = TIMERS.at(&options.at, arguments)?;
    let timers: TimerEventServiceRef = timers.narrow()?;
    let consumer: PushConsumerRef = orb.string_to_object(&options.consumer)?.narrow()?;
    let data = untyped(&options.data).map_err(Failure::usage)?;
    let length = units(seconds("SECONDS", options.after)?);
    let timer = timers.register(&consumer, &data)?;
    let kind = if options.again { TimeType::TtPeriodic } else { TimeType::TtRelative };
    let set = timer.set_timer(kind, &service.new_universal_time(length, 0, 0)?);
    if let Err(exception) = set {
        timers.unregister(&timer)?;
        return Err(exception.into());
    }
    say!("{}", orb.object_to_string(&timer)?)
}
