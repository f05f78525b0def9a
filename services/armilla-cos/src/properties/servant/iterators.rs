//! All iterators.

use super::Service;
use super::sets::property;
use crate::properties::corba::{
    Properties as WireProperties, PropertiesIterator, Property as WireProperty, PropertyNames,
    PropertyNamesIterator,
};
use crate::properties::model::Property;
use crate::properties::service::Shared;
use armilla::{Current, ServantBase, SystemException};

impl Service {
    /// The next properties of the iterator that is called, as `show` has them.
    fn next<T>(
        &self,
        how_many: u32,
        show: impl Fn((&String, &Property)) -> T,
    ) -> Result<Vec<T>, SystemException> {
        let (shared, number) = self.called()?;
        let most = shared.iterators.at_most(how_many);
        let (sets, mut after) = (shared.read(), None);
        shared.iterators.step(number, |place| {
            // In a set that was removed there is nothing left.
            let set = sets.get(&place.set);
            let next = set.into_iter().flat_map(|set| set.behind(place.after.as_deref()));
            let shown: Vec<T> = next
                .take(most)
                .map(|(name, property)| {
                    after = Some(name.clone());
                    show((name, property))
                })
                .collect();
            if after.is_some() {
                place.after = after.take();
            }
            shown
        })
    }

    fn reset(&self) -> Result<(), SystemException> {
        let (shared, number) = self.called()?;
        shared.iterators.reset(number)
    }

    fn destroy(&self) -> Result<(), SystemException> {
        let (shared, number) = self.called()?;
        shared.iterators.destroy(number)
    }
}

impl ServantBase for Service {
    fn non_existent(&self, _: &Current) -> Result<bool, SystemException> {
        let (shared, number): (std::sync::Arc<Shared>, u64) = self.called()?;
        Ok(!shared.iterators.is_open(number))
    }
}

/// Iterators over names.
pub(super) struct Names(pub(super) Service);

impl PropertyNamesIterator for Names {
    fn reset(&self) -> Result<(), SystemException> {
        self.0.reset()
    }

    fn next_one(&self) -> Result<(bool, String), SystemException> {
        let next = self.0.next(1, |(name, _)| name.clone())?.pop();
        Ok((next.is_some(), next.unwrap_or_default()))
    }

    fn next_n(&self, how_many: u32) -> Result<(bool, PropertyNames), SystemException> {
        let next = self.0.next(how_many, |(name, _)| name.clone())?;
        Ok((!next.is_empty(), next))
    }

    fn destroy(&self) -> Result<(), SystemException> {
        self.0.destroy()
    }

    fn servant_base(&self) -> Option<&dyn ServantBase> {
        Some(&self.0)
    }
}

/// Iterators over properties.
pub(super) struct Properties(pub(super) Service);

impl PropertiesIterator for Properties {
    fn reset(&self) -> Result<(), SystemException> {
        self.0.reset()
    }

    fn next_one(&self) -> Result<(bool, WireProperty), SystemException> {
        let next = self.0.next(1, property)?.pop();
        Ok((next.is_some(), next.unwrap_or_default()))
    }

    fn next_n(&self, how_many: u32) -> Result<(bool, WireProperties), SystemException> {
        let next = self.0.next(how_many, property)?;
        Ok((!next.is_empty(), next))
    }

    fn destroy(&self) -> Result<(), SystemException> {
        self.0.destroy()
    }

    fn servant_base(&self) -> Option<&dyn ServantBase> {
        Some(&self.0)
    }
}
