//! Compiles the IDL of stream endpoints.

fn main() {
    armilla_idl::build("idl/Streams.idl").unwrap_or_else(|errors| errors.exit());
}
