//! The factory of channels as an object: our own, and that of omniEvents.

use super::service::{ChannelError, Running, Service};
use crate::corba::EventChannelRef;
use crate::corba::factory::channel_factory::{
    CreateChannelRaises, FindChannelRaises, ListConsumersRaises, RemoveChannelRaises,
};
use crate::corba::factory::{
    ChannelExists, ChannelFactory, ChannelInfo, ChannelInfos, ChannelQos, ConsumerInfo,
    ConsumerInfos, Refused, UnknownChannel,
};
use crate::corba::life_cycle::generic_factory::CreateObjectRaises;
use crate::corba::life_cycle::{
    CannotMeetCriteria, GenericFactory, InvalidCriteria, NoFactory, Nvp,
};
use crate::entry::ConsumerState;
use crate::error::EventError;
use crate::idl::cos_naming::NameComponent;
use crate::idl::event_channel_admin::EventChannelFactory as OfEventChannelAdmin;
use crate::idl::omni_events::EventChannelFactory as OfOmniEvents;
use crate::store::KeptChannel;
use armilla::{Caller, Error, Object, SystemException};
use std::sync::{Arc, Weak};

/// The servant. It does not keep the service alive, because an ORB keeps servants until its end.
pub(super) struct Factory(pub(super) Weak<Service>);

impl Factory {
    fn service(&self) -> Result<Arc<Service>, SystemException> {
        self.0.upgrade().ok_or_else(|| EventError::Ended.into())
    }

    /// The service, if the client may change it.
    fn operated(&self) -> Result<Arc<Service>, SystemException> {
        let service = self.service()?;
        service.operators.check(Caller::current().as_ref())?;
        Ok(service)
    }
}

fn unknown(name: &str) -> UnknownChannel {
    UnknownChannel { name: name.to_owned() }
}

impl ChannelFactory for Factory {
    fn create_channel(
        &self,
        name: &str,
        qos: &ChannelQos,
    ) -> Result<EventChannelRef, Error<CreateChannelRaises>> {
        let kept = KeptChannel {
            queue_length: qos.queue_length,
            queue_octets: qos.queue_octets,
            consumers: qos.consumers,
            suppliers: qos.suppliers,
            consumers_may_block: qos.consumers_may_block,
        };
        match self.operated()?.create(name, kept) {
            Ok((_, channel)) => Ok(channel),
            Err(ChannelError::Refused(reason)) => Err(Refused { reason }.into()),
            Err(_) => Err(ChannelExists { name: name.to_owned() }.into()),
        }
    }

    fn find_channel(&self, name: &str) -> Result<EventChannelRef, Error<FindChannelRaises>> {
        let found = self.service()?.find(name).ok_or_else(|| unknown(name))?;
        Ok(found.channel.reference().clone())
    }

    fn list_channels(&self) -> Result<ChannelInfos, SystemException> {
        let info = |(name, Running { channel, kept }): (String, Running)| ChannelInfo {
            name,
            qos: ChannelQos {
                queue_length: kept.queue_length,
                queue_octets: kept.queue_octets,
                consumers: kept.consumers,
                suppliers: kept.suppliers,
                consumers_may_block: kept.consumers_may_block,
            },
            channel: channel.reference().clone(),
            statistics: channel.statistics(),
        };
        Ok(self.service()?.list().into_iter().map(info).collect())
    }

    fn list_consumers(&self, name: &str) -> Result<ConsumerInfos, Error<ListConsumersRaises>> {
        let consumers = self.service()?.consumers(name).ok_or_else(|| unknown(name))?;
        let info = |ConsumerState { pulls, address, idle, statistics }| ConsumerInfo {
            pulls,
            address,
            idle: u64::try_from(idle.as_millis()).unwrap_or(u64::MAX),
            statistics,
        };
        Ok(consumers.into_iter().map(info).collect())
    }

    fn remove_channel(&self, name: &str) -> Result<(), Error<RemoveChannelRaises>> {
        match self.operated()?.remove(name) {
            Ok(()) => Ok(()),
            Err(ChannelError::Refused(reason)) => Err(Refused { reason }.into()),
            Err(_) => Err(unknown(name).into()),
        }
    }
}

impl OfOmniEvents for Factory {}

impl OfEventChannelAdmin for Factory {}

/// Whether a key asks for an event channel: `"EventChannel"."object interface"`.
fn is_channel(key: &[NameComponent]) -> bool {
    matches!(key, [only] if only.id == "EventChannel" && only.kind == "object interface")
}

impl GenericFactory for Factory {
    fn supports(&self, k: &[NameComponent]) -> Result<bool, SystemException> {
        Ok(is_channel(k))
    }

    /// Makes a channel as omniEvents does. Its criteria are those of omniEvents; of those that this
    /// service has no use for, it says so in the log.
    fn create_object(
        &self,
        k: &[NameComponent],
        the_criteria: &[Nvp],
    ) -> Result<Object, Error<CreateObjectRaises>> {
        let service = self.operated()?;
        if !is_channel(k) {
            return Err(NoFactory { search_key: k.to_vec() }.into());
        }
        let (mut kept, mut name) = (KeptChannel::default(), String::new());
        for criterion in the_criteria {
            let invalid = || InvalidCriteria { invalid_criteria: vec![criterion.clone()] };
            match &*criterion.name {
                "InsName" => name = text(criterion).ok_or_else(invalid)?,
                "MaxQueueLength" => kept.queue_length = number(criterion).ok_or_else(invalid)?,
                "MaxNumProxies" => kept.consumers = number(criterion).ok_or_else(invalid)?,
                "FilterId" => {
                    // Whoever asks for a filter must not get a channel that has none.
                    let unmet_criteria = vec![criterion.clone()];
                    return Err(CannotMeetCriteria { unmet_criteria }.into());
                }
                "CyclePeriod_ns" | "PullRetryPeriod_ms" | "MaxEventsPerConsumer" => {
                    tracing::info!(
                        criterion = criterion.name,
                        "has no meaning here, and is ignored"
                    );
                }
                _ => return Err(invalid().into()),
            }
        }
        match service.create(&name, kept) {
            Ok((_, channel)) => Ok(channel.object().clone()),
            Err(error) => {
                tracing::warn!(name, ?error, "an event channel is not made");
                let unmet_criteria = the_criteria.to_vec();
                Err(CannotMeetCriteria { unmet_criteria }.into())
            }
        }
    }
}

fn text(criterion: &Nvp) -> Option<String> {
    criterion.value.get::<String>().ok().flatten()
}

/// A number, of whichever type a client sends it.
fn number(criterion: &Nvp) -> Option<u32> {
    let value = &criterion.value;
    let signed = || value.get::<i32>().ok().flatten().and_then(|number| number.try_into().ok());
    value.get::<u32>().ok().flatten().or_else(signed)
}
