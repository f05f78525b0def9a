// Only what clients need. A whole file: an interface outside any module.

//= file
// Made from client.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// What clients need and nothing more.
#[allow(dead_code, unreachable_pub)]
pub trait Account: Send + Sync + 'static {
    /// IDL operation `deposit`.
    fn deposit(&self, amount: f64) -> Result<(), ::armilla::codegen::SystemException>;
}

/// A reference to an object with the interface [`Account`].
#[allow(dead_code, unreachable_pub)]
pub type AccountRef = ::armilla::codegen::Ref<dyn Account>;

impl<I: Account + ::armilla::codegen::Interface + ?Sized> Account
for ::armilla::codegen::Ref<I> {
    fn deposit(&self, amount: f64) -> Result<(), ::armilla::codegen::SystemException> {
        if let Some(done) = self
            .directly_or_lent("deposit", |servant| Account::deposit(servant, amount))
        {
            return done;
        }
        self.invoke(
            "deposit",
            |out| {
                out.put_f64(amount);
                Ok(())
            },
            |_input| Ok(()),
        )
    }
}

impl ::armilla::codegen::Interface for dyn Account {
    const REPOSITORY_ID: &'static str = "IDL:Account:1.0";
    const BASES: &'static [&'static str] = &[];

    fn dispatch(
        &self,
        call: &mut ::armilla::codegen::ServerCall<'_>,
    ) -> ::armilla::codegen::Dispatched {
        call.unknown_operation()
    }

    fn signature(operation: &str) -> Option<::armilla::codegen::Signature> {
        Some(
            match operation {
                "deposit" => {
                    ::armilla::codegen::Signature::new()
                        .with_in("amount", ::armilla::codegen::TypeCode::Double)
                }
                _ => return None,
            },
        )
    }

    fn upcast(
        servant: ::std::sync::Arc<Self>,
        target: &mut ::armilla::codegen::Upcast<'_>,
    ) {
        target.offer::<dyn Account>(|| servant.clone());
    }
}

impl ::armilla::codegen::IsA<dyn Account> for dyn Account {}

/// What belongs to the interface [`Account`].
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod account {}
