// Only what clients need. A whole file: an interface outside any module.

//= file
// Made from client.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// What clients need and nothing more.
#[allow(dead_code, unreachable_pub)]
pub trait Account: Send + Sync + 'static {
    /// IDL operation `deposit`.
    fn deposit(&self, amount: f64) -> Result<(), ::armilla::rt::SystemException>;
}

/// A reference to an object with the interface [`Account`].
#[allow(dead_code, unreachable_pub)]
pub type AccountRef = ::armilla::rt::Ref<dyn Account>;

impl<I: Account + ::armilla::rt::Interface + ?Sized> Account for ::armilla::rt::Ref<I> {
    fn deposit(&self, amount: f64) -> Result<(), ::armilla::rt::SystemException> {
        if let Some(done) = self.directly(|servant| Account::deposit(servant, amount)) {
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

impl ::armilla::rt::Interface for dyn Account {
    const REPOSITORY_ID: &'static str = "IDL:Account:1.0";
    const BASES: &'static [&'static str] = &[];

    fn dispatch(
        &self,
        call: &mut ::armilla::rt::ServerCall<'_>,
    ) -> ::armilla::rt::Dispatched {
        call.unknown_operation()
    }

    fn signature(operation: &str) -> Option<::armilla::rt::Signature> {
        Some(
            match operation {
                "deposit" => {
                    ::armilla::rt::Signature::new()
                        .with_in("amount", ::armilla::rt::TypeCode::Double)
                }
                _ => return None,
            },
        )
    }

    fn upcast(servant: ::std::sync::Arc<Self>, target: &mut ::armilla::rt::Upcast<'_>) {
        target.offer::<dyn Account>(|| servant.clone());
    }
}

impl ::armilla::rt::IsA<dyn Account> for dyn Account {}

/// What belongs to the interface [`Account`].
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod account {}
