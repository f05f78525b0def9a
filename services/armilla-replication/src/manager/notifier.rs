//! The fault notifier (23.4.6): reports come in, and go to all consumers whose filters let them
//! through. Who the consumers are is written down, so that every notifier of a domain knows them.

use super::domain::{Domain, unavailable};
use super::reports::{self, Fault};
use crate::ft::fault_notifier::{self, CreateSubscriptionFilterRaises, DisconnectConsumerRaises};
use crate::ft::{FaultNotifier, FaultNotifierRef};
use crate::model::Failure;
use crate::notification::notify_publish::OfferChangeRaises;
use crate::notification::structured_push_consumer::PushStructuredEventRaises;
use crate::notification::{
    Disconnected, EventType, Filter as _, FilterRef, InvalidGrammar, NotifyPublish,
    SequencePushConsumer as _, SequencePushConsumerRef, StructuredEvent, StructuredPushConsumer,
    StructuredPushConsumerRef,
};
use armilla::{Error, ExceptionKind, Object, ReplyFuture, SystemException};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// How long a consumer or a filter may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most consumers.
const MOST: usize = 1000;

/// A consumer, as it is written down.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Consumer {
    object: String,
    /// The reference to its filter; empty for none.
    filter: String,
    /// Whether it takes several events at once.
    takes_batches: bool,
}

/// The events that are on their way to a consumer.
enum Delivery {
    One(Vec<ReplyFuture<(), Error<PushStructuredEventRaises>>>),
    Batch(
        ReplyFuture<
            (),
            Error<crate::notification::sequence_push_consumer::PushStructuredEventsRaises>,
        >,
    ),
}

impl Delivery {
    /// Whether the consumer wants no more.
    fn ends(self) -> bool {
        let is_gone =
            |exception: &SystemException| exception.kind() == ExceptionKind::ObjectNotExist;
        match self {
            Self::One(all) => all.into_iter().any(|it| match it.wait() {
                Ok(()) => false,
                Err(Error::User(_)) => true,
                Err(Error::System(exception)) => is_gone(&exception),
            }),
            Self::Batch(it) => match it.wait() {
                Ok(()) => false,
                Err(Error::User(_)) => true,
                Err(Error::System(exception)) => is_gone(&exception),
            },
        }
    }
}

impl Domain {
    fn consumer_key(number: u64) -> String {
        format!("consumers/{number:020}")
    }

    fn connect(
        &self,
        consumer: &Object,
        filter: &FilterRef,
        takes_batches: bool,
    ) -> Result<u64, SystemException> {
        if consumer.is_nil() {
            return Err(ExceptionKind::BadParam.because("a nil consumer consumes nothing"));
        }
        let shelf = self.shelf();
        let all = self.documents.find_all(&shelf.key("consumers/")).map_err(unavailable)?;
        if all.len() >= MOST {
            let what = format!("the notifier has {MOST} consumers; disconnect some");
            return Err(ExceptionKind::ImpLimit.because(what));
        }
        let consumer = Consumer {
            object: self.orb.object_to_string(consumer)?,
            filter: match filter.is_nil() {
                true => String::new(),
                false => self.orb.object_to_string(filter)?,
            },
            takes_batches,
        };
        let number = shelf.number("last-consumer", 1).map_err(unavailable)?;
        let noted = |_: Option<Consumer>| Some(consumer.clone());
        shelf.change(&Self::consumer_key(number), noted).map_err(unavailable)?;
        Ok(number)
    }

    /// Hands events to all consumers, and to the managers.
    pub(super) fn pass_on(&self, events: &[StructuredEvent]) -> Result<(), Failure> {
        let faults = events.iter().filter_map(|event| reports::fault(&self.name, event));
        for fault in faults {
            self.take_report(&fault)?;
        }
        self.deliver(events)
    }

    /// Hands events to all consumers. Those that are gone are forgotten.
    pub(super) fn deliver(&self, events: &[StructuredEvent]) -> Result<(), Failure> {
        let prefix = self.shelf().key("consumers/");
        let mut under_way = Vec::new();
        for (key, document) in self.documents.find_all(&prefix)? {
            let consumer: Consumer = super::record::parse(&key, &document.content)?;
            let begun = self.begin_delivery(&consumer, events);
            match begun {
                Ok(delivery) => under_way.push((key, document.revision, delivery)),
                Err(why) => tracing::warn!(key, %why, "a consumer of faults"),
            }
        }
        for (key, revision, delivery) in under_way {
            if delivery.ends() {
                self.documents.put(&key, revision, None)?;
            }
        }
        Ok(())
    }

