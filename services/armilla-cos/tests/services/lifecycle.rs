//! Objects that are made, copied and moved to other places, which naming services know.

use armilla::{Any, Error, ExceptionKind, Object, Orb, Poa, ServantManager, SystemException};
use armilla_cos::lifecycle::corba::generic_factory::CreateObjectRaises;
use armilla_cos::lifecycle::corba::life_cycle_object::{CopyRaises, MoveRaises, RemoveRaises};
use armilla_cos::lifecycle::corba::{
    FactoryFinder, FactoryFinderRef, GenericFactory, GenericFactoryRef, LifeCycleObject,
    LifeCycleObjectRef, NameValuePair, NotMovable, NotRemovable, generic_factory,
    life_cycle_object,
};
use armilla_cos::lifecycle::{Factories, Finder, LifeCycle, MakeError, Moved, copy};
use armilla_cos_naming::{NameComponent, NamingContext};
use armilla_cos_trading::repos::{ServiceTypeRepository, ServiceTypeRepositoryRef};
use armilla_cos_trading::{Register, SupportAttributes, TraderComponents};
use armilla_naming::NamingService;
use armilla_trader::{Limits, Trader};
use std::sync::{Arc, Mutex};

fn key(id: &str) -> Vec<NameComponent> {
    vec![NameComponent { id: id.to_owned(), kind: String::new() }]
}

/// A place: a process that makes counters, with a POA for those.
#[derive(Clone)]
struct Place {
    orb: Orb,
    poa: Poa,
    moved: Moved,
    /// The values of all counters that were made here.
    made: Arc<Mutex<Vec<i32>>>,
}

/// A counter, which is its value.
struct Counter {
    place: Place,
    value: i32,
}

impl LifeCycle for Counter {
    fn key(&self) -> Vec<NameComponent> {
        key("counter")
    }

    fn state(&self) -> Result<Vec<NameValuePair>, SystemException> {
        let value = Any::new(&self.value).expect("a number has a value");
        Ok(vec![NameValuePair { name: "value".to_owned(), value }])
    }
}

impl LifeCycleObject for Counter {
    fn copy(
        &self,
        there: &FactoryFinderRef,
        criteria: &[NameValuePair],
    ) -> Result<LifeCycleObjectRef, Error<CopyRaises>> {
        copy(self, there, criteria)
    }

    fn r#move(
        &self,
        there: &FactoryFinderRef,
        criteria: &[NameValuePair],
    ) -> Result<(), Error<MoveRaises>> {
        let copied = copy(self, there, criteria).map_err(|error| match error {
            Error::System(exception) => Error::System(exception),
            Error::User(CopyRaises::NoFactory(error)) => error.into(),
            Error::User(CopyRaises::NotCopyable(error)) => {
                NotMovable { reason: error.reason }.into()
            }
            Error::User(CopyRaises::InvalidCriteria(error)) => error.into(),
            Error::User(CopyRaises::CannotMeetCriteria(error)) => error.into(),
        })?;
        let current = self.place.orb.poa_current().map_err(SystemException::from)?;
        Ok(self.place.moved.lead(&self.place.poa, current.object_id(), &copied)?)
    }

    fn remove(&self) -> Result<(), Error<RemoveRaises>> {
        match self.value {
            0 => Err(NotRemovable { reason: "zero stays".to_owned() }.into()),
            _ => {
                let current = self.place.orb.poa_current().map_err(SystemException::from)?;
                let removed = self.place.poa.deactivate(current.object_id());
                Ok(removed.map_err(SystemException::from)?)
            }
        }
    }
}

impl Place {
    fn new() -> (Self, GenericFactoryRef) {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let moved = Moved::new(10);
        let poa = orb.root_poa().create_poa("counters").through_poa();
        let poa = poa.servant_manager(ServantManager::Activator(Arc::new(moved.clone())));
        let place = Self { poa: poa.build().unwrap(), orb, moved, made: Arc::default() };
        let maker = place.clone();
        let factories = Factories::new().make("counter", move |criteria| maker.make(criteria));
        let factory = place.orb.root_poa().activate(generic_factory::tie(factories)).unwrap();
        (place, factory)
    }

    fn make(&self, criteria: &[NameValuePair]) -> Result<Object, MakeError> {
        let mut value = 0;
        for criterion in criteria {
            let invalid = || MakeError::Invalid(vec![criterion.clone()]);
            if criterion.name != "value" {
                return Err(invalid());
            }
            value = criterion.value.get::<i32>().ok().flatten().ok_or_else(invalid)?;
        }
        if value > 100 {
            return Err(MakeError::Unmet(criteria.to_vec()));
        }
        self.made.lock().unwrap().push(value);
        let counter = Counter { place: self.clone(), value };
        let made = self.poa.activate(life_cycle_object::tie(counter));
        let made: LifeCycleObjectRef = made.map_err(SystemException::from)?;
        Ok(made.object().clone())
    }
}

fn value(value: i32) -> Vec<NameValuePair> {
    vec![NameValuePair { name: "value".to_owned(), value: Any::new(&value).unwrap() }]
}

