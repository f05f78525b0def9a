//! The state of the channels in the text format of Prometheus. The ORB adds counters and latencies
//! of its own.

use crate::corba::{ChannelStatistics, ConsumerStatistics};
use std::fmt::Write as _;

/// A channel with its counts, and those of its consumers together.
pub(super) struct Counts {
    pub(super) name: String,
    pub(super) channel: ChannelStatistics,
    pub(super) consumers: ConsumerStatistics,
}

impl Counts {
    /// The counts of a channel whose consumers these are.
    pub(super) fn new(
        name: String,
        channel: ChannelStatistics,
        all: impl Iterator<Item = ConsumerStatistics>,
    ) -> Self {
        let mut consumers = ConsumerStatistics::default();
        for one in all {
            consumers.delivered += one.delivered;
            consumers.discarded += one.discarded;
            consumers.expired += one.expired;
            consumers.failed += one.failed;
            consumers.waiting = consumers.waiting.saturating_add(one.waiting);
        }
        Self { name, channel, consumers }
    }
}

/// A column: its name, its kind, what it means, and how it follows from the counts of a channel.
type Column = (&'static str, &'static str, &'static str, fn(&Counts) -> u64);

const COLUMNS: [Column; 11] = [
    ("consumers", "gauge", "Consumers that are connected.", |it| it.channel.consumers.into()),
    ("suppliers", "gauge", "Suppliers that are connected.", |it| it.channel.suppliers.into()),
    ("pushed_total", "counter", "Events that suppliers pushed.", |it| it.channel.pushed),
    ("unwanted_total", "counter", "Events that nobody wanted.", |it| it.channel.unwanted),
    ("blocked_total", "counter", "Times that a supplier waited.", |it| it.channel.blocked),
    ("disconnected_total", "counter", "Consumers that the channel has disconnected.", |it| {
        it.channel.disconnected
    }),
    ("waiting", "gauge", "Deliveries that wait.", |it| it.consumers.waiting.into()),
    ("delivered", "gauge", "Deliveries to those that are connected.", |it| it.consumers.delivered),
    ("discarded", "gauge", "Losses by full queues of those that are connected.", |it| {
        it.consumers.discarded
    }),
    ("expired", "gauge", "Losses by time of those that are connected.", |it| it.consumers.expired),
    ("failed", "gauge", "Failed calls of those that are connected.", |it| it.consumers.failed),
];

pub(super) fn text(channels: &[Counts]) -> String {
    let mut text = String::new();
    for (column, kind, help, value) in COLUMNS {
        let name = format!("armilla_events_channel_{column}");
        // Writing to a string does not fail.
        writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}").ok();
        for channel in channels {
            let label = channel.name.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(text, "{name}{{channel=\"{label}\"}} {}", value(channel)).ok();
        }
    }
    text
}
