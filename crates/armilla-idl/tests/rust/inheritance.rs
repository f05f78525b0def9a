// Made from inheritance.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// IDL module `Base`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod base {
    use ::armilla::rt;

    /// IDL interface `Base::Named`.
    pub trait Named: Send + Sync + 'static {
        /// Reads the attribute `name`.
        fn name(&self) -> Result<String, rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Named`].
    pub type NamedRef = rt::Ref<dyn Named>;

    impl<I: Named + rt::Interface + ?Sized> Named for rt::Ref<I> {
        fn name(&self) -> Result<String, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Named::name(servant)) {
                return done;
            }
            self.invoke(
                "_get_name",
                |_out| Ok(()),
                |input| input.string().map(Into::into),
            )
        }
    }

    impl rt::Interface for dyn Named {
        const REPOSITORY_ID: &'static str = "IDL:Base/Named:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &["_get_name"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<1, 2> = rt::Operations::new(
                <dyn Named as rt::Interface>::OPERATIONS,
            );
            match OPERATIONS.find(call.operation()) {
                Some(number) => rt::Interface::perform(self, number, call),
                None => call.unknown_operation(),
            }
        }

        #[inline]
        fn perform(
            &self,
            number: usize,
            call: &mut rt::ServerCall<'_>,
        ) -> rt::Dispatched {
            match number {
                0 => named::skeleton::name(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Named::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "_get_name" => {
                        rt::Signature::new().with_result(rt::TypeCode::String(0))
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Named>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Named> for dyn Named {}

    /// What belongs to the interface [`Named`].
    pub mod named {
        /// Ties the servant to the skeleton of [`Named`](super::Named), for an object adapter.
        pub fn tie(servant: impl super::Named) -> ::std::sync::Arc<dyn super::Named> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn name<T: super::super::Named + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.name(), |result, out| out.borrow_string(result))
            }
        }
    }

    /// IDL interface `Base::Left`.
    pub trait Left: Named {
        /// IDL operation `go_left`.
        fn go_left(&self) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Named::servant_base(self)
        }
    }

    /// A reference to an object with the interface [`Left`].
    pub type LeftRef = rt::Ref<dyn Left>;

    impl<I: Left + rt::Interface + ?Sized> Left for rt::Ref<I> {
        fn go_left(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Left::go_left(servant)) {
                return done;
            }
            self.invoke("go_left", |_out| Ok(()), |_input| Ok(()))
        }
    }

    impl rt::Interface for dyn Left {
        const REPOSITORY_ID: &'static str = "IDL:Base/Left:1.0";
        const BASES: &'static [&'static str] = &["IDL:Base/Named:1.0"];
        const OPERATIONS: &'static [&'static str] = &["go_left", "_get_name"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<2, 4> = rt::Operations::new(
                <dyn Left as rt::Interface>::OPERATIONS,
            );
            match OPERATIONS.find(call.operation()) {
                Some(number) => rt::Interface::perform(self, number, call),
                None => call.unknown_operation(),
            }
        }

        #[inline]
        fn perform(
            &self,
            number: usize,
            call: &mut rt::ServerCall<'_>,
        ) -> rt::Dispatched {
            match number {
                0 => left::skeleton::go_left(self, call),
                1 => named::skeleton::name(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Left::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "go_left" => rt::Signature::new(),
                    _ => return <dyn Named as rt::Interface>::signature(operation),
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Left>(|| servant.clone());
            target.offer::<dyn Named>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Left> for dyn Left {}

    impl rt::IsA<dyn Named> for dyn Left {}

    /// What belongs to the interface [`Left`].
    pub mod left {
        /// Ties the servant to the skeleton of [`Left`](super::Left), for an object adapter.
        pub fn tie(servant: impl super::Left) -> ::std::sync::Arc<dyn super::Left> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn go_left<T: super::super::Left + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.go_left(), |(), _out| Ok(()))
            }
        }
    }

    /// IDL interface `Base::Right`.
    pub trait Right: Named {
        /// IDL operation `go_right`.
        fn go_right(&self, n: i32) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Named::servant_base(self)
        }
    }

    /// A reference to an object with the interface [`Right`].
    pub type RightRef = rt::Ref<dyn Right>;

    impl<I: Right + rt::Interface + ?Sized> Right for rt::Ref<I> {
        fn go_right(&self, n: i32) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Right::go_right(servant, n)) {
                return done;
            }
            self.invoke(
                "go_right",
                |out| {
                    out.put_i32(n);
                    Ok(())
                },
                |_input| Ok(()),
            )
        }
    }

    impl rt::Interface for dyn Right {
        const REPOSITORY_ID: &'static str = "IDL:Base/Right:1.0";
        const BASES: &'static [&'static str] = &["IDL:Base/Named:1.0"];
        const OPERATIONS: &'static [&'static str] = &["go_right", "_get_name"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<2, 4> = rt::Operations::new(
                <dyn Right as rt::Interface>::OPERATIONS,
            );
            match OPERATIONS.find(call.operation()) {
                Some(number) => rt::Interface::perform(self, number, call),
                None => call.unknown_operation(),
            }
        }

        #[inline]
        fn perform(
            &self,
            number: usize,
            call: &mut rt::ServerCall<'_>,
        ) -> rt::Dispatched {
            match number {
                0 => right::skeleton::go_right(self, call),
                1 => named::skeleton::name(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Right::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "go_right" => rt::Signature::new().with_in("n", rt::TypeCode::Long),
                    _ => return <dyn Named as rt::Interface>::signature(operation),
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Right>(|| servant.clone());
            target.offer::<dyn Named>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Right> for dyn Right {}

    impl rt::IsA<dyn Named> for dyn Right {}

    /// What belongs to the interface [`Right`].
    pub mod right {
        /// Ties the servant to the skeleton of [`Right`](super::Right), for an object adapter.
        pub fn tie(servant: impl super::Right) -> ::std::sync::Arc<dyn super::Right> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn go_right<T: super::super::Right + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n = input.i32()?;
                call.reply(servant.go_right(n), |(), _out| Ok(()))
            }
        }
    }
}

/// IDL module `Derived`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod derived {
    use ::armilla::rt;

    /// IDL interface `Derived::Both`.
    pub trait Both: super::base::Left + super::base::Right {
        /// IDL operation `parent`.
        fn parent(&self) -> Result<super::base::NamedRef, rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            super::base::Left::servant_base(self)
                .or_else(|| super::base::Right::servant_base(self))
        }
    }

    /// A reference to an object with the interface [`Both`].
    pub type BothRef = rt::Ref<dyn Both>;

    impl<I: Both + rt::Interface + ?Sized> Both for rt::Ref<I> {
        #[allow(clippy::redundant_closure)]
        fn parent(&self) -> Result<super::base::NamedRef, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Both::parent(servant)) {
                return done;
            }
            self.invoke("parent", |_out| Ok(()), |input| rt::Decode::decode(input))
        }
    }

    impl rt::Interface for dyn Both {
        const REPOSITORY_ID: &'static str = "IDL:Derived/Both:1.0";
        const BASES: &'static [&'static str] = &[
            "IDL:Base/Left:1.0",
            "IDL:Base/Right:1.0",
            "IDL:Base/Named:1.0",
        ];
        const OPERATIONS: &'static [&'static str] = &[
            "parent",
            "go_left",
            "go_right",
            "_get_name",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<4, 8> = rt::Operations::new(
                <dyn Both as rt::Interface>::OPERATIONS,
            );
            match OPERATIONS.find(call.operation()) {
                Some(number) => rt::Interface::perform(self, number, call),
                None => call.unknown_operation(),
            }
        }

        #[inline]
        fn perform(
            &self,
            number: usize,
            call: &mut rt::ServerCall<'_>,
        ) -> rt::Dispatched {
            match number {
                0 => both::skeleton::parent(self, call),
                1 => super::base::left::skeleton::go_left(self, call),
                2 => super::base::right::skeleton::go_right(self, call),
                3 => super::base::named::skeleton::name(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Both::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "parent" => {
                        rt::Signature::new()
                            .with_result(
                                rt::TypeCode::object_reference(
                                    "IDL:Base/Named:1.0",
                                    "Named",
                                ),
                            )
                    }
                    _ => {
                        return <dyn super::base::Left as rt::Interface>::signature(
                                operation,
                            )
                            .or_else(|| <dyn super::base::Right as rt::Interface>::signature(
                                operation,
                            ));
                    }
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Both>(|| servant.clone());
            target.offer::<dyn super::base::Left>(|| servant.clone());
            target.offer::<dyn super::base::Right>(|| servant.clone());
            target.offer::<dyn super::base::Named>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Both> for dyn Both {}

    impl rt::IsA<dyn super::base::Left> for dyn Both {}

    impl rt::IsA<dyn super::base::Right> for dyn Both {}

    impl rt::IsA<dyn super::base::Named> for dyn Both {}

    /// What belongs to the interface [`Both`].
    pub mod both {
        /// Ties the servant to the skeleton of [`Both`](super::Both), for an object adapter.
        pub fn tie(servant: impl super::Both) -> ::std::sync::Arc<dyn super::Both> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn parent<T: super::super::Both + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.parent(), rt::Encode::encode)
            }
        }
    }

    /// IDL interface `Derived::Leaf`.
    pub trait Leaf: Both {
        /// Reads the attribute `self`.
        fn self_(&self) -> Result<BothRef, rt::SystemException>;

        /// Sets the attribute [`self`](Self::self_).
        fn set_self(&self, value: &BothRef) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Both::servant_base(self)
        }
    }

    /// A reference to an object with the interface [`Leaf`].
    pub type LeafRef = rt::Ref<dyn Leaf>;

    impl<I: Leaf + rt::Interface + ?Sized> Leaf for rt::Ref<I> {
        #[allow(clippy::redundant_closure)]
        fn self_(&self) -> Result<BothRef, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Leaf::self_(servant)) {
                return done;
            }
            self.invoke("_get_self", |_out| Ok(()), |input| rt::Decode::decode(input))
        }

        fn set_self(&self, value: &BothRef) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Leaf::set_self(servant, value)) {
                return done;
            }
            self.invoke(
                "_set_self",
                |out| rt::Encode::encode(value, out),
                |_input| Ok(()),
            )
        }
    }

    impl rt::Interface for dyn Leaf {
        const REPOSITORY_ID: &'static str = "IDL:Derived/Leaf:1.0";
        const BASES: &'static [&'static str] = &[
            "IDL:Derived/Both:1.0",
            "IDL:Base/Left:1.0",
            "IDL:Base/Right:1.0",
            "IDL:Base/Named:1.0",
        ];
        const OPERATIONS: &'static [&'static str] = &[
            "_get_self",
            "_set_self",
            "parent",
            "go_left",
            "go_right",
            "_get_name",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<6, 16> = rt::Operations::new(
                <dyn Leaf as rt::Interface>::OPERATIONS,
            );
            match OPERATIONS.find(call.operation()) {
                Some(number) => rt::Interface::perform(self, number, call),
                None => call.unknown_operation(),
            }
        }

        #[inline]
        fn perform(
            &self,
            number: usize,
            call: &mut rt::ServerCall<'_>,
        ) -> rt::Dispatched {
            match number {
                0 => leaf::skeleton::self_(self, call),
                1 => leaf::skeleton::set_self(self, call),
                2 => both::skeleton::parent(self, call),
                3 => super::base::left::skeleton::go_left(self, call),
                4 => super::base::right::skeleton::go_right(self, call),
                5 => super::base::named::skeleton::name(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Leaf::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "_get_self" => {
                        rt::Signature::new()
                            .with_result(
                                rt::TypeCode::object_reference(
                                    "IDL:Derived/Both:1.0",
                                    "Both",
                                ),
                            )
                    }
                    "_set_self" => {
                        rt::Signature::new()
                            .with_in(
                                "self",
                                rt::TypeCode::object_reference(
                                    "IDL:Derived/Both:1.0",
                                    "Both",
                                ),
                            )
                    }
                    _ => return <dyn Both as rt::Interface>::signature(operation),
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Leaf>(|| servant.clone());
            target.offer::<dyn Both>(|| servant.clone());
            target.offer::<dyn super::base::Left>(|| servant.clone());
            target.offer::<dyn super::base::Right>(|| servant.clone());
            target.offer::<dyn super::base::Named>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Leaf> for dyn Leaf {}

    impl rt::IsA<dyn Both> for dyn Leaf {}

    impl rt::IsA<dyn super::base::Left> for dyn Leaf {}

    impl rt::IsA<dyn super::base::Right> for dyn Leaf {}

    impl rt::IsA<dyn super::base::Named> for dyn Leaf {}

    /// What belongs to the interface [`Leaf`].
    pub mod leaf {
        /// Ties the servant to the skeleton of [`Leaf`](super::Leaf), for an object adapter.
        pub fn tie(servant: impl super::Leaf) -> ::std::sync::Arc<dyn super::Leaf> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn self_<T: super::super::Leaf + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.self_(), rt::Encode::encode)
            }

            pub fn set_self<T: super::super::Leaf + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value: super::super::BothRef = rt::Decode::decode(input)?;
                call.reply(servant.set_self(&value), |(), _out| Ok(()))
            }
        }
    }

    /// IDL `Derived::Pair`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Pair {
        /// IDL `first`.
        pub first: BothRef,
        /// IDL `second`.
        pub second: super::base::LeftRef,
    }

    impl rt::Encode for Pair {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.first, out)?;
            rt::Encode::encode(&self.second, out)
        }
    }

    impl<'a> rt::Decode<'a> for Pair {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                first: rt::Decode::decode(input)?,
                second: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Pair {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Derived/Pair:1.0",
                    "Pair",
                    [
                        (
                            "first",
                            rt::TypeCode::object_reference(
                                "IDL:Derived/Both:1.0",
                                "Both",
                            ),
                        ),
                        (
                            "second",
                            rt::TypeCode::object_reference("IDL:Base/Left:1.0", "Left"),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }
}
