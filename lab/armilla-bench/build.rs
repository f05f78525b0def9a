//! Compiles the IDL of the experiments.

fn main() {
    armilla_idl::Build::new()
        .include("idl")
        .shared("Bench::StringSeq")
        .compile("idl/bench.idl")
        .unwrap_or_else(|errors| errors.exit());
    armilla_idl::build("idl/realtime.idl").unwrap_or_else(|errors| errors.exit());
    let asynchronous = armilla_idl::Build::new().asynchronous(true);
    asynchronous.compile("idl/overload.idl").unwrap_or_else(|errors| errors.exit());
    armilla_idl::Build::new()
        .extern_path("Streams", "::armilla_stream")
        .compile("idl/image_flows.idl")
        .unwrap_or_else(|errors| errors.exit());
}
