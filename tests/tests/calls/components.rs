//! Components and homes, called through their equivalent interfaces (CORBA 3.4 Part 3, 6).

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("kiosk");
}

use armilla::{
    Any, Completion, Error, ExceptionKind, Minor, Object, Orb, Ref, SystemException, Typed, Value,
};
use armilla_cdr::TypeCodeKind;
use armilla_tests::orbs::{client, listening};
use idl::components::*;
use idl::market::*;
use std::sync::{Arc, Mutex, Weak};

fn absent() -> SystemException {
    SystemException::new(ExceptionKind::NoImplement, Minor(0), Completion::No)
}

/// Methods that a container has for its components, and these tests do not.
macro_rules! absent {
    ($($name:ident($($given:ident: $ty:ty),*) -> $result:ty, $error:ty;)*) => {$(
        fn $name(&self, $($given: $ty),*) -> Result<$result, $error> {
            $(let _ = $given;)*
            Err(absent().into())
        }
    )*};
}

type Failed = SystemException;

/// What the references of a kiosk are made in.
struct Town {
    orb: Orb,
    home: Mutex<KioskHomeRef>,
}

struct Till {
    town: Weak<Town>,
    street: Mutex<String>,
    wholesale: Mutex<PricesRef>,
    subscriber: Mutex<Option<SoldConsumerRef>>,
}

impl Till {
    fn open(town: &Arc<Town>, street: &str) -> KioskRef {
        let till = Till {
            town: Arc::downgrade(town),
            street: Mutex::new(street.to_owned()),
            wholesale: Mutex::default(),
            subscriber: Mutex::default(),
        };
        town.orb.root_poa().activate(kiosk::tie(Shared(Arc::new(till)))).unwrap()
    }
}

/// A servant of several interfaces with the state of one till.
struct Shared(Arc<Till>);

impl Prices for Shared {
    fn price_of(&self, article: &str) -> Result<f64, Failed> {
        let wholesale = self.0.wholesale.lock().unwrap().clone();
        match wholesale.is_nil() {
            true => Ok(article.len() as f64),
            false => Ok(1.5 * wholesale.price_of(article)?),
        }
    }

    fn shown(&self, thing: &Any) -> Result<Any, Failed> {
        Ok(thing.clone())
    }
}

impl EventConsumerBase for Shared {
    absent! { push_event(event: &EventBaseRef) -> (), Error<event_consumer_base::PushEventRaises>; }
}

impl SoldConsumer for Shared {
    /// Passes a returned item on to the subscriber of sales.
    fn push_sold(&self, sold: &SoldRef) -> Result<(), Failed> {
        let subscriber = self.0.subscriber.lock().unwrap().clone();
        subscriber.map_or(Ok(()), |subscriber| subscriber.push_sold(sold))
    }
}

impl Kiosk for Shared {
    fn street(&self) -> Result<String, Failed> {
        Ok(self.0.street.lock().unwrap().clone())
    }

    fn set_street(&self, value: &str) -> Result<(), Failed> {
        *self.0.street.lock().unwrap() = value.to_owned();
        Ok(())
    }

    fn provide_prices(&self) -> Result<PricesRef, Failed> {
        let town = self.0.town.upgrade().ok_or_else(absent)?;
        town.orb.root_poa().activate(prices::tie(Shared(self.0.clone()))).map_err(|_| absent())
    }

    fn connect_wholesale(
        &self,
        conxn: &PricesRef,
    ) -> Result<(), Error<kiosk::ConnectWholesaleRaises>> {
        let mut wholesale = self.0.wholesale.lock().unwrap();
        if !wholesale.is_nil() {
            return Err(AlreadyConnected.into());
        }
        *wholesale = conxn.clone();
        Ok(())
    }

    fn disconnect_wholesale(&self) -> Result<PricesRef, Error<kiosk::DisconnectWholesaleRaises>> {
        let before = std::mem::take(&mut *self.0.wholesale.lock().unwrap());
        if before.is_nil() { Err(NoConnection.into()) } else { Ok(before) }
    }

