//! Compiles the IDL, with asynchronous calls and asynchronous servants.

fn main() {
    let build = armilla_idl::Build::new().asynchronous(true).amh(true);
    build.compile("idl/weather.idl").unwrap_or_else(|errors| errors.exit());
}
