//! Compiles the IDL of the standard, and that of the tests.

fn main() {
    armilla_idl::build("idl/RTCORBA.idl").unwrap_or_else(|errors| errors.exit());
    let asynchronous = armilla_idl::Build::new().asynchronous(true).amh(true);
    asynchronous.compile("idl/station.idl").unwrap_or_else(|errors| errors.exit());
}
