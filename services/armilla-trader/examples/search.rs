//! Measures searches among many offers: `cargo run --release -p armilla-trader --example search`.
//!
//! Prints the median time of a query by a client in the same process, over its stub: with the
//! texts compiled, the offers searched and sorted, and one offer returned.

use armilla::{Any, Orb, TypeCode};
use armilla_cos_trading::lookup::{HowManyProps, SpecifiedProps};
use armilla_cos_trading::repos::service_type_repository::{PropStruct, PropertyMode};
use armilla_cos_trading::repos::{ServiceTypeRepository, ServiceTypeRepositoryRef};
use armilla_cos_trading::{Lookup, Property, Register, SupportAttributes, TraderComponents};
use armilla_trader::{Limits, Store};
use std::time::{Duration, Instant};

/// How many offers there are.
const OFFERS: i32 = 100_000;

/// How often each query is measured.
const ROUNDS: usize = 21;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    let trader = armilla_trader::serve(&orb, Store::memory(&orb)?, Limits::default())?;
    let lookup = trader.lookup();
    let types: ServiceTypeRepositoryRef = lookup.type_repos()?.narrow()?;
    let normal = |name: &str, value_type| PropStruct {
        name: name.to_owned(),
        value_type,
        mode: PropertyMode::PropNormal,
    };
    let properties = [
        normal("price", TypeCode::Double),
        normal("pages", TypeCode::Long),
        normal("name", TypeCode::String(0)),
    ];
    types.add_type("Printer", "", &properties, &[])?;

    let started = Instant::now();
    let register = lookup.register_if()?;
    let object = orb.string_to_object("corbaloc::printers.invalid/printer")?;
    for number in 0..OFFERS {
        let properties = [
            property("price", &(f64::from(number.wrapping_mul(7919) % 10_007) / 10.0))?,
            property("pages", &(number.wrapping_mul(104_729) % 1_009))?,
            property("name", &format!("printer {number}"))?,
        ];
        register.export(&object, "Printer", &properties)?;
    }
    println!("{OFFERS} offers exported in {:.2?}", started.elapsed());

    for (constraint, preference) in [
        ("price < 10.0 and pages > 500", ""),
        ("name == 'printer 4711' and pages >= 0", ""),
        ("price < 500.0 and pages > 500", ""),
        ("price < 500.0 and pages > 500", "min price"),
        ("price * pages > 1000.0 and '47' ~ name", ""),
        ("price >= 0.0 or pages == 1", ""),
    ] {
        let (median, count) = measure(&lookup, constraint, preference)?;
        println!("{median:>10.2?}  {count:>6} found  {constraint}  {preference}");
    }
    orb.shutdown();
    Ok(())
}

fn property<T: armilla::Typed + armilla::Encode>(
    name: &str,
    value: &T,
) -> Result<Property, armilla::CdrError> {
    Ok(Property { name: name.to_owned(), value: Any::new(value)? })
}

/// The median time of a query, and how many offers it found.
fn measure(
    lookup: &armilla_cos_trading::LookupRef,
    constraint: &str,
    preference: &str,
) -> Result<(Duration, u32), Box<dyn std::error::Error>> {
    use armilla_cos_trading::OfferIterator;
    let all = SpecifiedProps::Unlisted { discriminator: HowManyProps::All };
    let most = Property { name: "return_card".to_owned(), value: Any::new(&100_000_u32)? };
    let most = armilla_cos_trading::Policy { name: most.name, value: most.value };
    let mut times = Vec::with_capacity(ROUNDS);
    let mut count = 0;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let (offers, rest, _) = lookup.query(
            "Printer",
            constraint,
            preference,
            std::slice::from_ref(&most),
            &all,
            1,
        )?;
        times.push(started.elapsed());
        count = u32::try_from(offers.len())?;
        if !rest.is_nil() {
            count += rest.max_left()?;
            rest.destroy()?;
        }
    }
    times.sort();
    Ok((times[ROUNDS / 2], count))
}
