//! Compiles the IDL of the implementation repository.

fn main() {
    for file in ["ImplementationRepository.idl", "JacORBRegistration.idl"] {
        armilla_idl::build(format!("idl/{file}")).unwrap_or_else(|errors| errors.exit());
    }
}
