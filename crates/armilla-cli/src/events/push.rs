//! `armilla events push`.

use super::Named;
use crate::orb::OrbArguments;
use armilla::Any;
use armilla_events::corba::admin::{
    EventChannel as _, EventChannelRef, ProxyPushConsumer as _, SupplierAdmin as _,
};
use armilla_events::corba::comm::{PushConsumer as _, PushSupplierRef};
use armilla_events::corba::{self, Event, EventChannel as _, PushConsumer as _};
use armilla_terminal::{Context, Failure, Outcome, say};
use serde_json::Value;
use std::io::BufRead;

/// The arguments of `armilla events push`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A value is a string, or with --json a number, a boolean or a string: long, long \
                  long, double, boolean\nor string in the event."
)]
pub(crate) struct Push {
    #[command(flatten)]
    named: Named,
    /// The data of the events; without any, each line of standard input
    #[arg(value_name = "VALUE")]
    values: Vec<String>,
    /// Read the values as JSON
    #[arg(long)]
    json: bool,
    /// The type of the events, for subscriptions of our own channels
    #[arg(long = "type", value_name = "NUMBER")]
    event_type: Option<u32>,
    /// The source of the events, for subscriptions of our own channels
    #[arg(long, value_name = "NUMBER")]
    source: Option<u32>,
}

pub(super) fn push(options: &Push, arguments: &OrbArguments) -> Outcome {
    let orb = options.named.at.orb(arguments)?;
    let channel = options.named.object(&orb)?;
    let count = match (options.event_type, options.source) {
        (None, None) => {
            let channel: EventChannelRef = channel.narrow()?;
            let proxy = channel.for_suppliers()?.obtain_push_consumer()?;
            proxy.connect_push_supplier(&PushSupplierRef::nil()).map_err(text)?;
            let pushed = each(options, |data| proxy.push(&data).map_err(text));
            // What was pushed was pushed.
            proxy.disconnect_push_consumer().ok();
            pushed?
        }
        (event_type, source) => {
            let channel: corba::EventChannelRef = channel.narrow()?;
            let proxy = channel.connect_supplier(&PushSupplierRef::nil()).map_err(text)?;
            let pushed = each(options, |data| {
                let (source, event_type) = (source.unwrap_or(0), event_type.unwrap_or(0));
                let event = Event { data, ..Event::signal(source, event_type) };
                proxy.push(&[event]).map_err(text)
            });
            proxy.disconnect_push_consumer().ok();
            pushed?
        }
    };
    say!("{count} events pushed")
}

/// Pushes each value. Returns how many.
fn each(options: &Push, mut push: impl FnMut(Any) -> Outcome) -> Outcome<u64> {
    let mut count = 0;
    let mut one = |text: &str| {
        push(data(options, text)?)?;
        count += 1;
        Ok::<(), Failure>(())
    };
    if options.values.is_empty() {
        for line in std::io::stdin().lock().lines() {
            one(&line.context("cannot read standard input")?)?;
        }
    } else {
        options.values.iter().try_for_each(|value| one(value))?;
    }
    Ok(count)
}

/// A value as the data of an event.
fn data(options: &Push, text: &str) -> Outcome<Any> {
    if !options.json {
        return Ok(Any::new(text)?);
    }
    let value: Value = serde_json::from_str(text)
        .map_err(|error| Failure::because(format_args!("{text}: {error}")))?;
    Ok(match &value {
        Value::Bool(value) => Any::new(value)?,
        Value::String(value) => Any::new(value.as_str())?,
        Value::Number(number) => match number.as_i64() {
            Some(integer) => match i32::try_from(integer) {
                Ok(integer) => Any::new(&integer)?,
                Err(_) => Any::new(&integer)?,
            },
            None => Any::new(&number.as_f64().unwrap_or_default())?,
        },
        _ => {
            let what = "a number, a boolean or a string is needed; `armilla call` pushes any value";
            return Err(Failure::because(format_args!("{text}: {what}")));
        }
    })
}

fn text<E>(error: armilla::Error<E>) -> Failure {
    match error {
        armilla::Error::System(exception) => exception.into(),
        // All that a proxy says to its first supplier.
        armilla::Error::User(_) => Failure::because("the channel has disconnected its suppliers"),
    }
}
