//! Compiles the IDL of the suite and of the naming service.

fn main() {
    let suite = ["../idl/interop.idl", "../idl/interop_values.idl"];
    armilla_idl::Build::new()
        .compile_all("interop", suite)
        .and_then(|_| armilla_idl::build("../idl/CosNaming.idl"))
        .and_then(|_| armilla_idl::build("dynamic/mirror.idl"))
        .unwrap_or_else(|errors| errors.exit());
}