    fn get_connection_wholesale(&self) -> Result<PricesRef, Failed> {
        Ok(self.0.wholesale.lock().unwrap().clone())
    }

    fn subscribe_sales(
        &self,
        consumer: &SoldConsumerRef,
    ) -> Result<CookieRef, Error<kiosk::SubscribeSalesRaises>> {
        *self.0.subscriber.lock().unwrap() = Some(consumer.clone());
        Ok(Some(Value::new(Cookie { cookie_value: vec![7] })))
    }

    fn unsubscribe_sales(
        &self,
        ck: &CookieRef,
    ) -> Result<SoldConsumerRef, Error<kiosk::UnsubscribeSalesRaises>> {
        let known = ck.as_ref().is_some_and(|cookie| cookie.get().cookie_value == [7]);
        let subscriber = self.0.subscriber.lock().unwrap().take().filter(|_| known);
        subscriber.ok_or_else(|| InvalidConnection.into())
    }

    fn get_consumer_returned(&self) -> Result<SoldConsumerRef, Failed> {
        let town = self.0.town.upgrade().ok_or_else(absent)?;
        let consumer = sold_consumer::tie(Shared(self.0.clone()));
        town.orb.root_poa().activate(consumer).map_err(|_| absent())
    }
}

impl CcmObject for Shared {
    fn get_ccm_home(&self) -> Result<CcmHomeRef, Failed> {
        let town = self.0.town.upgrade().ok_or_else(absent)?;
        Ok(town.home.lock().unwrap().upcast())
    }

    absent! {
        get_component_def() -> Object, Failed;
        get_primary_key() -> PrimaryKeyBaseRef, Error<ccm_object::GetPrimaryKeyRaises>;
        configuration_complete() -> (), Error<ccm_object::ConfigurationCompleteRaises>;
        remove() -> (), Error<ccm_object::RemoveRaises>;
        get_all_ports() -> ComponentPortDescriptionRef, Failed;
    }
}

impl Navigation for Shared {
    fn provide_facet(&self, name: &str) -> Result<Object, Error<navigation::ProvideFacetRaises>> {
        match name {
            "prices" => Ok(self.provide_prices()?.object().clone()),
            _ => Err(InvalidName.into()),
        }
    }

    absent! {
        get_all_facets() -> FacetDescriptions, Failed;
        get_named_facets(names: &[FeatureName])
            -> FacetDescriptions, Error<navigation::GetNamedFacetsRaises>;
        same_component(other: &Object) -> bool, Failed;
    }
}

impl Receptacles for Shared {
    absent! {
        connect(name: &str, other: &Object) -> CookieRef, Error<receptacles::ConnectRaises>;
        disconnect(name: &str, ck: &CookieRef) -> Object, Error<receptacles::DisconnectRaises>;
        get_connections(name: &str)
            -> ConnectionDescriptions, Error<receptacles::GetConnectionsRaises>;
        get_all_receptacles() -> ReceptacleDescriptions, Failed;
        get_named_receptacles(names: &[FeatureName])
            -> ReceptacleDescriptions, Error<receptacles::GetNamedReceptaclesRaises>;
    }
}

impl Events for Shared {
    absent! {
        get_consumer(name: &str) -> EventConsumerBaseRef, Error<events::GetConsumerRaises>;
        subscribe(name: &str, other: &EventConsumerBaseRef)
            -> CookieRef, Error<events::SubscribeRaises>;
        unsubscribe(name: &str, ck: &CookieRef)
            -> EventConsumerBaseRef, Error<events::UnsubscribeRaises>;
        connect_consumer(name: &str, other: &EventConsumerBaseRef)
            -> (), Error<events::ConnectConsumerRaises>;
        disconnect_consumer(name: &str)
            -> EventConsumerBaseRef, Error<events::DisconnectConsumerRaises>;
        get_all_consumers() -> ConsumerDescriptions, Failed;
        get_named_consumers(names: &[FeatureName])
            -> ConsumerDescriptions, Error<events::GetNamedConsumersRaises>;
        get_all_emitters() -> EmitterDescriptions, Failed;
        get_named_emitters(names: &[FeatureName])
            -> EmitterDescriptions, Error<events::GetNamedEmittersRaises>;
        get_all_publishers() -> PublisherDescriptions, Failed;
        get_named_publishers(names: &[FeatureName])
            -> PublisherDescriptions, Error<events::GetNamedPublishersRaises>;
    }
}

