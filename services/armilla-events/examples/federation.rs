//! A channel of a process, joined to others: over calls, over UDP multicast, or both. It prints the
//! events that it gets and what its gateways count, until it is interrupted.
//!
//! ```text
//! federation SOURCE ENDPOINT [--with URL] [--group GROUP:PORT] [--interface NAME] [--hear ADDRESS]
//!     [--push MILLIS]
//!
//! federation 1 iiop://127.0.0.1:7001 --with corbaloc::127.0.0.1:7002/Events --push 500
//! federation 2 iiop://127.0.0.1:7002 --with corbaloc::127.0.0.1:7001/Events
//! ```
//!
//! SOURCE is the number by which its events are known. `--with` passes events of that channel on to
//! this one; the gateway waits for that process, and connects again when it comes back. `--hear`
//! names the hosts of a group that are heard.

use armilla::Orb;
use armilla_events::corba::{Event, EventChannelRef};
use armilla_events::{
    ConsumerOptions, EventChannel, Gateway, GatewayOptions, MulticastGateway, MulticastOptions,
    Subscription,
};
use armilla_rt::RtOrb;
use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;
use std::{env, thread};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The type of the events that are pushed.
const COUNT: u32 = 20;

const USAGE: &str = "federation SOURCE ENDPOINT [--with URL] [--group GROUP:PORT] \
                     [--interface NAME] [--hear ADDRESS] [--push MILLIS]";

#[derive(Default)]
struct Arguments {
    source: u32,
    endpoint: String,
    with: Vec<String>,
    group: Option<String>,
    interface: Option<String>,
    hear: Vec<IpAddr>,
    push: Option<Duration>,
}

fn arguments() -> Outcome<Arguments> {
    let mut words = env::args().skip(1);
    let (Some(source), Some(endpoint)) = (words.next(), words.next()) else {
        return Err(USAGE.into());
    };
    let mut found = Arguments { source: source.parse()?, endpoint, ..Arguments::default() };
    while let Some(option) = words.next() {
        let value = words.next().ok_or_else(|| format!("{option} takes a value"))?;
        match option.as_str() {
            "--with" => found.with.push(value),
            "--group" => found.group = Some(value),
            "--interface" => found.interface = Some(value),
            "--hear" => found.hear.push(value.parse()?),
            "--push" => found.push = Some(Duration::from_millis(value.parse()?)),
            other => return Err(format!("{other} is no option: {USAGE}").into()),
        }
    }
    Ok(found)
}

/// Joins the channel at `url` to ours. Waits until it is there.
fn join(orb: &Orb, url: &str, ours: &EventChannel) -> Outcome<Gateway> {
    let theirs: EventChannelRef = orb.string_to_object(url)?.assume();
    let counts = ConsumerOptions::new(Subscription::of_type(COUNT));
    loop {
        match Gateway::connect(orb, &theirs, ours, GatewayOptions::new(counts.clone())) {
            Ok(gateway) => return Ok(gateway),
            Err(error) => println!("waiting for {url}: {error}"),
        }
        thread::sleep(Duration::from_secs(1));
    }
}

fn show(events: &[Event]) {
    for event in events {
        let number = event.value::<u32>().ok().flatten().unwrap_or_default();
        println!("event {number} of {}", event.header.source);
    }
}

fn main() -> Outcome {
    let Arguments { source, endpoint, with, group, interface, hear, push } = arguments()?;
    let orb = Orb::builder().listen(&endpoint)?.build()?;
    let channel = EventChannel::builder(&RtOrb::new(&orb)).build()?;
    orb.publish("Events", channel.reference())?;
    channel.connect(show, ConsumerOptions::new(Subscription::of_type(COUNT)))?;
    let multicast = group.map(|group| -> Outcome<_> {
        let own = ConsumerOptions::new(Subscription::event(source, COUNT));
        let mut options = MulticastOptions::new(group.parse()?, own);
        options.interface = interface;
        options.sources = hear;
        Ok(MulticastGateway::join(&channel, options)?)
    });
    let multicast = multicast.transpose()?;
    let gateways = with.iter().map(|url| join(&orb, url, &channel));
    let gateways: Vec<_> = gateways.collect::<Outcome<_>>()?;
    println!("joined");
    for number in 1_u32.. {
        thread::sleep(push.unwrap_or(Duration::from_secs(2)));
        if push.is_some() {
            channel.push(Event::new(source, COUNT, &number)?);
        }
        if push.is_none() || number % 10 == 0 {
            gateways.iter().for_each(|gateway| println!("{gateway:?}"));
            multicast.iter().for_each(|gateway| println!("{gateway:?}"));
        }
    }
    Ok(())
}