/// A naming service and a trading service, and a finder that looks in both.
fn finder(orb: &Orb, factory: &GenericFactoryRef) -> (FactoryFinderRef, NamingService, Trader) {
    let names = NamingService::builder().serve(orb).unwrap();
    let context = names.root().bind_new_context(&key("place")).unwrap();
    context.bind(&key("counter"), factory.object()).unwrap();
    let store = armilla_trader::Store::memory(orb).unwrap();
    let trader = armilla_trader::serve(orb, store, Limits::default()).unwrap();
    let lookup = trader.lookup();
    let types: ServiceTypeRepositoryRef = lookup.type_repos().unwrap().narrow().unwrap();
    types.add_type("Offered", "", &[], &[]).unwrap();
    lookup.register_if().unwrap().export(factory.object(), "Offered", &[]).unwrap();
    let (finder, _) = Finder::new().context(context).trader(lookup).serve(orb).unwrap();
    (finder, names, trader)
}

#[test]
fn factories_make_what_their_criteria_say_and_name_those_that_they_cannot_meet() {
    let (place, factory) = Place::new();
    assert_eq!(factory.supports(&key("counter")), Ok(true));
    assert_eq!(factory.supports(&key("clock")), Ok(false));
    // Under the name that a naming service has for it, too.
    let named = [key("bank"), key("counter")].concat();
    assert_eq!(factory.supports(&named), Ok(true));
    assert_eq!(factory.supports(&[key("counter"), key("clock")].concat()), Ok(false));
    factory.create_object(&key("counter"), &value(7)).unwrap();
    assert_eq!(*place.made.lock().unwrap(), [7]);
    let none = factory.create_object(&key("clock"), &[]);
    assert!(matches!(none, Err(Error::User(CreateObjectRaises::NoFactory(_)))));
    let unmet = factory.create_object(&key("counter"), &value(101));
    assert!(matches!(unmet, Err(Error::User(CreateObjectRaises::CannotMeetCriteria(_)))));
    let unknown = NameValuePair { name: "colour".to_owned(), value: Any::default() };
    let invalid = factory.create_object(&key("counter"), &[unknown]);
    assert!(matches!(invalid, Err(Error::User(CreateObjectRaises::InvalidCriteria(_)))));
    place.orb.shutdown();
}

#[test]
fn an_object_is_copied_and_moved_and_its_reference_leads_on() {
    let ((here, factory), (there, far_factory)) = (Place::new(), Place::new());
    let (finder, _names, _trader) = finder(&there.orb, &far_factory);
    assert_eq!(finder.find_factories(&key("counter")).unwrap().len(), 1);
    assert_eq!(finder.find_factories(&key("Offered")).unwrap(), [far_factory.object().clone()]);
    finder.find_factories(&key("clock")).unwrap_err();

    let made = factory.create_object(&key("counter"), &value(7)).unwrap();
    let counter: LifeCycleObjectRef = made.narrow().unwrap();
    let copied = counter.copy(&finder, &[]).unwrap();
    assert_eq!(*there.made.lock().unwrap(), [7]);
    copied.remove().unwrap();
    let gone = copied.remove().unwrap_err();
    assert!(matches!(gone, Error::System(it) if it.kind() == ExceptionKind::ObjectNotExist));

    counter.r#move(&finder, &[]).unwrap();
    assert_eq!((there.made.lock().unwrap().len(), here.moved.len()), (2, 1));
    // The old reference leads to the object, which copies itself from there.
    counter.copy(&finder, &[]).unwrap();
    assert_eq!(there.made.lock().unwrap().len(), 3);
    let nowhere = counter.copy(&FactoryFinderRef::nil(), &[]);
    assert!(matches!(nowhere, Err(Error::User(CopyRaises::NotCopyable(_)))));
    let kind = Finder::new().find(&[]).unwrap_err().kind();
    assert_eq!(kind, ExceptionKind::BadParam);
    here.orb.shutdown();
    there.orb.shutdown();
}

#[test]
fn a_factory_that_does_not_answer_is_not_taken_for_none() {
    let ((here, factory), (there, far_factory)) = (Place::new(), Place::new());
    let counter: LifeCycleObjectRef =
        factory.create_object(&key("counter"), &value(7)).unwrap().narrow().unwrap();
    let names = NamingService::builder().serve(&here.orb).unwrap();
    let context = names.root().bind_new_context(&key("place")).unwrap();
    let (finder, _) = Finder::new().context(context.clone()).serve(&here.orb).unwrap();

    // Its server has ended, and may be back.
    context.bind(&key("counter"), far_factory.object()).unwrap();
    there.orb.shutdown();
    let away = counter.copy(&finder, &[]).unwrap_err();
    assert!(matches!(&away, Error::System(it) if it.kind() != ExceptionKind::BadParam), "{away:?}");
    // One that answers, and is no factory, makes nothing.
    context.rebind(&key("counter"), counter.object()).unwrap();
    let none = counter.copy(&finder, &[]).unwrap_err();
    assert!(matches!(none, Error::User(CopyRaises::NoFactory(_))), "{none:?}");
    // Nor does one that is gone, while its server is there.
    let gone = factory.create_object(&key("counter"), &value(8)).unwrap();
    let gone: LifeCycleObjectRef = gone.narrow().unwrap();
    gone.remove().unwrap();
    context.rebind(&key("counter"), gone.object()).unwrap();
    let none = counter.copy(&finder, &[]).unwrap_err();
    assert!(matches!(none, Error::User(CopyRaises::NoFactory(_))), "{none:?}");
    here.orb.shutdown();
}
