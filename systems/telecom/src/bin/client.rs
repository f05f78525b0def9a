//! The management client; `USAGE` has its commands.

use armilla::{Orb, SystemException};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::mpsc::{Sender, channel};
use telecom::telecom::{
    Alarm, AlarmObserver, AlarmObserverRef, CallDetails as _, Element as _, Manager as _,
    ManagerRef, Severity, StringIterator as _, StringIteratorRef, alarm_observer,
};

const USAGE: &str = "\
usage: telecom-client [-ORB…] COMMAND
  list [PREFIX]               the names of elements
  alarms [COUNT]              the most severe alarms
  watch [COUNT]               alarms as they come, for ever or so many
  get ELEMENT                 the state of an element
  ack ALARM [NAME]            acknowledges an alarm
  report ELEMENT SEVERITY TEXT   what equipment says; severities from 0, cleared, to 4, critical
  call KEY                    the first record of a call that begins so
  calls KEY                   all of them
The server is corbaloc::localhost:2870/Telecom, or -ORBInitRef Telecom=URL";

/// How many strings a call asks for.
const BATCH: u32 = 500;

/// Prints what an observer is told.
struct Printer(Sender<(Vec<Alarm>, u64)>);

impl AlarmObserver for Printer {
    fn notify(&self, changed: &[Alarm], lost: u64) -> Result<(), SystemException> {
        // After the last wanted alarm nobody receives.
        self.0.send((changed.to_vec(), lost)).ok();
        Ok(())
    }
}

fn print(alarm: &Alarm) -> io::Result<()> {
    let by = match alarm.acknowledged_by.as_str() {
        "" => String::new(),
        name => format!(" (acknowledged by {name})"),
    };
    let severity = format!("{:?}", alarm.how_severe);
    let Alarm { number, element, text, .. } = alarm;
    writeln!(io::stdout(), "{number:>6} {element} {severity:8} {text}{by}")
}

/// Prints the strings and what their iterator still has.
fn print_all(answer: (Vec<String>, StringIteratorRef)) -> Result<(), Box<dyn Error>> {
    let (mut strings, rest) = answer;
    while !strings.is_empty() {
        writeln!(io::stdout(), "{}", strings.join("\n"))?;
        strings = if rest.is_nil() { Vec::new() } else { rest.next_n(BATCH)? };
    }
    if !rest.is_nil() {
        rest.destroy()?;
    }
    Ok(())
}

/// Prints alarms as they come; `count` of them, or until Ctrl-C.
fn watch(orb: &Orb, manager: &ManagerRef, count: usize) -> Result<(), Box<dyn Error>> {
    let (sender, receiver) = channel();
    let printer = alarm_observer::tie(Printer(sender));
    let observer: AlarmObserverRef = orb.root_poa().activate(printer)?;
    let number = manager.watch(&observer)?;
    eprintln!("watching");
    let mut printed = 0;
    while printed < count {
        let (alarms, lost) = receiver.recv()?;
        if lost > 0 {
            writeln!(io::stdout(), "{lost} alarms were lost")?;
        }
        alarms.iter().take(count - printed).try_for_each(print)?;
        printed += alarms.len();
    }
    manager.unwatch(number)?;
    orb.shutdown();
    Ok(())
}

fn number<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("a number was expected, and not {word:?}"))
}

fn run(words: &[&str], arguments: Vec<String>) -> Result<(), Box<dyn Error>> {
    let builder = Orb::builder().initial_reference("Telecom", "corbaloc::localhost:2870/Telecom");
    let orb = builder.arguments(arguments)?.build()?;
    let manager: ManagerRef = orb.resolve_initial_references("Telecom")?.narrow()?;
    match *words {
        ["list"] => print_all(manager.elements("", BATCH)?)?,
        ["list", prefix] => print_all(manager.elements(prefix, BATCH)?)?,
        ["alarms"] => manager.raised(20)?.iter().try_for_each(print)?,
        ["alarms", count] => manager.raised(number(count)?)?.iter().try_for_each(print)?,
        ["watch"] => watch(&orb, &manager, usize::MAX)?,
        ["watch", count] => watch(&orb, &manager, number(count)?)?,
        ["get", name] => print(&manager.find(name)?.state()?)?,
        ["ack", alarm] => manager.acknowledge(number(alarm)?, "telecom-client")?,
        ["ack", alarm, name] => manager.acknowledge(number(alarm)?, name)?,
        ["report", name, severity, text] => {
            let severity = Severity::from_discriminant(number(severity)?);
            let severity = severity.map_err(|_| "severities are 0 to 4")?;
            manager.find(name)?.report(severity, text)?;
        }
        ["call", key] => writeln!(io::stdout(), "{}", manager.calls()?.get_single_string(key)?)?,
        ["calls", key] => print_all(manager.calls()?.get_multiple_strings(key, BATCH)?)?,
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().collect();
    let all = arguments.clone();
    // The ORB's options and their values are not words of the command.
    while let Some(place) = arguments.iter().position(|word| word.starts_with("-ORB")) {
        arguments.drain(place..(place + 2).min(arguments.len()));
    }
    let words: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    match run(&words, all) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