struct Owner(Arc<Town>);

impl KioskHome for Owner {}

impl KioskHomeExplicit for Owner {
    fn open(&self, street: &str) -> Result<KioskRef, Error<kiosk_home_explicit::OpenRaises>> {
        if street.is_empty() {
            return Err(Closed { why: "nowhere".to_owned() }.into());
        }
        Ok(Till::open(&self.0, street))
    }
}

impl KioskHomeImplicit for Owner {
    fn create(&self) -> Result<KioskRef, Error<kiosk_home_implicit::CreateRaises>> {
        Ok(Till::open(&self.0, "new"))
    }
}

impl KeylessCcmHome for Owner {
    fn create_component(
        &self,
    ) -> Result<CcmObjectRef, Error<keyless_ccm_home::CreateComponentRaises>> {
        Ok(Till::open(&self.0, "any").upcast())
    }
}

impl CcmHome for Owner {
    absent! {
        get_component_def() -> Object, Failed;
        get_home_def() -> Object, Failed;
        remove_component(comp: &CcmObjectRef) -> (), Error<ccm_home::RemoveComponentRaises>;
    }
}

/// A town, which must be kept, its home as it is seen within the process, and from elsewhere.
fn town() -> (Arc<Town>, Orb, [KioskHomeRef; 2]) {
    let town = Arc::new(Town { orb: listening(), home: Mutex::default() });
    let near: KioskHomeRef =
        town.orb.root_poa().activate(kiosk_home::tie(Owner(town.clone()))).unwrap();
    *town.home.lock().unwrap() = near.clone();
    let elsewhere = client();
    let url = town.orb.object_to_string(near.object()).unwrap();
    let far = elsewhere.resolve(&url).unwrap();
    (town, elsewhere, [near, far])
}

#[test]
fn a_home_makes_components_by_its_own_factories_and_by_those_of_every_home() {
    let (_town, _elsewhere, homes) = town();
    for home in homes {
        assert_eq!(home.open("Elm Street").unwrap().street().unwrap(), "Elm Street");
        let closed = Closed { why: "nowhere".to_owned() };
        let raised = kiosk_home_explicit::OpenRaises::Closed(closed);
        assert_eq!(home.open("").unwrap_err(), Error::User(raised));
        assert_eq!(home.create().unwrap().street().unwrap(), "new");

        let made = home.upcast::<dyn KeylessCcmHome>().create_component().unwrap();
        let kiosk: KioskRef = made.object().narrow().unwrap();
        kiosk.set_street("Oak Street").unwrap();
        assert_eq!(kiosk.street().unwrap(), "Oak Street");
        let back: KioskHomeRef = made.get_ccm_home().unwrap().object().narrow().unwrap();
        assert!(back.object().is_a("IDL:armilla.org/Market/KioskHome:1.0").unwrap());
        assert_eq!(back.create().unwrap().street().unwrap(), "new");
    }
}

