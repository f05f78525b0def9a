//! Compiles the IDL of the suite, of the naming service and of a store of streams.

fn main() {
    let suite = ["../../idl/interop.idl", "../../idl/interop_values.idl"];
    armilla_idl::Build::new()
        .compile_all("interop", suite)
        .and_then(|_| armilla_idl::build("../../idl/CosNaming.idl"))
        .and_then(|_| armilla_idl::build("dynamic/mirror.idl"))
        .and_then(|_| armilla_idl::build("servers/account.idl"))
        .and_then(|_| armilla_idl::build("values/shapes.idl"))
        .and_then(|_| armilla_idl::Build::new().asynchronous(true).compile("silent/svc.idl"))
        .and_then(|_| {
            armilla_idl::Build::new()
                .define("BASES_ONLY", "")
                .compile_all("shapes_bases", ["values/shapes.idl"])
        })
        .and_then(|_| {
            armilla_idl::Build::new()
                .include("../../idl")
                .extern_path("Streams", "::armilla_stream")
                .compile("streams/images.idl")
        })
        .unwrap_or_else(|errors| errors.exit());
}
