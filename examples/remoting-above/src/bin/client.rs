//! Asks for the price of an apple a hundred times; with `--keep` it understands what the reference
//! says of prices.

use armilla::Orb;
use remoting_above::shop::{Catalogue, CatalogueRef};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let reference = arguments.next().ok_or("usage: remoting-above-client IOR:… [--keep]")?;
    let orb = Orb::new()?;
    if arguments.next().as_deref() == Some("--keep") {
        remoting_above::install(&orb);
    }
    // From here on nothing knows whether prices are kept.
    let catalogue: CatalogueRef = orb.resolve(&reference)?;
    let before = catalogue.questions()?;
    for _ in 0..100 {
        assert_eq!(catalogue.price("apple")?, 30);
    }
    println!("the server was asked {} times", catalogue.questions()? - before);
    match catalogue.price("stone") {
        Err(error) => println!("{error}"),
        Ok(price) => println!("a stone is {price}"),
    }
    Ok(())
}
