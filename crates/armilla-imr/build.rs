//! Compiles the IDL of the implementation repository.

fn main() {
    armilla_idl::build("../../idl/ImplementationRepository.idl")
        .unwrap_or_else(|errors| errors.exit());
}
