//! What undoes a change.

use super::{Change, Model, ModelError};

impl Model {
    /// Makes changes that were planned for this model as it is, and returns what undoes them, in
    /// the order of the changes. Numbers that were given stay given.
    pub(crate) fn make(
        &mut self,
        changes: impl IntoIterator<Item = Change>,
    ) -> Result<Vec<Change>, ModelError> {
        let mut undo = Vec::new();
        for change in changes {
            undo.extend(self.inverse(&change));
            self.apply_one(change)?;
        }
        Ok(undo)
    }

    /// What undoes a change that is about to be made; `None` if that changes nothing that can be
    /// undone.
    fn inverse(&self, change: &Change) -> Option<Change> {
        let put_type = |name: &String| {
            let declared = &self.service_types.get(name).ok()?.declared;
            Some(Change::PutType(name.clone(), Box::new(declared.clone())))
        };
        let put_offer = |number| self.offer_by_number(number).cloned().map(Change::PutOffer);
        let put_link = |name: &String| {
            let info = self.links.get(name)?;
            Some(Change::PutLink(name.clone(), Box::new(info.clone())))
        };
        match change {
            Change::PutType(name, _) => {
                put_type(name).or_else(|| Some(Change::RemoveType(name.clone())))
            }
            Change::RemoveType(name) => put_type(name),
            Change::PutOffer(offer) => {
                put_offer(offer.number).or(Some(Change::RemoveOffer(offer.number)))
            }
            Change::RemoveOffer(number) => put_offer(*number),
            Change::PutLink(name, _) => {
                put_link(name).or_else(|| Some(Change::RemoveLink(name.clone())))
            }
            Change::RemoveLink(name) => put_link(name),
            Change::SetAttribute(attribute, _) => {
                Some(Change::SetAttribute(*attribute, self.attributes.get(*attribute)))
            }
            Change::SetRequestIdStem(_) => {
                Some(Change::SetRequestIdStem(self.attributes.request_id_stem.clone()))
            }
            Change::SetNext { .. } => None,
        }
    }
}
