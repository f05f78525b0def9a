//! Compiles the IDL of the standard, and that of the tests.

fn main() {
    armilla_idl::build("../../idl/RTCORBA.idl").unwrap_or_else(|errors| errors.exit());
    armilla_idl::build("tests/idl/station.idl").unwrap_or_else(|errors| errors.exit());
}
