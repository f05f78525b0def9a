//! A trader that is asked from another process, as it were.

// No test uses all of it.
#![allow(dead_code)]

use armilla::{Any, Object, Orb, TypeCode};
use armilla_cos_trading::lookup::{HowManyProps, SpecifiedProps};
use armilla_cos_trading::repos::service_type_repository::{PropStruct, PropertyMode};
use armilla_cos_trading::repos::{ServiceTypeRepository, ServiceTypeRepositoryRef};
use armilla_cos_trading::{
    AdminRef, LinkRef, LookupRef, Policy, Property, ProxyRef, Register, RegisterRef,
    SupportAttributes, TraderComponents,
};
use armilla_tests::orbs::{client, listening, travel};
use armilla_trader::{Limits, Store, Trader};

/// A trader, and references to it from another ORB.
pub(crate) struct Served {
    pub(crate) orb: Orb,
    pub(crate) trader: Trader,
    pub(crate) client: Orb,
    pub(crate) lookup: LookupRef,
    pub(crate) register: RegisterRef,
    pub(crate) link: LinkRef,
    pub(crate) proxy: ProxyRef,
    pub(crate) admin: AdminRef,
    pub(crate) types: ServiceTypeRepositoryRef,
}

impl Served {
    pub(crate) fn new() -> Self {
        Self::limited(Limits::default())
    }

    pub(crate) fn limited(limits: Limits) -> Self {
        let orb = listening();
        let store = Store::memory(&orb).unwrap();
        Self::by(orb, store, limits)
    }

    pub(crate) fn by(orb: Orb, store: Store, limits: Limits) -> Self {
        let trader = armilla_trader::serve(&orb, store, limits).unwrap();
        Self::of(orb, trader)
    }

    pub(crate) fn of(orb: Orb, trader: Trader) -> Self {
        let client = client();
        // The server has started: what is destroyed does not exist any more.
        orb.perform_work().unwrap();
        let lookup = travel(&trader.lookup(), &client);
        Self {
            register: lookup.register_if().unwrap(),
            link: lookup.link_if().unwrap(),
            proxy: lookup.proxy_if().unwrap(),
            admin: lookup.admin_if().unwrap(),
            types: lookup.type_repos().unwrap().narrow().unwrap(),
            orb,
            trader,
            client,
            lookup,
        }
    }

    /// A trader with the service type `Printer`.
    pub(crate) fn with_printers() -> Self {
        let served = Self::new();
        served.add_printers();
        served
    }

    pub(crate) fn add_printers(&self) {
        let properties = [
            declared("name", TypeCode::String(0), PropertyMode::PropMandatory),
            declared("price", TypeCode::Double, PropertyMode::PropNormal),
            declared("pages", TypeCode::Long, PropertyMode::PropNormal),
            declared("serial", TypeCode::ULong, PropertyMode::PropReadonly),
        ];
        self.types.add_type("Printer", "", &properties, &[]).unwrap();
    }

    /// An object that is offered under this name.
    pub(crate) fn object(&self, name: &str) -> Object {
        self.client.string_to_object(&format!("corbaloc::printers.invalid/{name}")).unwrap()
    }

    /// Exports a printer, and returns the id of the offer.
    pub(crate) fn printer(&self, name: &str, price: f64, pages: i32) -> String {
        let properties = [text("name", name), property("price", &price), property("pages", &pages)];
        self.register.export(&self.object(name), "Printer", &properties).unwrap()
    }

    /// The names of the printers that a query finds, with the policies that limited it.
    pub(crate) fn find(&self, constraint: &str, preference: &str, policies: &[Policy]) -> String {
        names(&self.lookup, constraint, preference, policies)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.orb.shutdown();
        self.trader.close();
    }
}

pub(crate) const ALL: SpecifiedProps =
    SpecifiedProps::Unlisted { discriminator: HowManyProps::All };

pub(crate) fn declared(name: &str, value_type: TypeCode, mode: PropertyMode) -> PropStruct {
    PropStruct { name: name.to_owned(), value_type, mode }
}

pub(crate) fn property<T: armilla::Typed + armilla::Encode + ?Sized>(
    name: &str,
    value: &T,
) -> Property {
    Property { name: name.to_owned(), value: Any::new(value).unwrap() }
}

pub(crate) fn text(name: &str, value: &str) -> Property {
    property(name, &value.to_owned())
}

pub(crate) fn policy<T: armilla::Typed + armilla::Encode + ?Sized>(
    name: &str,
    value: &T,
) -> Policy {
    Policy { name: name.to_owned(), value: Any::new(value).unwrap() }
}

/// The names of the printers that a query at a trader finds, with the policies that limited it.
pub(crate) fn names(
    lookup: &LookupRef,
    constraint: &str,
    preference: &str,
    policies: &[Policy],
) -> String {
    use armilla_cos_trading::Lookup;
    let (offers, rest, limits) =
        lookup.query("Printer", constraint, preference, policies, &ALL, 100).unwrap();
    assert!(rest.is_nil());
    let name = |offer: &armilla_cos_trading::Offer| {
        let name = offer.properties.iter().find(|property| property.name == "name");
        name.map_or_else(|| "?".to_owned(), |name| name.value.get::<String>().unwrap().unwrap())
    };
    let found = offers.iter().map(name).collect::<Vec<_>>().join(" ");
    match limits.is_empty() {
        true => found,
        false => format!("{found} [{}]", limits.join(" ")),
    }
}
