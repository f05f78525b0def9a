//! The objects: the manager, the call details, and 10,000 elements with one servant.

use crate::iterators::Iterators;
use crate::network::Network;
use crate::observers::Observers;
use crate::records::Records;
use crate::telecom::call_details::{GetMultipleStringsRaises, GetSingleStringRaises};
use crate::telecom::manager::{
    AcknowledgeRaises, ElementsRaises, FindRaises, UnwatchRaises, WatchRaises,
};
use crate::telecom::{
    self as idl, Alarm, AlarmObserverRef, CallDetailsRef, ElementRef, ManagerRef, Severity,
    StringIteratorRef, Unknown,
};
use armilla::{Error, ExceptionKind, IdUniqueness, Orb, Poa, RequestProcessing, SystemException};
use std::sync::Arc;

/// The service in an ORB.
pub struct Service {
    /// The elements and their alarms.
    pub network: Network,
    /// Who is told of alarms.
    pub observers: Observers,
    /// Iterators of clients.
    pub iterators: Arc<Iterators>,
    records: Records,
    orb: Orb,
    elements: Poa,
}

impl Service {
    /// A service for `elements` elements and records of `calls` calls, published as `Telecom`.
    ///
    /// # Errors
    /// What the ORB reports when the objects are created.
    pub fn start(
        orb: &Orb,
        elements: usize,
        calls: u32,
    ) -> Result<(Arc<Self>, ManagerRef), SystemException> {
        // Ids are names, which are the same in every run; one servant for all of them.
        let elements_poa = orb.root_poa().create_poa("elements").persistent().user_ids();
        let elements_poa = elements_poa
            .policies([RequestProcessing::DefaultServant.into(), IdUniqueness::Multiple.into()]);
        let service = Arc::new(Self {
            network: Network::new(elements),
            observers: Observers::default(),
            iterators: Iterators::new(orb)?,
            records: Records::of_calls(calls),
            orb: orb.clone(),
            elements: elements_poa.build()?,
        });
        let servant: Arc<dyn idl::Element> = idl::element::tie(AnyElement(service.clone()));
        service.elements.set_default_servant(servant)?;
        let calls = orb.root_poa().activate(idl::call_details::tie(Details(service.clone())))?;
        let manager = Management { service: service.clone(), calls };
        let manager: ManagerRef = orb.root_poa().activate(idl::manager::tie(manager))?;
        orb.publish("Telecom", manager.object())?;
        Ok((service, manager))
    }

    /// What an element reports, for the network and for observers.
    pub fn report(&self, element: &str, severity: Severity, text: &str) {
        if let Some(changed) = self.network.report(element, severity, text) {
            self.observers.notify(&changed);
        }
    }
}

/// The servant of every element. The ORB says which one is called: its name is the object id.
struct AnyElement(Arc<Service>);

impl AnyElement {
    fn called(&self) -> Result<Alarm, SystemException> {
        let current = self.0.orb.poa_current()?;
        let name = String::from_utf8_lossy(current.object_id().as_bytes());
        let alarm = self.0.network.alarm(&name);
        alarm.ok_or_else(|| ExceptionKind::ObjectNotExist.because(format!("no element {name}")))
    }
}

impl idl::Element for AnyElement {
    fn name(&self) -> Result<String, SystemException> {
        Ok(self.called()?.element)
    }

    fn state(&self) -> Result<Alarm, SystemException> {
        self.called()
    }

    fn report(&self, how_severe: Severity, text: &str) -> Result<(), SystemException> {
        self.0.report(&self.called()?.element, how_severe, text);
        Ok(())
    }
}

/// The servant of the call details.
struct Details(Arc<Service>);

impl idl::CallDetails for Details {
    fn get_single_string(&self, key: &str) -> Result<String, Error<GetSingleStringRaises>> {
        let records = &self.0.records;
        let first = records.get(records.find(key)).first().cloned();
        Ok(first.ok_or_else(|| Unknown { what: format!("a record that begins with {key:?}") })?)
    }

    fn get_multiple_strings(
        &self,
        key: &str,
        how_many: u32,
    ) -> Result<(Vec<String>, StringIteratorRef), Error<GetMultipleStringsRaises>> {
        let records = &self.0.records;
        self.0.iterators.answer(records, records.find(key), how_many)
    }
}

/// The servant of the manager.
struct Management {
    service: Arc<Service>,
    calls: CallDetailsRef,
}

impl idl::Manager for Management {
    fn elements(
        &self,
        prefix: &str,
        how_many: u32,
    ) -> Result<(Vec<String>, StringIteratorRef), Error<ElementsRaises>> {
        let names = self.service.network.names();
        self.service.iterators.answer(names, names.find(prefix), how_many)
    }

    fn find(&self, name: &str) -> Result<ElementRef, Error<FindRaises>> {
        let Some(_) = self.service.network.names().place(name) else {
            return Err(Unknown { what: format!("an element {name:?}") }.into());
        };
        // A reference and nothing else: no servant, no entry in a table.
        Ok(self.service.elements.create_reference_with_id(name)?)
    }

    fn raised(&self, how_many: u32) -> Result<Vec<Alarm>, SystemException> {
        Ok(self.service.network.raised(how_many as usize))
    }

    fn acknowledge(&self, number: u64, by: &str) -> Result<(), Error<AcknowledgeRaises>> {
        let alarm = self.service.network.acknowledge(number, by);
        let alarm = alarm.ok_or_else(|| Unknown { what: format!("a raised alarm {number}") })?;
        self.service.observers.notify(&alarm);
        Ok(())
    }

    fn watch(&self, observer: &AlarmObserverRef) -> Result<u64, Error<WatchRaises>> {
        if observer.is_nil() {
            Err(ExceptionKind::BadParam.because("the observer is nil"))?;
        }
        Ok(self.service.observers.add(observer)?)
    }

    fn unwatch(&self, number: u64) -> Result<(), Error<UnwatchRaises>> {
        match self.service.observers.remove(number) {
            true => Ok(()),
            false => Err(Unknown { what: format!("an observer {number}") }.into()),
        }
    }

    fn calls(&self) -> Result<CallDetailsRef, SystemException> {
        Ok(self.calls.clone())
    }
}
