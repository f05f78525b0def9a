//! Tells prices until Ctrl-C, and that they hold for an hour.

use armilla::{Error, Orb, SystemException};
use remoting_above::prices_hold;
use remoting_above::shop::{Catalogue, CatalogueRef, Unknown, catalogue, catalogue::PriceRaises};
use std::sync::atomic::{AtomicI32, Ordering};

/// The servant.
#[derive(Default)]
struct Shelf {
    questions: AtomicI32,
}

impl Catalogue for Shelf {
    fn price(&self, item: &str) -> Result<i32, Error<PriceRaises>> {
        self.questions.fetch_add(1, Ordering::Relaxed);
        match item {
            "apple" => Ok(30),
            "pear" => Ok(40),
            other => Err(Error::User(PriceRaises::Unknown(Unknown { item: other.into() }))),
        }
    }

    fn questions(&self) -> Result<i32, SystemException> {
        Ok(self.questions.load(Ordering::Relaxed))
    }
}

fn main() -> Result<(), SystemException> {
    let orb = Orb::from_args(std::env::args())?;
    let plain: CatalogueRef = orb.root_poa().activate(catalogue::tie(Shelf::default()))?;
    let kept = prices_hold(&plain, 3600)?;
    println!("{}", orb.object_to_string(kept.object())?);
    orb.run()
}
