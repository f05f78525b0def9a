//! Compiles the IDL of the naming service.

fn main() {
    armilla_idl::build("idl/CosNaming.idl").unwrap_or_else(|errors| errors.exit());
}
