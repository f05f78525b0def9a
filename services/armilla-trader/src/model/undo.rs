//! What undoes a change.

use super::{Change, Model, ModelError};

impl Model {
    /// Makes changes that were planned for this model as it is, and returns what undoes them, in
    /// the order of the changes. Numbers that were given stay given. After an error nothing has changed.
    pub(crate) fn make(
        &mut self,
        changes: impl IntoIterator<Item = Change>,
    ) -> Result<Vec<Change>, ModelError> {
        let mut undo = Vec::new();
        for change in changes {
            let inverse = self.inverse(&change);
            if let Err(error) = self.apply_one(change) {
                undo.reverse();
                self.apply(undo).ok();
                return Err(error);
            }
            undo.extend(inverse);
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
            Change::SetNext { .. } | Change::Reserve { .. } => None,
            Change::Prepare { token, .. } => Some(Change::Settle { token: token.clone() }),
            Change::Settle { token } => {
                let (changes, _) = self.pending.of(token)?;
                Some(Change::Prepare { token: token.clone(), changes: changes.into() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Attribute, Offer};
    use super::*;
    use armilla::Orb;
    use armilla_cos_trading::register::OfferInfo;
    use armilla_cos_trading::repos::service_type_repository::TypeStruct;
    use std::sync::Arc;

    fn put_type(name: &str, masked: bool) -> Change {
        Change::PutType(name.to_owned(), Box::new(TypeStruct { masked, ..TypeStruct::default() }))
    }

    fn put_offer(orb: &Orb, number: u64, key: &str) -> Change {
        let reference = orb.string_to_object(&format!("corbaloc::a.invalid/{key}")).unwrap();
        let info = OfferInfo { reference, r#type: "T".to_owned(), properties: Vec::new() };
        Change::PutOffer(Arc::new(Offer::of_object(number, info)))
    }

    /// What others see of a model.
    fn contents(model: &Model) -> String {
        let types: Vec<_> = model.service_types().iter().map(|it| &it.declared).collect();
        let offers: Vec<_> = model.offers().map(|offer| (offer.number, offer.info())).collect();
        let links: Vec<_> = model.links().collect();
        let limit = model.attributes().get(Attribute::MaxList);
        let prepared: Vec<_> = model.prepared().map(|(token, all)| (token, all.len())).collect();
        let stem = &model.attributes().request_id_stem;
        format!("{types:?} {offers:?} {links:?} {limit} {stem:?} {prepared:?}")
    }

    #[test]
    fn every_change_can_be_undone() {
        let orb = Orb::new().unwrap();
        let mut model = Model::new(&orb);
        let prepare = |token: &str, changes: &[Change]| Change::Prepare {
            token: token.into(),
            changes: changes.into(),
        };
        let link = |name: &str| Change::PutLink(name.to_owned(), Box::default());
        let before = [
            put_type("T", false),
            put_type("U", false),
            put_offer(&orb, 1, "one"),
            put_offer(&orb, 2, "two"),
            link("kept"),
            Change::SetAttribute(Attribute::MaxList, 7),
            prepare("ends", &[Change::RemoveOffer(1)]),
        ];
        model.make(before).unwrap();
        let expected = contents(&model);
        let changes = [
            put_offer(&orb, 1, "another"),
            put_offer(&orb, 3, "three"),
            Change::RemoveOffer(2),
            Change::RemoveOffer(3),
            link("new"),
            Change::RemoveLink("kept".to_owned()),
            Change::RemoveType("U".to_owned()),
            put_type("V", false),
            put_type("T", true),
            Change::SetAttribute(Attribute::MaxList, 8),
            Change::SetRequestIdStem(vec![1]),
            Change::Settle { token: "ends".into() },
            Change::Reserve { offer: 100, incarnation: 100 },
            prepare("begins", &[]),
        ];
        let mut undo = model.make(changes).unwrap();
        assert_ne!(contents(&model), expected);
        undo.reverse();
        model.apply(undo).unwrap();
        assert_eq!(contents(&model), expected);
    }
}
