//! `armilla events listen`.

use super::Named;
use crate::orb::OrbArguments;
use armilla::dynamic::DynAny;
use armilla::{Any, Error, Orb, SystemException};
use armilla_events::corba::admin::{
    ConsumerAdmin as _, EventChannel as _, EventChannelRef, ProxyPushSupplier as _,
};
use armilla_events::corba::comm::{self, PushSupplier as _};
use armilla_events::corba::{self, Event, EventChannel as _};
use armilla_events::{ConsumerOptions, Subscription};
use armilla_ipc::Termination;
use armilla_terminal::{Context, Failure, Outcome, complain, say};
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// How many events wait to be printed; then the channel waits.
const WAITING: usize = 1024;

/// The arguments of `armilla events listen`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An event of one of our channels is printed with its header, one of another \
                  service is its data. With\n--type or --source only such events are asked for, \
                  which takes one of our channels."
)]
pub(crate) struct Listen {
    #[command(flatten)]
    named: Named,
    /// End after so many events
    #[arg(long, value_name = "COUNT")]
    count: Option<u64>,
    /// Only events of this type
    #[arg(long = "type", value_name = "NUMBER")]
    event_type: Option<u32>,
    /// Only events of this source
    #[arg(long, value_name = "NUMBER")]
    source: Option<u32>,
    /// Print the data alone
    #[arg(long)]
    data: bool,
}

/// What a consumer hears.
enum Heard {
    Event(Value),
    Disconnected,
    Interrupted,
}

pub(super) fn listen(options: &Listen, arguments: &OrbArguments) -> Outcome {
    let orb = options.named.at.orb(arguments)?;
    let channel = options.named.object(&orb)?;
    let (send, receive) = sync_channel(WAITING);
    let mut termination = Termination::install().context("cannot wait for signals")?;
    let interrupted = send.clone();
    thread::spawn(move || {
        termination.wait();
        // Nobody listens any more if this fails.
        interrupted.send(Heard::Interrupted).ok();
    });
    let is_ours = channel.is_a("IDL:armilla.org/RtEvents/EventChannel:1.0")?;
    if !is_ours && (options.event_type.is_some() || options.source.is_some()) {
        let what = "this channel is none of ours, and has neither types nor sources";
        return Err(Failure::because(what));
    }
    let leave: Box<dyn Fn()> = match is_ours {
        true => ours(options, &orb, &channel.assume(), send)?,
        false => plain(&orb, &channel.narrow()?, send)?,
    };
    complain(format_args!("listening\n"));
    let ended = print(options, &receive);
    leave();
    orb.shutdown();
    ended
}

/// Prints what is heard, until that is enough.
fn print(options: &Listen, heard: &Receiver<Heard>) -> Outcome {
    let mut count = 0;
    while options.count.is_none_or(|most| count < most) {
        match heard.recv() {
            Ok(Heard::Event(event)) => say!("{event}")?,
            Ok(Heard::Disconnected) => {
                return Err(Failure::because("the channel has disconnected this consumer"));
            }
            Ok(Heard::Interrupted) | Err(_) => return Ok(()),
        }
        count += 1;
    }
    Ok(())
}

/// Connects to one of our channels. Returns what disconnects.
fn ours(
    options: &Listen,
    orb: &Orb,
    channel: &corba::EventChannelRef,
    send: SyncSender<Heard>,
) -> Outcome<Box<dyn Fn()>> {
    let wanted = Subscription::event(options.source.unwrap_or(0), options.event_type.unwrap_or(0));
    let consumer = Ours { send, data_alone: options.data };
    let consumer = orb.root_poa().activate(corba::push_consumer::tie(consumer))?;
    let connected = channel.connect_consumer(&consumer, &ConsumerOptions::new(wanted).to_qos());
    let proxy = connected.map_err(|error| match error {
        Error::System(exception) => exception.into(),
        Error::User(refused) => Failure::because(format_args!("{refused:?}")),
    })?;
    // The channel may be gone.
    Ok(Box::new(move || drop(proxy.disconnect_push_supplier())))
}

/// Connects to a channel of any service.
fn plain(orb: &Orb, channel: &EventChannelRef, send: SyncSender<Heard>) -> Outcome<Box<dyn Fn()>> {
    let consumer = orb.root_poa().activate(comm::push_consumer::tie(Plain(send)))?;
    let proxy = channel.for_consumers()?.obtain_push_supplier()?;
    proxy.connect_push_consumer(&consumer).map_err(|error| match error {
        Error::System(exception) => exception.into(),
        Error::User(refused) => Failure::because(format_args!("{refused:?}")),
    })?;
    Ok(Box::new(move || drop(proxy.disconnect_push_supplier())))
}

fn data_of(any: &Any) -> Value {
    let json = DynAny::from_any(any).and_then(|value| value.to_json());
    json.unwrap_or_else(|error| json!({ "unreadable": error.to_string() }))
}

struct Ours {
    send: SyncSender<Heard>,
    data_alone: bool,
}

impl corba::PushConsumer for Ours {
    fn push(&self, received: &[Event]) -> Result<(), Error<corba::push_consumer::PushRaises>> {
        for event in received {
            let data = data_of(&event.data);
            let header = &event.header;
            let shown = match self.data_alone {
                true => data,
                false => json!({
                    "source": header.source,
                    "type": header.event_type,
                    "priority": header.priority,
                    "created": header.created,
                    "data": data,
                }),
            };
            self.send.send(Heard::Event(shown)).map_err(|_| comm::Disconnected {})?;
        }
        Ok(())
    }

    fn disconnect_push_consumer(&self) -> Result<(), SystemException> {
        self.send.send(Heard::Disconnected).ok();
        Ok(())
    }
}

struct Plain(SyncSender<Heard>);

impl comm::PushConsumer for Plain {
    fn push(&self, data: &Any) -> Result<(), Error<comm::push_consumer::PushRaises>> {
        let heard = Heard::Event(data_of(data));
        self.0.send(heard).map_err(|_| comm::Disconnected {})?;
        Ok(())
    }

    fn disconnect_push_consumer(&self) -> Result<(), SystemException> {
        self.0.send(Heard::Disconnected).ok();
        Ok(())
    }
}