#[test]
fn facets_and_receptacles_are_called_by_the_operations_that_ports_stand_for() {
    let (_town, _elsewhere, homes) = town();
    for home in homes {
        let (cheap, dear) = (home.open("a").unwrap(), home.open("b").unwrap());
        let facet = cheap.provide_facet("prices").unwrap();
        assert_eq!(facet.narrow::<dyn Prices>().unwrap().price_of("tea").unwrap(), 3.0);
        let none = cheap.provide_facet("teas").unwrap_err();
        assert_eq!(none, Error::User(navigation::ProvideFacetRaises::InvalidName(InvalidName)));

        assert!(dear.get_connection_wholesale().unwrap().is_nil());
        dear.connect_wholesale(&cheap.provide_prices().unwrap()).unwrap();
        assert_eq!(dear.provide_prices().unwrap().price_of("tea").unwrap(), 4.5);
        let again = dear.connect_wholesale(&cheap.provide_prices().unwrap()).unwrap_err();
        let raised = kiosk::ConnectWholesaleRaises::AlreadyConnected(AlreadyConnected);
        assert_eq!(again, Error::User(raised));
        let before = dear.disconnect_wholesale().unwrap();
        assert_eq!(before.price_of("tea").unwrap(), 3.0);
        let none = dear.disconnect_wholesale().unwrap_err();
        let raised = kiosk::DisconnectWholesaleRaises::NoConnection(NoConnection);
        assert_eq!(none, Error::User(raised));
    }
}

/// Keeps the events that it gets.
#[derive(Clone, Default)]
struct Book(Arc<Mutex<Vec<String>>>);

impl EventConsumerBase for Book {
    absent! { push_event(event: &EventBaseRef) -> (), Error<event_consumer_base::PushEventRaises>; }
}

impl SoldConsumer for Book {
    fn push_sold(&self, sold: &SoldRef) -> Result<(), Failed> {
        let article = sold.as_ref().map(|sold| sold.get().article.clone());
        self.0.lock().unwrap().push(article.unwrap_or_default());
        Ok(())
    }
}

#[test]
fn events_go_from_publishers_to_subscribers_until_they_give_their_cookie_back() {
    let (town, _elsewhere, homes) = town();
    for home in homes {
        let kiosk = home.create().unwrap();
        let book = Book::default();
        let consumer: SoldConsumerRef =
            town.orb.root_poa().activate(sold_consumer::tie(book.clone())).unwrap();
        let cookie = kiosk.subscribe_sales(&consumer).unwrap();
        let sink = kiosk.get_consumer_returned().unwrap();
        sink.push_sold(&Some(Value::new(Sold { article: "tea".to_owned() }))).unwrap();
        assert_eq!(*book.0.lock().unwrap(), ["tea"]);

        assert!(!kiosk.unsubscribe_sales(&cookie).unwrap().is_nil());
        sink.push_sold(&Some(Value::new(Sold { article: "milk".to_owned() }))).unwrap();
        assert_eq!(*book.0.lock().unwrap(), ["tea"]);
        let unknown = kiosk.unsubscribe_sales(&cookie).unwrap_err();
        let raised = kiosk::UnsubscribeSalesRaises::InvalidConnection(InvalidConnection);
        assert_eq!(unknown, Error::User(raised));
    }
}

fn kind<T: Typed>() -> Option<TypeCodeKind> {
    T::type_code().kind()
}

#[test]
fn references_to_components_and_homes_have_types_of_their_own_kinds() {
    assert_eq!(kind::<KioskRef>(), Some(TypeCodeKind::Component));
    assert_eq!(kind::<KioskHomeRef>(), Some(TypeCodeKind::Home));
    assert_eq!(kind::<PricesRef>(), Some(TypeCodeKind::ObjectReference));
    assert_eq!(kind::<Ref<dyn KioskHomeExplicit>>(), Some(TypeCodeKind::ObjectReference));

    let (_town, elsewhere, homes) = town();
    for home in homes {
        let kiosk = home.open("Elm Street").unwrap();
        let any = Any::new(&kiosk).unwrap();
        let shown = kiosk.provide_prices().unwrap().shown(&any).unwrap();
        assert_eq!(shown.type_code().kind(), Some(TypeCodeKind::Component));
        let same: KioskRef = shown.get_with_context(&elsewhere).unwrap().unwrap();
        assert_eq!(same.street().unwrap(), "Elm Street");
    }
}
