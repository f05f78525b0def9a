//! A factory finder: a place, as the factories that a naming service and a trading service know there
//! (Life Cycle Service 1.2, 2.3).

use super::corba::factory_finder::FindFactoriesRaises;
use super::corba::{
    FactoryFinder, FactoryFinderRef, GenericFactory, GenericFactoryRef, NoFactory, factory_finder,
};
use armilla::{Error, ExceptionKind, Object, Orb, SystemException};
use armilla_cos_naming::naming_context::ResolveRaises;
use armilla_cos_naming::{
    BindingIterator, BindingType, NameComponent, NamingContext, NamingContextRef,
};
use armilla_cos_trading::lookup::{HowManyProps, QueryRaises, SpecifiedProps};
use armilla_cos_trading::{Lookup, LookupRef, OfferIterator};

/// The object key of a finder in `corbaloc:` URLs.
pub const FINDER_KEY: &str = "FactoryFinder";

/// The POA of the finders.
const ADAPTER: &str = "lifecycle";

/// How many factories are found at most.
const MOST: u32 = 100;

/// Where factories are looked for: first under their key as a name in a naming context, where a
/// context stands for all objects in it; then in a trading service, as offers of the service type
/// that the last step of the key has as its id.
#[derive(Debug, Clone, Default)]
#[must_use = "it finds nothing until it is asked or served"]
pub struct Finder {
    context: Option<NamingContextRef>,
    trader: Option<LookupRef>,
}

impl Finder {
    /// A finder that knows no place.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks in this naming context.
    pub fn context(mut self, context: NamingContextRef) -> Self {
        self.context = Some(context);
        self
    }

    /// Looks in this trading service.
    pub fn trader(mut self, trader: LookupRef) -> Self {
        self.trader = Some(trader);
        self
    }

    /// Makes it an object, and publishes that. Returns its URL too, `corbaloc::HOST:PORT/FactoryFinder`.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen.
    pub fn serve(self, orb: &Orb) -> Result<(FactoryFinderRef, String), SystemException> {
        let poa = orb.root_poa().create_poa(ADAPTER).persistent().user_ids().build()?;
        let finder = poa.activate_with_id("finder", factory_finder::tie(self))?;
        let url = orb.publish(FINDER_KEY, &finder)?;
        Ok((finder, url))
    }

    /// The factories for a key; none is an empty list.
    ///
    /// # Errors
    /// What the services answer, unless it says that there is none.
    pub fn find(&self, key: &[NameComponent]) -> Result<Vec<Object>, SystemException> {
        if key.is_empty() {
            return Err(ExceptionKind::BadParam.because("a key has at least one step"));
        }
        let mut found = Vec::new();
        if let Some(context) = &self.context {
            found.extend(named(context, key)?);
        }
        if let Some(trader) = &self.trader {
            found.extend(offered(trader, &key[key.len() - 1].id)?);
        }
        Ok(found)
    }

    /// Makes an object by the first factory for a key that supports it.
    ///
    /// # Errors
    /// `None` if there is none that does; what the factory answers.
    pub(super) fn generic(
        &self,
        key: &[NameComponent],
    ) -> Result<Option<GenericFactoryRef>, SystemException> {
        first_generic(self.find(key)?, key)
    }
}

/// The first of these factories that makes objects by a key, if one does. Those that are gone for good, and
/// those of another interface, make none.
///
/// # Errors
/// None does of those that answer, and one does not answer: its exception.
pub fn first_generic(
    factories: Vec<Object>,
    key: &[NameComponent],
) -> Result<Option<GenericFactoryRef>, SystemException> {
    let mut away = None;
    for factory in factories {
        let asked = factory.narrow::<dyn GenericFactory>();
        match asked.and_then(|factory| Ok((factory.supports(key)?, factory))) {
            Ok((true, factory)) => return Ok(Some(factory)),
            Ok((false, _)) => {}
            // One that is gone for good, or makes objects in a way of its own, is none.
            Err(exception) if exception.kind() == ExceptionKind::ObjectNotExist => {}
            Err(exception) if exception.kind() == ExceptionKind::BadParam => {}
            Err(exception) => away = Some(exception),
        }
    }
    // Nobody knows what one makes that does not answer.
    away.map_or(Ok(None), Err)
}

fn named(
    context: &NamingContextRef,
    key: &[NameComponent],
) -> Result<Vec<Object>, SystemException> {
    let found = match context.resolve(key) {
        Ok(found) => found,
        Err(Error::System(exception)) => return Err(exception),
        Err(Error::User(ResolveRaises::NotFound(_) | ResolveRaises::InvalidName(_))) => {
            return Ok(Vec::new());
        }
        Err(Error::User(error)) => {
            let what = format!("the naming service: {error}");
            return Err(ExceptionKind::Transient.because(what));
        }
    };
    let Ok(inner) = found.narrow::<dyn NamingContext>() else { return Ok(vec![found]) };
    let (bindings, rest) = inner.list(MOST)?;
    if !rest.is_nil() {
        rest.destroy()?;
    }
    let is_object = |it: &&armilla_cos_naming::Binding| it.binding_type == BindingType::Nobject;
    // What is unbound meanwhile is not there.
    let one = |it: &armilla_cos_naming::Binding| inner.resolve(&it.binding_name).ok();
    Ok(bindings.iter().filter(is_object).filter_map(one).collect())
}

fn offered(trader: &LookupRef, service_type: &str) -> Result<Vec<Object>, SystemException> {
    let no_properties = SpecifiedProps::Unlisted { discriminator: HowManyProps::None };
    let answer = trader.query(service_type, "", "", &[], &no_properties, MOST);
    match answer {
        Ok((offers, rest, _)) => {
            if !rest.is_nil() {
                rest.destroy()?;
            }
            Ok(offers.into_iter().map(|offer| offer.reference).collect())
        }
        Err(Error::System(exception)) => Err(exception),
        Err(Error::User(
            QueryRaises::UnknownServiceType(_) | QueryRaises::IllegalServiceType(_),
        )) => Ok(Vec::new()),
        Err(Error::User(error)) => {
            Err(ExceptionKind::Transient.because(format!("the trading service: {error}")))
        }
    }
}

impl FactoryFinder for Finder {
    fn find_factories(
        &self,
        key: &[NameComponent],
    ) -> Result<Vec<Object>, Error<FindFactoriesRaises>> {
        let found = self.find(key)?;
        match found.is_empty() {
            true => Err(NoFactory { search_key: key.to_vec() }.into()),
            false => Ok(found),
        }
    }
}
