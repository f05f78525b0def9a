//! Property sets outlive their process, whatever fails.

use armilla::{Any, Orb};
use armilla_cos::properties::corba::{
    PropertyModeType, PropertySet, PropertySetDef, PropertySetDefFactory, PropertySetDefRef,
};
use armilla_cos::properties::{PropertyLimits, PropertyService, Store};
use armilla_store::faults::{Trial, try_every_failure};
use std::collections::BTreeSet;
use std::path::Path;

/// A service on the disk with one set, in which each change is a property.
struct OnDisk {
    orb: Orb,
    set: PropertySetDefRef,
    _service: PropertyService,
}

impl Drop for OnDisk {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

impl Trial for OnDisk {
    fn open(directory: &Path) -> Result<Self, String> {
        let orb = Orb::builder().build().unwrap();
        let store = Store::open(directory, &orb).map_err(|error| error.to_string())?;
        let service = PropertyService::serve(&orb, store, PropertyLimits::default()).unwrap();
        let known = service.list().unwrap().pop();
        let made = match known {
            Some(known) => known.reference.object().narrow(),
            None => service.def_factory().create_propertysetdef(),
        };
        let set = made.map_err(|error| error.to_string()).inspect_err(|_| orb.shutdown())?;
        Ok(Self { orb, set, _service: service })
    }

    fn change(&mut self, number: u32) -> Result<(), String> {
        let value = Any::new(&number).unwrap();
        let mode = PropertyModeType::FixedNormal;
        let defined = self.set.define_property_with_mode(&number.to_string(), &value, mode);
        defined.map_err(|error| error.to_string())
    }

    fn changes(&self) -> BTreeSet<u32> {
        let names = self.set.get_all_property_names(1000).unwrap().0;
        let has = |name: &String| {
            assert_eq!(self.set.get_property_mode(name), Ok(PropertyModeType::FixedNormal));
            name.parse().unwrap()
        };
        names.iter().map(has).collect()
    }
}

#[test]
fn whatever_fails_nothing_acknowledged_is_lost() {
    let failures = try_every_failure::<OnDisk>("properties");
    assert!(failures > 50, "{failures}");
}
