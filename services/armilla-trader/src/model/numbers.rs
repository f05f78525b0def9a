//! The numbers of offers and service types: each is given once, also by a transaction that rolls back,
//! and also if the process ends before anything with the number is kept.

use super::service_types::{incarnation_number, to_incarnation};
use super::{Change, Model};
use armilla_cos_trading::repos::service_type_repository::IncarnationNumber;

/// How many numbers are reserved at once, and left out by a restart at most.
const RESERVE: u64 = 1024;

impl Model {
    /// Plans to reserve numbers for transactions. Nothing is to be done while some are left: each
    /// operation takes one at most.
    pub fn plan_reserve(&self) -> Vec<Change> {
        let (offer, incarnation) = (self.next_offer, self.service_types.next());
        match offer < self.reserved.0 && incarnation < self.reserved.1 {
            true => Vec::new(),
            false => vec![Change::Reserve {
                offer: offer.saturating_add(RESERVE),
                incarnation: incarnation.saturating_add(RESERVE),
            }],
        }
    }

    /// Changes that [reserve](Self::plan_reserve) numbers have been kept.
    pub fn has_reserved(&mut self, changes: &[Change]) {
        for change in changes {
            if let Change::Reserve { offer, incarnation } = change {
                let (offers, types) = &mut self.reserved;
                (*offers, *types) = ((*offers).max(*offer), (*types).max(*incarnation));
            }
        }
    }

    /// Takes the numbers in changes that a transaction will make.
    pub(super) fn take_numbers(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::PutOffer(offer) => {
                    self.next_offer = self.next_offer.max(offer.number.saturating_add(1));
                }
                Change::PutType(_, declared) => {
                    let number = incarnation_number(declared.incarnation);
                    self.service_types.set_next(number.saturating_add(1));
                }
                _ => {}
            }
        }
    }

    /// From which number on those have to ask who know all service types that there are: that of the
    /// next one, or of one that is to come with a transaction.
    pub fn incarnation(&self) -> IncarnationNumber {
        let to_come = self.pending.of_others(None).filter_map(|change| match change {
            Change::PutType(name, declared) => {
                let is_there = self
                    .service_types
                    .get(name)
                    .is_ok_and(|known| known.declared.incarnation == declared.incarnation);
                (!is_there).then(|| incarnation_number(declared.incarnation))
            }
            _ => None,
        });
        to_incarnation(to_come.fold(self.service_types.next(), u64::min))
    }
}
