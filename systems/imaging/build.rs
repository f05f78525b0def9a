//! Compiles the IDL.

fn main() {
    armilla_idl::Build::new()
        .include("../../idl")
        .extern_path("Streams", "::armilla_stream")
        .derive("Imaging::Image", "serde::Serialize, serde::Deserialize")
        .compile("idl/Imaging.idl")
        .unwrap_or_else(|errors| errors.exit());
}
