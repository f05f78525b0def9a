//! `armilla events ls` and `stats`.

use super::{Named, factory, failed};
use crate::orb::OrbArguments;
use armilla_events::corba::factory::{ChannelFactory, ChannelFactoryRef};
use armilla_events::corba::{ChannelStatistics, EventChannel, EventChannelRef};
use armilla_terminal::{Outcome, one_line, say};

pub(super) fn list(factory: &ChannelFactoryRef) -> Outcome {
    say!(
        "{:<32} {:>9} {:>9} {:>12} {:>12}",
        "CHANNEL",
        "CONSUMERS",
        "SUPPLIERS",
        "PUSHED",
        "UNWANTED"
    )?;
    for channel in factory.list_channels()? {
        let ChannelStatistics { consumers, suppliers, pushed, unwanted, .. } = channel.statistics;
        say!(
            "{:<32} {consumers:>9} {suppliers:>9} {pushed:>12} {unwanted:>12}",
            one_line(&channel.name)
        )?;
    }
    Ok(())
}

pub(super) fn stats(named: &Named, arguments: &OrbArguments) -> Outcome {
    let orb = named.at.orb(arguments)?;
    if named.is_reference() {
        // A channel of another service has no more than this to tell, if it is one of ours.
        let channel: EventChannelRef = named.object(&orb)?.narrow()?;
        return show(&channel.statistics()?);
    }
    let factory = factory(&orb)?;
    show(&failed(factory.find_channel(&named.name))?.statistics()?)?;
    let consumers = failed(factory.list_consumers(&named.name))?;
    if consumers.is_empty() {
        return Ok(());
    }
    say!(
        "\n{:<12} {:<22} {:>9} {:>10} {:>8} {:>9} {:>8} {:>7}",
        "CONSUMER",
        "OBJECT",
        "HEARD OF",
        "DELIVERED",
        "WAITING",
        "DISCARDED",
        "EXPIRED",
        "FAILED"
    )?;
    for consumer in consumers {
        let kind = if consumer.pulls { "pulls" } else { "is pushed to" };
        let statistics = consumer.statistics;
        say!(
            "{kind:<12} {:<22} {:>7} s {:>10} {:>8} {:>9} {:>8} {:>7}",
            one_line(&consumer.address),
            consumer.idle / 1000,
            statistics.delivered,
            statistics.waiting,
            statistics.discarded,
            statistics.expired,
            statistics.failed
        )?;
    }
    Ok(())
}

fn show(statistics: &ChannelStatistics) -> Outcome {
    say!("pushed         {}", statistics.pushed)?;
    say!("unwanted       {}", statistics.unwanted)?;
    say!("blocked        {}", statistics.blocked)?;
    say!("disconnected   {}", statistics.disconnected)?;
    say!("suppliers      {}", statistics.suppliers)?;
    say!("consumers      {}", statistics.consumers)
}
