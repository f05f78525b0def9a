// Made from local.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// What never leaves its process, and what is only known by name.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod near {
    use ::armilla::rt;

    /// IDL native `Near::Handle`.
    pub type Handle = rt::Native;

    /// IDL `Near::Guards`.
    pub type Guards = Vec<GuardRef>;

    /// IDL `Near::Shift`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Shift {
        /// IDL `first`.
        pub first: GuardRef,
        /// IDL `key`.
        pub key: Handle,
        /// IDL `hours`.
        pub hours: i32,
    }

    /// IDL `Near::Post`.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Post {
        /// IDL `held`, selected by `true`.
        Held(GuardRef),
        /// A discriminator that selects no member.
        Unlisted {
            /// The discriminator.
            discriminator: bool,
        },
    }

    impl Post {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> bool {
            match self {
                Self::Held(_) => true,
                Self::Unlisted { discriminator } => *discriminator,
            }
        }
    }

    /// IDL `Near::Asleep`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Asleep {
        /// IDL `who`.
        pub who: GuardRef,
    }

    impl ::std::fmt::Display for Asleep {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            write!(f, "Near::Asleep (who: {:?})", self.who)
        }
    }

    impl ::std::error::Error for Asleep {}

    /// IDL interface `Near::Guard`.
    pub trait Guard: Send + Sync + 'static {
        /// Reads the attribute `key`.
        fn key(&self) -> Result<Handle, rt::SystemException>;

        /// Sets the attribute [`key`](Self::key).
        fn set_key(&self, value: &Handle) -> Result<(), rt::SystemException>;

        /// IDL operation `relieve`.
        fn relieve(
            &self,
            others: &[GuardRef],
            plan: &mut Shift,
        ) -> Result<(GuardRef, Post), rt::Error<guard::RelieveRaises>>;
    }

    /// A reference to an object with the interface [`Guard`].
    pub type GuardRef = rt::LocalRef<dyn Guard>;

    /// What belongs to the interface [`Guard`].
    pub mod guard {
        use ::armilla::rt;

        /// IDL `Near::Guard::Tired`.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
        pub struct Tired;

        impl ::std::fmt::Display for Tired {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str("Near::Guard::Tired")
            }
        }

        impl ::std::error::Error for Tired {}

        impl rt::UserException for Tired {
            const REPOSITORY_ID: &'static str = "IDL:Near/Guard/Tired:1.0";
        }

        impl rt::Encode for Tired {
            fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                Ok(())
            }
        }

        impl<'a> rt::Decode<'a> for Tired {
            fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self)
            }
        }

        impl rt::Typed for Tired {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::exception::<
                        &str,
                    >("IDL:Near/Guard/Tired:1.0", "Tired", [])
                });
                CODE.clone()
            }
        }

        /// IDL `Near::Guard::LIMIT`.
        pub const LIMIT: i32 = 8;

        /// Makes an object of what implements [`Guard`](super::Guard).
        pub fn tie(servant: impl super::Guard) -> ::std::sync::Arc<dyn super::Guard> {
            ::std::sync::Arc::new(servant)
        }

        /// The exceptions that `relieve` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum RelieveRaises {
            /// IDL exception `Near::Asleep`.
            Asleep(super::Asleep),
            /// IDL exception `Near::Guard::Tired`.
            Tired(Tired),
        }

        impl ::std::fmt::Display for RelieveRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Asleep(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::Tired(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for RelieveRaises {}

        impl From<super::Asleep> for RelieveRaises {
            fn from(exception: super::Asleep) -> Self {
                Self::Asleep(exception)
            }
        }

        impl From<super::Asleep> for rt::Error<RelieveRaises> {
            fn from(exception: super::Asleep) -> Self {
                Self::User(exception.into())
            }
        }

        impl From<Tired> for RelieveRaises {
            fn from(exception: Tired) -> Self {
                Self::Tired(exception)
            }
        }
    }

    /// IDL interface `Near::Captain`.
    pub trait Captain: Guard {
        /// IDL operation `report`.
        fn report(
            &self,
            whom: &ElsewhereRef,
        ) -> Result<ElsewhereRef, rt::SystemException>;
    }

    /// A reference to an object with the interface [`Captain`].
    pub type CaptainRef = rt::LocalRef<dyn Captain>;

    /// What belongs to the interface [`Captain`].
    pub mod captain {
        /// Makes an object of what implements [`Captain`](super::Captain).
        pub fn tie(
            servant: impl super::Captain,
        ) -> ::std::sync::Arc<dyn super::Captain> {
            ::std::sync::Arc::new(servant)
        }
    }

    /// IDL interface `Near::Elsewhere`.
    pub trait Elsewhere: Send + Sync + 'static {
        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Elsewhere`].
    pub type ElsewhereRef = rt::Ref<dyn Elsewhere>;

    impl<I: Elsewhere + rt::Interface + ?Sized> Elsewhere for rt::Ref<I> {}

    impl rt::Interface for dyn Elsewhere {
        const REPOSITORY_ID: &'static str = "IDL:Near/Elsewhere:1.0";
        const BASES: &'static [&'static str] = &[];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            call.unknown_operation()
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Elsewhere::servant_base(self)
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Elsewhere>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Elsewhere> for dyn Elsewhere {}

    /// What belongs to the interface [`Elsewhere`].
    pub mod elsewhere {
        /// Ties the servant to the skeleton of [`Elsewhere`](super::Elsewhere), for an object adapter.
        pub fn tie(
            servant: impl super::Elsewhere,
        ) -> ::std::sync::Arc<dyn super::Elsewhere> {
            ::std::sync::Arc::new(servant)
        }
    }
}
