// Only what servants need. A whole file: an interface outside any module.

//= file
// Made from servant.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// What servants need and nothing more.
#[allow(dead_code, unreachable_pub)]
pub trait Account: Send + Sync + 'static {
    /// IDL operation `deposit`.
    fn deposit(&self, amount: f64) -> Result<(), ::armilla::codegen::SystemException>;

    /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
    /// servant that is an `armilla::ServantBase`.
    fn servant_base(&self) -> Option<&dyn ::armilla::codegen::ServantBase> {
        None
    }
}

/// A reference to an object with the interface [`Account`].
#[allow(dead_code, unreachable_pub)]
pub type AccountRef = ::armilla::codegen::Ref<dyn Account>;

impl ::armilla::codegen::Interface for dyn Account {
    const REPOSITORY_ID: &'static str = "IDL:Account:1.0";
    const BASES: &'static [&'static str] = &[];
    const OPERATIONS: &'static [&'static str] = &["deposit"];

    fn dispatch(
        &self,
        call: &mut ::armilla::codegen::ServerCall<'_>,
    ) -> ::armilla::codegen::Dispatched {
        static OPERATIONS: ::armilla::codegen::Operations<1, 2> = ::armilla::codegen::Operations::new(
            <dyn Account as ::armilla::codegen::Interface>::OPERATIONS,
        );
        match OPERATIONS.find(call.operation()) {
            Some(number) => ::armilla::codegen::Interface::perform(self, number, call),
            None => call.unknown_operation(),
        }
    }

    #[inline(always)]
    fn perform(
        &self,
        number: usize,
        call: &mut ::armilla::codegen::ServerCall<'_>,
    ) -> ::armilla::codegen::Dispatched {
        match number {
            0 => account::skeleton::deposit(self, call),
            _ => call.unknown_operation(),
        }
    }

    fn servant_base(&self) -> Option<&dyn ::armilla::codegen::ServantBase> {
        Account::servant_base(self)
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
pub mod account {
    /// Ties the servant to the skeleton of [`Account`](super::Account), for an object adapter.
    pub fn tie(servant: impl super::Account) -> ::std::sync::Arc<dyn super::Account> {
        ::std::sync::Arc::new(servant)
    }

    #[doc(hidden)]
    pub mod skeleton {
        use ::armilla::codegen;

        pub fn deposit(
            servant: &dyn super::super::Account,
            call: &mut codegen::ServerCall<'_>,
        ) -> codegen::Dispatched {
            let input = &mut call.arguments();
            let amount = input.f64()?;
            call.reply_void(servant.deposit(amount))
        }
    }
}
