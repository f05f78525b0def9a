//! Compiles the interfaces of COM that the bridge has, and what its example and its tests call.

use std::path::Path;

fn main() {
    armilla_idl::build("idl/OrbAutomation.idl").unwrap_or_else(|errors| errors.exit());
    armilla_idl::build("idl/Measured.idl").unwrap_or_else(|errors| errors.exit());
    // The tests are not part of what is published.
    if Path::new("tests/idl/shop.idl").exists() {
        for file in ["shop", "shop_views", "gauge"] {
            let file = format!("tests/idl/{file}.idl");
            armilla_idl::build(file).unwrap_or_else(|errors| errors.exit());
        }
    }
}
