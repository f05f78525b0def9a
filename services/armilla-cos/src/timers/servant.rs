//! The objects of the service.

use super::corba::{
    EventStatus, PushConsumerRef, TimeType, TimerEventHandler, TimerEventHandlerRef,
    TimerEventService, TimerEventServiceRef, TimerEventT, timer_event_handler, timer_event_service,
};
use super::model::{Refusal, TimerId, When};
use super::service::{Shared, exactly};
use super::store::wire;
use crate::time::corba::UtoRef;
use crate::time::{told, utc};
use armilla::{Any, ExceptionKind, Poa, SystemException};
use armilla_ipc::random;
use std::sync::{Arc, Weak};

/// The object key of the service in `corbaloc:` URLs.
pub const KEY: &str = "TimerEventService";

/// The POA above those of the service.
const ADAPTER: &str = "timers";

/// The POA of the timers.
pub(super) struct Poas(Poa);

/// Makes the objects. Returns the service and its URL.
pub(super) fn serve(
    shared: &Arc<Shared>,
) -> Result<(TimerEventServiceRef, String), SystemException> {
    let orb = &shared.orb;
    let service = Service(Arc::downgrade(shared));
    let poa = orb.root_poa().create_poa(ADAPTER).persistent().user_ids().build()?;
    let handlers = poa.create_poa("handlers").user_ids().manager(poa.manager());
    let handlers = if shared.is_persistent() { handlers.persistent() } else { handlers };
    let handlers = handlers.default_servant(timer_event_handler::tie(Handlers(service.clone())));
    shared.poas.set(Poas(handlers.build()?)).ok();
    let reference = poa.activate_with_id("service", timer_event_service::tie(service))?;
    let url = orb.publish(KEY, &reference)?;
    Ok((reference, url))
}

/// The service, which its servants do not keep alive.
#[derive(Clone)]
struct Service(Weak<Shared>);

impl Service {
    fn get(&self) -> Result<Arc<Shared>, SystemException> {
        self.0.upgrade().ok_or_else(SystemException::object_not_exist)
    }
}

#[cold]
fn gone() -> SystemException {
    ExceptionKind::ObjectNotExist.because("the timer was unregistered, or its consumer has gone")
}

impl TimerEventService for Service {
    fn register(
        &self,
        consumer: &PushConsumerRef,
        data: &Any,
    ) -> Result<TimerEventHandlerRef, SystemException> {
        let shared = self.get()?;
        let number = random::number().map_err(|error| {
            ExceptionKind::NoResources.because(format!("no random numbers: {error}"))
        })?;
        shared.register(TimerId(number.get()), consumer, data)?;
        let Poas(poa) = shared.poas.get().ok_or_else(SystemException::object_not_exist)?;
        let id = number.get().to_be_bytes().to_vec();
        Ok(poa.create_reference_with_id::<dyn TimerEventHandler>(id)?)
    }

    fn unregister(&self, handler: &TimerEventHandlerRef) -> Result<(), SystemException> {
        let shared = self.get()?;
        let Poas(poa) = shared.poas.get().ok_or_else(SystemException::object_not_exist)?;
        let foreign = || ExceptionKind::BadParam.because("the timer is not one of this service");
        let id = poa.reference_to_id(handler).map_err(|_| foreign())?;
        let number = id.as_bytes().try_into().map_err(|_| foreign())?;
        match shared.unregister(TimerId(u64::from_be_bytes(number)))? {
            true => Ok(()),
            false => Err(gone()),
        }
    }

    fn event_time(&self, event: &TimerEventT) -> Result<UtoRef, SystemException> {
        self.get()?.time.time(utc(&event.utc))
    }
}

/// All timers.
struct Handlers(Service);

impl Handlers {
    fn called(&self) -> Result<(Arc<Shared>, TimerId), SystemException> {
        let shared = self.0.get()?;
        let current = shared.orb.poa_current()?;
        let number = current.object_id().as_bytes().try_into().map_err(|_| gone())?;
        Ok((shared, TimerId(u64::from_be_bytes(number))))
    }
}

impl TimerEventHandler for Handlers {
    fn status(&self) -> Result<EventStatus, SystemException> {
        let (shared, id) = self.called()?;
        Ok(wire(shared.with(|timers, _| timers.status(id)).ok_or_else(gone)?))
    }

    fn time_set(&self) -> Result<(bool, UtoRef), SystemException> {
        let (shared, id) = self.called()?;
        let due = shared.with(|timers, now| timers.due(id, now)).ok_or_else(gone)?;
        Ok((due.is_some(), shared.time.time(exactly(due.unwrap_or_default()))?))
    }

    fn set_timer(&self, kind: TimeType, time: &UtoRef) -> Result<(), SystemException> {
        let (shared, id) = self.called()?;
        let time = told(time)?.time;
        let when = match kind {
            TimeType::TtAbsolute => When::Absolute(time),
            TimeType::TtRelative => When::Relative(time),
            TimeType::TtPeriodic => When::Periodic(time),
        };
        let bad = |what: &str| Err(ExceptionKind::BadParam.because(what));
        match shared.change(id, |timers, now| timers.set(id, when, now))? {
            Ok(()) => Ok(()),
            Err(Refusal::Unknown) => Err(gone()),
            Err(Refusal::NoTimeBefore) => bad("0 is the time of before, and there was none"),
            Err(Refusal::TooShort) => bad("the period is shorter than the service allows"),
            Err(Refusal::TooLate) => bad("it is later than any time that has a number"),
        }
    }

    fn cancel_timer(&self) -> Result<bool, SystemException> {
        let (shared, id) = self.called()?;
        shared
            .change(id, |timers, _| timers.cancel(id).ok_or(Refusal::Unknown))?
            .map_err(|_| gone())
    }

    fn set_data(&self, data: &Any) -> Result<(), SystemException> {
        let (shared, id) = self.called()?;
        if shared.set_data(id, data)? { Ok(()) } else { Err(gone()) }
    }
}