    fn begin_delivery(
        &self,
        consumer: &Consumer,
        events: &[StructuredEvent],
    ) -> Result<Delivery, SystemException> {
        let mut wanted = events.to_vec();
        if !consumer.filter.is_empty() {
            let filter: FilterRef = self.orb.string_to_object(&consumer.filter)?.assume();
            let filter = filter.with_timeout(PATIENCE);
            let asked: Vec<_> = events.iter().map(|it| filter.match_structured_async(it)).collect();
            // A filter that does not answer hides nothing.
            let mut passes = asked.into_iter().map(|answer| answer.wait().unwrap_or(true));
            wanted.retain(|_| passes.next().unwrap_or(true));
        }
        let object = self.orb.string_to_object(&consumer.object)?;
        if consumer.takes_batches && !wanted.is_empty() {
            let consumer: SequencePushConsumerRef = object.assume();
            let consumer = consumer.with_timeout(PATIENCE);
            return Ok(Delivery::Batch(consumer.push_structured_events_async(&wanted)));
        }
        let consumer: StructuredPushConsumerRef = object.assume();
        let consumer = consumer.with_timeout(PATIENCE);
        Ok(Delivery::One(
            wanted.iter().map(|it| consumer.push_structured_event_async(it)).collect(),
        ))
    }

    /// Reports a fault that this manager has found: to the notifier that is registered, else to the
    /// consumers of its own.
    pub(super) fn report(&self, fault: &Fault) {
        let event = match reports::event(&self.name, fault) {
            Ok(event) => event,
            Err(error) => return tracing::warn!(%error, "a fault cannot be reported"),
        };
        let reported = match self.registered_notifier() {
            Ok(Some(notifier)) => {
                let pushed = notifier.with_timeout(PATIENCE).push_structured_fault(&event);
                pushed.map_err(|exception| exception.to_string())
            }
            Ok(None) => self.deliver(&[event]).map_err(|failure| failure.to_string()),
            Err(exception) => Err(exception.to_string()),
        };
        if let Err(why) = reported {
            tracing::warn!(why, location = fault.location, "a fault was not reported to all");
        }
    }

    /// The notifier that a program has registered.
    pub(super) fn registered_notifier(&self) -> Result<Option<FaultNotifierRef>, SystemException> {
        let (text, _) = self.shelf().read::<String>("notifier").map_err(unavailable)?;
        let Some(text) = text else { return Ok(None) };
        Ok(Some(self.orb.string_to_object(&text)?.assume()))
    }
}

/// The object of the notifier.
pub(super) struct Notifier(pub(super) Arc<Domain>);

impl FaultNotifier for Notifier {
    fn push_structured_fault(&self, event: &StructuredEvent) -> Result<(), SystemException> {
        self.push_sequence_fault(std::slice::from_ref(event))
    }

    fn push_sequence_fault(&self, events: &[StructuredEvent]) -> Result<(), SystemException> {
        self.0.pass_on(events).map_err(unavailable)
    }

    /// Filters are those of a notification service: this one makes none.
    fn create_subscription_filter(
        &self,
        _: &str,
    ) -> Result<FilterRef, Error<CreateSubscriptionFilterRaises>> {
        Err(InvalidGrammar.into())
    }

    fn connect_structured_fault_consumer(
        &self,
        push_consumer: &StructuredPushConsumerRef,
        filter: &FilterRef,
    ) -> Result<fault_notifier::ConsumerId, SystemException> {
        self.0.connect(push_consumer.object(), filter, false)
    }

    fn connect_sequence_fault_consumer(
        &self,
        push_consumer: &SequencePushConsumerRef,
        filter: &FilterRef,
    ) -> Result<fault_notifier::ConsumerId, SystemException> {
        self.0.connect(push_consumer.object(), filter, true)
    }

    fn disconnect_consumer(
        &self,
        connection: fault_notifier::ConsumerId,
    ) -> Result<(), Error<DisconnectConsumerRaises>> {
        let shelf = self.0.shelf();
        let mut was_there = false;
        let removed = shelf.change(&Domain::consumer_key(connection), |it: Option<Consumer>| {
            was_there = it.is_some();
            None
        });
        removed.map_err(unavailable)?;
        if was_there { Ok(()) } else { Err(Disconnected.into()) }
    }
}

/// What the manager is to a notifier that a program has registered: a consumer.
pub(super) struct Reports(pub(super) Arc<Domain>);

impl NotifyPublish for Reports {
    fn offer_change(
        &self,
        _: &[EventType],
        _: &[EventType],
    ) -> Result<(), Error<OfferChangeRaises>> {
        Ok(())
    }
}

impl StructuredPushConsumer for Reports {
    fn push_structured_event(
        &self,
        notification: &StructuredEvent,
    ) -> Result<(), Error<PushStructuredEventRaises>> {
        if let Some(fault) = reports::fault(&self.0.name, notification) {
            self.0.take_report(&fault).map_err(unavailable)?;
        }
        Ok(())
    }

    fn disconnect_structured_push_consumer(&self) -> Result<(), SystemException> {
        Ok(())
    }
}
