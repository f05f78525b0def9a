//! A client that asks everything of an event channel, and sends to its multicast group what is no
//! event, and what is one. `lab/interop/strangers/check` runs it as a stranger.
//!
//! ```text
//! events_stranger ask URL [-ORB…]
//! events_stranger send GROUP:PORT
//! ```
//!
//! A line of `ask` has an operation and its outcome: `ok`, a system exception or a user exception.
//! At the end it destroys the channel.

use armilla::{Any, Error, Orb, SystemException};
use armilla_events::corba::admin::{
    ConsumerAdmin as _, EventChannel as _, ProxyPullConsumer as _, ProxyPullSupplier as _,
    ProxyPushConsumer as _, ProxyPushSupplier as _, SupplierAdmin as _,
};
use armilla_events::corba::comm::{
    PullConsumerRef, PullSupplier as _, PullSupplierRef, PushConsumer as _, PushSupplier as _,
    PushSupplierRef,
};
use armilla_events::corba::push_consumer::{self, PushRaises};
use armilla_events::corba::{
    Event, EventChannel as _, EventChannelRef, ProxyPushSupplier as _, PushConsumer,
};
use armilla_events::{ConsumerOptions, EventDatagram, Subscription};
use std::fmt::Debug;
use std::net::UdpSocket;
use std::time::Duration;

type Failure = Box<dyn std::error::Error>;

/// A source that no channel of ours has, and the type that the example `federation` shows.
const SOURCE: u32 = 99;
const COUNT: u32 = 20;

/// More than a channel has places for suppliers.
const MANY: usize = 1_100;

/// The places of suppliers, unless a channel says otherwise.
const PLACES: u32 = 1_024;

fn main() -> Result<(), Failure> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["send", group] = words[..] {
        return send(group);
    }
    let orb = Orb::init(&mut arguments)?;
    let ["ask", url] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        return Err("ask URL, or send GROUP:PORT".into());
    };
    let object = orb.string_to_object(url)?.with_timeout(Duration::from_secs(20));
    let channel: EventChannelRef = object.assume();
    ours(&orb, &channel)?;
    plain(&channel)?;
    places(&channel);
    tell_system("destroy", channel.destroy());
    tell_system("statistics of what was destroyed", channel.statistics());
    Ok(())
}

/// Prints the outcome of an operation.
fn tell<T, E: Debug>(operation: &str, outcome: Result<T, Error<E>>) {
    let text = match outcome {
        Ok(_) => "ok".to_owned(),
        Err(Error::System(exception)) => exception.to_string(),
        Err(Error::User(exception)) => format!("{exception:?}"),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = text.split(|c| !is_name(c)).next().unwrap_or_default();
    println!("{operation} {name}");
}

/// The same for one without user exceptions.
fn tell_system<T>(operation: &str, outcome: Result<T, SystemException>) {
    tell(operation, outcome.map_err(Error::<()>::System));
}

/// Takes events.
struct Consumer;

impl PushConsumer for Consumer {
    fn push(&self, _: &[Event]) -> Result<(), Error<PushRaises>> {
        Ok(())
    }

    fn disconnect_push_consumer(&self) -> Result<(), SystemException> {
        Ok(())
    }
}

/// The interface of Armilla.
fn ours(orb: &Orb, channel: &EventChannelRef) -> Result<(), Failure> {
    let consumer = orb.root_poa().activate(push_consumer::tie(Consumer))?;
    let wanted = ConsumerOptions::new(Subscription::of_source(SOURCE)).to_qos();
    let mut longest = wanted.clone();
    longest.queue_length = u32::MAX;
    tell("connect_consumer", channel.connect_consumer(&consumer, &longest));
    let demand = channel.connect_consumer(&consumer, &wanted)?;
    let subscription = Subscription::of_type(COUNT);
    tell("change_subscription", demand.change_subscription(subscription.term()));
    tell_system("suspend_connection", demand.suspend_connection());
    tell_system("resume_connection", demand.resume_connection());
    tell_system("consumer's statistics", demand.statistics());
    tell_system("disconnect_push_supplier", demand.disconnect_push_supplier());
    let supply = channel.connect_supplier(&PushSupplierRef::nil())?;
    let event = Event::new(SOURCE, COUNT, &1_u32)?.with_hops(u8::MAX).with_priority(i16::MAX);
    tell("push", supply.push(&[event]));
    tell_system("disconnect_push_consumer", supply.disconnect_push_consumer());
    tell_system("statistics", channel.statistics());
    Ok(())
}

/// The interfaces of the standard.
fn plain(channel: &EventChannelRef) -> Result<(), Failure> {
    let (consumers, suppliers) = (channel.for_consumers()?, channel.for_suppliers()?);
    let supply = suppliers.obtain_push_consumer()?;
    tell("connect_push_supplier", supply.connect_push_supplier(&PushSupplierRef::nil()));
    tell("plain push", supply.push(&Any::new(&1_u32)?));
    tell_system("plain disconnect", supply.disconnect_push_consumer());
    let pulled = consumers.obtain_pull_supplier()?;
    tell("connect_pull_consumer", pulled.connect_pull_consumer(&PullConsumerRef::nil()));
    tell("try_pull", pulled.try_pull());
    tell_system("disconnect_pull_supplier", pulled.disconnect_pull_supplier());
    let pulling = suppliers.obtain_pull_consumer()?;
    tell("connect_pull_supplier", pulling.connect_pull_supplier(&PullSupplierRef::nil()));
    let pushed = consumers.obtain_push_supplier()?;
    let nobody = armilla_events::corba::comm::PushConsumerRef::nil();
    tell("connect_push_consumer", pushed.connect_push_consumer(&nobody));
    Ok(())
}

/// All places of suppliers, and more: a further one is refused, or takes the place of one that is
/// idle.
fn places(channel: &EventChannelRef) {
    let connect = |_| channel.connect_supplier(&PushSupplierRef::nil()).map(drop);
    let outcome = (0..MANY).try_for_each(connect);
    let count = channel.statistics().map_or(u32::MAX, |statistics| statistics.suppliers);
    match outcome {
        Ok(()) | Err(Error::User(_)) if count <= PLACES => {
            println!("connect_supplier again and again bounded");
        }
        outcome => tell("connect_supplier again and again", outcome),
    }
}

/// Sends datagrams to a group: nothing, another protocol, the beginning of an event, an event.
fn send(group: &str) -> Result<(), Failure> {
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    let event = Event::new(SOURCE, COUNT, &7_u32)?.with_hops(u8::MAX);
    let datagram = EventDatagram { sender: 1, number: 1, event }.encode()?;
    let longest = vec![b'A'; 60_000];
    for octets in [&[][..], b"GET / HTTP/1.0\r\n\r\n", &datagram[..30], &longest, &datagram] {
        socket.send_to(octets, group)?;
    }
    Ok(())
}
