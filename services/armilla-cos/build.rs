//! Compiles the IDL of the services.

fn main() {
    // A wait for a lock takes no thread: the servants of lock sets reply later.
    armilla_idl::Build::new()
        .amh(true)
        .extern_path("CosTransactions", "::armilla_transactions::corba")
        .compile_all(
            "CosConcurrencyControl",
            ["idl/CosConcurrencyControl.idl", "idl/ArmillaLocks.idl"],
        )
        .unwrap_or_else(|errors| errors.exit());
    armilla_idl::Build::new()
        .compile_all(
            "CosTime",
            ["idl/CosTime.idl", "idl/CosTimerEvent.idl", "idl/ArmillaTimers.idl"],
        )
        .unwrap_or_else(|errors| errors.exit());
    armilla_idl::Build::new()
        .extern_path("CosNaming", "::armilla_cos_naming")
        .compile("idl/CosLifeCycle.idl")
        .unwrap_or_else(|errors| errors.exit());
    armilla_idl::Build::new()
        .compile_all(
            "CosPropertyService",
            ["idl/CosPropertyService.idl", "idl/ArmillaProperties.idl"],
        )
        .unwrap_or_else(|errors| errors.exit());
}
