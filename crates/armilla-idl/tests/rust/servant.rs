// Only what servants need. A whole file: an interface outside any module.

//= file
// Made from servant.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// What servants need and nothing more.
#[allow(dead_code, unreachable_pub)]
pub trait Account: Send + Sync + 'static {
    /// IDL operation `deposit`.
    fn deposit(&self, amount: f64) -> Result<(), ::armilla::rt::SystemException>;

    /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
    /// servant that is an `armilla::ServantBase`.
    fn servant_base(&self) -> Option<&dyn ::armilla::rt::ServantBase> {
        None
    }
}

/// A reference to an object with the interface [`Account`].
#[allow(dead_code, unreachable_pub)]
pub type AccountRef = ::armilla::rt::Ref<dyn Account>;

impl ::armilla::rt::Interface for dyn Account {
    const REPOSITORY_ID: &'static str = "IDL:Account:1.0";
    const BASES: &'static [&'static str] = &[];
    const OPERATIONS: &'static [&'static str] = &["deposit"];

    fn dispatch(
        &self,
        call: &mut ::armilla::rt::ServerCall<'_>,
    ) -> ::armilla::rt::Dispatched {
        static OPERATIONS: ::armilla::rt::Operations<1, 2> = ::armilla::rt::Operations::new(
            <dyn Account as ::armilla::rt::Interface>::OPERATIONS,
        );
        match OPERATIONS.find(call.operation()) {
            Some(number) => ::armilla::rt::Interface::perform(self, number, call),
            None => call.unknown_operation(),
        }
    }

    #[inline]
    fn perform(
        &self,
        number: usize,
        call: &mut ::armilla::rt::ServerCall<'_>,
    ) -> ::armilla::rt::Dispatched {
        match number {
            0 => account::skeleton::deposit(self, call),
            _ => call.unknown_operation(),
        }
    }

    fn servant_base(&self) -> Option<&dyn ::armilla::rt::ServantBase> {
        Account::servant_base(self)
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
pub mod account {
    /// Ties the servant to the skeleton of [`Account`](super::Account), for an object adapter.
    pub fn tie(servant: impl super::Account) -> ::std::sync::Arc<dyn super::Account> {
        ::std::sync::Arc::new(servant)
    }

    #[doc(hidden)]
    pub mod skeleton {
        use ::armilla::rt;

        pub fn deposit(
            servant: &dyn super::super::Account,
            call: &mut rt::ServerCall<'_>,
        ) -> rt::Dispatched {
            let input = &mut call.arguments();
            let amount = input.f64()?;
            call.reply_void(servant.deposit(amount))
        }
    }
}
