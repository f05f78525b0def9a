//! The server, until Ctrl-C: `telecom-server [--elements COUNT] [--rate ALARMS-A-SECOND] [-ORB…]`.

use armilla::Orb;
use std::error::Error;
use std::time::{Duration, Instant};
use telecom::service::Service;
use telecom::telecom::Severity;

/// The counts of elements, and of alarms a second.
fn options() -> Result<(u32, u32), String> {
    let (mut elements, mut rate) = (10_000, 5);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        let number = |most| {
            let number = value.parse().ok().filter(|number| *number <= most);
            number.ok_or_else(|| format!("{word} takes 0 to {most}, and not {value:?}"))
        };
        match word.as_str() {
            "--elements" => elements = number(100_000)?,
            "--rate" => rate = number(10_000)?,
            orb if orb.starts_with("-ORB") => {}
            _ => return Err(format!("{word} is no option; --elements, --rate and -ORB… are")),
        }
    }
    Ok((elements, rate))
}

/// Reports what the equipment of this number has at this moment of a simulated life.
fn simulate(service: &Service, moment: u32, elements: u32) {
    const TROUBLES: [(Severity, &str); 5] = [
        (Severity::Warning, "a cell is congested"),
        (Severity::Minor, "the clock has drifted"),
        (Severity::Major, "a line card does not answer"),
        (Severity::Critical, "no power"),
        (Severity::Cleared, ""),
    ];
    let (severity, text) = TROUBLES[moment as usize % TROUBLES.len()];
    let number = moment.wrapping_mul(2_654_435_761) % elements.max(1);
    service.report(&format!("ne{number:05}"), severity, text);
}

fn main() -> Result<(), Box<dyn Error>> {
    let (elements, rate) = options()?;
    let orb = Orb::from_args(std::env::args())?;
    let (service, manager) = Service::start(&orb, elements as usize, 100_000)?;
    println!("{}", orb.publish("Telecom", manager.object())?);
    let living = service.clone();
    std::thread::spawn(move || {
        for moment in 0.. {
            std::thread::sleep(Duration::from_secs(1) / rate.max(1));
            if rate > 0 {
                simulate(&living, moment, elements);
            }
            living.iterators.sweep(Instant::now());
        }
    });
    orb.run()?;
    service.observers.clear();
    Ok(())
}
