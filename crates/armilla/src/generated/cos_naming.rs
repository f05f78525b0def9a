// Made from CosNaming.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// The naming service of the OMG.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod cos_naming {
    use ::armilla::rt;

    /// Text in names.
    pub type Istring = String;

    /// The TypeCode of IDL `CosNaming::Istring`.
    pub fn istring_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:omg.org/CosNaming/Istring:1.0",
                "Istring",
                rt::TypeCode::String(0),
            )
        });
        CODE.clone()
    }

    /// One step of a name: two bindings in a context may share the id if their kinds differ.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct NameComponent {
        /// IDL `id`.
        pub id: Istring,
        /// IDL `kind`.
        pub kind: Istring,
    }

    impl rt::Encode for NameComponent {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.borrow_string(&self.id)?;
            out.borrow_string(&self.kind)
        }
    }

    impl<'a> rt::Decode<'a> for NameComponent {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                id: input.string().map(Into::into)?,
                kind: input.string().map(Into::into)?,
            })
        }
    }

    impl rt::Typed for NameComponent {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:omg.org/CosNaming/NameComponent:1.0",
                    "NameComponent",
                    [
                        (
                            "id",
                            rt::TypeCode::alias(
                                "IDL:omg.org/CosNaming/Istring:1.0",
                                "Istring",
                                rt::TypeCode::String(0),
                            ),
                        ),
                        (
                            "kind",
                            rt::TypeCode::alias(
                                "IDL:omg.org/CosNaming/Istring:1.0",
                                "Istring",
                                rt::TypeCode::String(0),
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// A path of one or more steps; all but the last lead through contexts.
    pub type Name = Vec<NameComponent>;

    /// The TypeCode of IDL `CosNaming::Name`.
    pub fn name_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:omg.org/CosNaming/Name:1.0",
                "Name",
                rt::TypeCode::sequence(<NameComponent as rt::Typed>::type_code(), 0),
            )
        });
        CODE.clone()
    }

    /// What a name is bound to: an object that is a leaf, or a context to go on from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[repr(u32)]
    pub enum BindingType {
        /// IDL `nobject`.
        #[default]
        Nobject,
        /// IDL `ncontext`.
        Ncontext,
    }

    impl BindingType {
        /// The enumerator with the number `value`, the first being 0.
        ///
        /// # Errors
        /// When there are not so many enumerators.
        pub fn from_discriminant(value: u32) -> rt::CdrResult<Self> {
            match value {
                0 => Ok(Self::Nobject),
                1 => Ok(Self::Ncontext),
                _ => Err(rt::CdrError::invalid_enum("CosNaming::BindingType", value)),
            }
        }
    }

    impl rt::Encode for BindingType {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u32(*self as u32);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for BindingType {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Self::from_discriminant(input.u32()?)
        }
    }

    impl rt::Typed for BindingType {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::enumeration(
                    "IDL:omg.org/CosNaming/BindingType:1.0",
                    "BindingType",
                    ["nobject", "ncontext"],
                )
            });
            CODE.clone()
        }
    }

    /// An entry of a listing.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Binding {
        /// One step, although the type would allow more.
        pub binding_name: Name,
        /// IDL `binding_type`.
        pub binding_type: BindingType,
    }

    impl rt::Encode for Binding {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_sequence(&self.binding_name)?;
            out.put_u32(self.binding_type as u32);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Binding {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                binding_name: input.sequence()?,
                binding_type: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Binding {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:omg.org/CosNaming/Binding:1.0",
                    "Binding",
                    [
                        (
                            "binding_name",
                            rt::TypeCode::alias(
                                "IDL:omg.org/CosNaming/Name:1.0",
                                "Name",
                                rt::TypeCode::sequence(
                                    <NameComponent as rt::Typed>::type_code(),
                                    0,
                                ),
                            ),
                        ),
                        ("binding_type", <BindingType as rt::Typed>::type_code()),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `CosNaming::BindingList`.
    pub type BindingList = Vec<Binding>;

    /// The TypeCode of IDL `CosNaming::BindingList`.
    pub fn binding_list_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:omg.org/CosNaming/BindingList:1.0",
                "BindingList",
                rt::TypeCode::sequence(<Binding as rt::Typed>::type_code(), 0),
            )
        });
        CODE.clone()
    }

    /// A set of bindings, and the way to those of the contexts below.
    pub trait NamingContext: Send + Sync + 'static {
        /// Binds a name to an object.
        fn bind(
            &self,
            n: &[NameComponent],
            obj: &rt::Object,
        ) -> Result<(), rt::Error<naming_context::BindRaises>>;

        /// Binds a name to an object, in place of the object that it may be bound to.
        fn rebind(
            &self,
            n: &[NameComponent],
            obj: &rt::Object,
        ) -> Result<(), rt::Error<naming_context::RebindRaises>>;

        /// Binds a name to a context, through which names are then resolved.
        fn bind_context(
            &self,
            n: &[NameComponent],
            nc: &NamingContextRef,
        ) -> Result<(), rt::Error<naming_context::BindContextRaises>>;

        /// Binds a name to a context, in place of the one that it may be bound to.
        fn rebind_context(
            &self,
            n: &[NameComponent],
            nc: &NamingContextRef,
        ) -> Result<(), rt::Error<naming_context::RebindContextRaises>>;

        /// The object, or context, that a name is bound to.
        fn resolve(
            &self,
            n: &[NameComponent],
        ) -> Result<rt::Object, rt::Error<naming_context::ResolveRaises>>;

        /// Removes a binding.
        fn unbind(
            &self,
            n: &[NameComponent],
        ) -> Result<(), rt::Error<naming_context::UnbindRaises>>;

        /// A new context without bindings, bound to no name.
        fn new_context(&self) -> Result<NamingContextRef, rt::SystemException>;

        /// A new context, bound to the name.
        fn bind_new_context(
            &self,
            n: &[NameComponent],
        ) -> Result<NamingContextRef, rt::Error<naming_context::BindNewContextRaises>>;

        /// Destroys this context, which must have no bindings.
        fn destroy(&self) -> Result<(), rt::Error<naming_context::DestroyRaises>>;

        /// Up to `how_many` bindings, and an iterator over those left; nil when none is.
        fn list(
            &self,
            how_many: u32,
        ) -> Result<(BindingList, BindingIteratorRef), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`NamingContext`].
    pub type NamingContextRef = rt::Ref<dyn NamingContext>;

    impl<I: NamingContext + rt::Interface + ?Sized> NamingContext for rt::Ref<I> {
        fn bind(
            &self,
            n: &[NameComponent],
            obj: &rt::Object,
        ) -> Result<(), rt::Error<naming_context::BindRaises>> {
            if let Some(done) = self
                .directly(|servant| NamingContext::bind(servant, n, obj))
            {
                return done;
            }
            self.invoke_raises(
                "bind",
                |out| {
                    out.put_sequence(n)?;
                    rt::Encode::encode(obj, out)
                },
                |_input| Ok(()),
            )
        }

        fn rebind(
            &self,
            n: &[NameComponent],
            obj: &rt::Object,
        ) -> Result<(), rt::Error<naming_context::RebindRaises>> {
            if let Some(done) = self
                .directly(|servant| NamingContext::rebind(servant, n, obj))
            {
                return done;
            }
            self.invoke_raises(
                "rebind",
                |out| {
                    out.put_sequence(n)?;
                    rt::Encode::encode(obj, out)
                },
                |_input| Ok(()),
            )
        }

        fn bind_context(
            &self,
            n: &[NameComponent],
            nc: &NamingContextRef,
        ) -> Result<(), rt::Error<naming_context::BindContextRaises>> {
            if let Some(done) = self
                .directly(|servant| NamingContext::bind_context(servant, n, nc))
            {
                return done;
            }
            self.invoke_raises(
                "bind_context",
                |out| {
                    out.put_sequence(n)?;
                    rt::Encode::encode(nc, out)
                },
                |_input| Ok(()),
            )
        }

        fn rebind_context(
            &self,
            n: &[NameComponent],
            nc: &NamingContextRef,
        ) -> Result<(), rt::Error<naming_context::RebindContextRaises>> {
            if let Some(done) = self
                .directly(|servant| NamingContext::rebind_context(servant, n, nc))
            {
                return done;
            }
            self.invoke_raises(
                "rebind_context",
                |out| {
                    out.put_sequence(n)?;
                    rt::Encode::encode(nc, out)
                },
                |_input| Ok(()),
            )
        }

        #[allow(clippy::redundant_closure)]
        fn resolve(
            &self,
            n: &[NameComponent],
        ) -> Result<rt::Object, rt::Error<naming_context::ResolveRaises>> {
            if let Some(done) = self
                .directly(|servant| NamingContext::resolve(servant, n))
            {
                return done;
            }
            self.invoke_raises(
                "resolve",
                |out| out.put_sequence(n),
                |input| rt::Decode::decode(input),
            )
        }

        fn unbind(
            &self,
            n: &[NameComponent],
        ) -> Result<(), rt::Error<naming_context::UnbindRaises>> {
            if let Some(done) = self
                .directly(|servant| NamingContext::unbind(servant, n))
            {
                return done;
            }
            self.invoke_raises("unbind", |out| out.put_sequence(n), |_input| Ok(()))
        }

        #[allow(clippy::redundant_closure)]
        fn new_context(&self) -> Result<NamingContextRef, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| NamingContext::new_context(servant))
            {
                return done;
            }
            self.invoke("new_context", |_out| Ok(()), |input| rt::Decode::decode(input))
        }

        #[allow(clippy::redundant_closure)]
        fn bind_new_context(
            &self,
            n: &[NameComponent],
        ) -> Result<NamingContextRef, rt::Error<naming_context::BindNewContextRaises>> {
            if let Some(done) = self
                .directly(|servant| NamingContext::bind_new_context(servant, n))
            {
                return done;
            }
            self.invoke_raises(
                "bind_new_context",
                |out| out.put_sequence(n),
                |input| rt::Decode::decode(input),
            )
        }

        fn destroy(&self) -> Result<(), rt::Error<naming_context::DestroyRaises>> {
            if let Some(done) = self.directly(|servant| NamingContext::destroy(servant))
            {
                return done;
            }
            self.invoke_raises("destroy", |_out| Ok(()), |_input| Ok(()))
        }

        fn list(
            &self,
            how_many: u32,
        ) -> Result<(BindingList, BindingIteratorRef), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| NamingContext::list(servant, how_many))
            {
                return done;
            }
            self.invoke(
                "list",
                |out| {
                    out.put_u32(how_many);
                    Ok(())
                },
                |input| Ok((input.sequence()?, rt::Decode::decode(input)?)),
            )
        }
    }

    impl rt::Interface for dyn NamingContext {
        const REPOSITORY_ID: &'static str = "IDL:omg.org/CosNaming/NamingContext:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &[
            "bind",
            "rebind",
            "bind_context",
            "rebind_context",
            "resolve",
            "unbind",
            "new_context",
            "bind_new_context",
            "destroy",
            "list",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<10, 32> = rt::Operations::new(
                <dyn NamingContext as rt::Interface>::OPERATIONS,
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
                0 => naming_context::skeleton::bind(self, call),
                1 => naming_context::skeleton::rebind(self, call),
                2 => naming_context::skeleton::bind_context(self, call),
                3 => naming_context::skeleton::rebind_context(self, call),
                4 => naming_context::skeleton::resolve(self, call),
                5 => naming_context::skeleton::unbind(self, call),
                6 => naming_context::skeleton::new_context(self, call),
                7 => naming_context::skeleton::bind_new_context(self, call),
                8 => naming_context::skeleton::destroy(self, call),
                9 => naming_context::skeleton::list(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            NamingContext::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "bind" => {
                        rt::Signature::new()
                            .with_in(
                                "n",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_in("obj", <rt::Object as rt::Typed>::type_code())
                            .with_exception(
                                <naming_context::NotFound as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::CannotProceed as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::AlreadyBound as rt::Typed>::type_code(),
                            )
                    }
                    "rebind" => {
                        rt::Signature::new()
                            .with_in(
                                "n",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_in("obj", <rt::Object as rt::Typed>::type_code())
                            .with_exception(
                                <naming_context::NotFound as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::CannotProceed as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                    }
                    "bind_context" => {
                        rt::Signature::new()
                            .with_in(
                                "n",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_in(
                                "nc",
                                rt::TypeCode::object_reference(
                                    "IDL:omg.org/CosNaming/NamingContext:1.0",
                                    "NamingContext",
                                ),
                            )
                            .with_exception(
                                <naming_context::NotFound as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::CannotProceed as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::AlreadyBound as rt::Typed>::type_code(),
                            )
                    }
                    "rebind_context" => {
                        rt::Signature::new()
                            .with_in(
                                "n",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_in(
                                "nc",
                                rt::TypeCode::object_reference(
                                    "IDL:omg.org/CosNaming/NamingContext:1.0",
                                    "NamingContext",
                                ),
                            )
                            .with_exception(
                                <naming_context::NotFound as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::CannotProceed as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                    }
                    "resolve" => {
                        rt::Signature::new()
                            .with_in(
                                "n",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_result(<rt::Object as rt::Typed>::type_code())
                            .with_exception(
                                <naming_context::NotFound as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::CannotProceed as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                    }
                    "unbind" => {
                        rt::Signature::new()
                            .with_in(
                                "n",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_exception(
                                <naming_context::NotFound as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::CannotProceed as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                    }
                    "new_context" => {
                        rt::Signature::new()
                            .with_result(
                                rt::TypeCode::object_reference(
                                    "IDL:omg.org/CosNaming/NamingContext:1.0",
                                    "NamingContext",
                                ),
                            )
                    }
                    "bind_new_context" => {
                        rt::Signature::new()
                            .with_in(
                                "n",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_result(
                                rt::TypeCode::object_reference(
                                    "IDL:omg.org/CosNaming/NamingContext:1.0",
                                    "NamingContext",
                                ),
                            )
                            .with_exception(
                                <naming_context::NotFound as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::CannotProceed as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::AlreadyBound as rt::Typed>::type_code(),
                            )
                    }
                    "destroy" => {
                        rt::Signature::new()
                            .with_exception(
                                <naming_context::NotEmpty as rt::Typed>::type_code(),
                            )
                    }
                    "list" => {
                        rt::Signature::new()
                            .with_in("how_many", rt::TypeCode::ULong)
                            .with_out(
                                "bl",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/BindingList:1.0",
                                    "BindingList",
                                    rt::TypeCode::sequence(
                                        <Binding as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_out(
                                "bi",
                                rt::TypeCode::object_reference(
                                    "IDL:omg.org/CosNaming/BindingIterator:1.0",
                                    "BindingIterator",
                                ),
                            )
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn NamingContext>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn NamingContext> for dyn NamingContext {}

    /// What belongs to the interface [`NamingContext`].
    pub mod naming_context {
        use ::armilla::rt;

        /// Why a name was not found.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        #[repr(u32)]
        pub enum NotFoundReason {
            /// IDL `missing_node`.
            #[default]
            MissingNode,
            /// IDL `not_context`.
            NotContext,
            /// IDL `not_object`.
            NotObject,
        }

        impl NotFoundReason {
            /// The enumerator with the number `value`, the first being 0.
            ///
            /// # Errors
            /// When there are not so many enumerators.
            pub fn from_discriminant(value: u32) -> rt::CdrResult<Self> {
                match value {
                    0 => Ok(Self::MissingNode),
                    1 => Ok(Self::NotContext),
                    2 => Ok(Self::NotObject),
                    _ => {
                        Err(
                            rt::CdrError::invalid_enum(
                                "CosNaming::NamingContext::NotFoundReason",
                                value,
                            ),
                        )
                    }
                }
            }
        }

        impl rt::Encode for NotFoundReason {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                out.put_u32(*self as u32);
                Ok(())
            }
        }

        impl<'a> rt::Decode<'a> for NotFoundReason {
            fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Self::from_discriminant(input.u32()?)
            }
        }

        impl rt::Typed for NotFoundReason {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::enumeration(
                        "IDL:omg.org/CosNaming/NamingContext/NotFoundReason:1.0",
                        "NotFoundReason",
                        ["missing_node", "not_context", "not_object"],
                    )
                });
                CODE.clone()
            }
        }

        /// A step of the name leads nowhere, or to the wrong thing.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
        pub struct NotFound {
            /// IDL `why`.
            pub why: NotFoundReason,
            /// The steps from the one that failed.
            pub rest_of_name: super::Name,
        }

        impl ::std::fmt::Display for NotFound {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(
                    f,
                    "CosNaming::NamingContext::NotFound (why: {:?}, rest_of_name: {:?})",
                    self.why, self.rest_of_name
                )
            }
        }

        impl ::std::error::Error for NotFound {}

        impl rt::UserException for NotFound {
            const REPOSITORY_ID: &'static str = "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0";
        }

        impl rt::Encode for NotFound {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                out.put_u32(self.why as u32);
                out.put_sequence(&self.rest_of_name)
            }
        }

        impl<'a> rt::Decode<'a> for NotFound {
            fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self {
                    why: rt::Decode::decode(input)?,
                    rest_of_name: input.sequence()?,
                })
            }
        }

        impl rt::Typed for NotFound {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::exception(
                        "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0",
                        "NotFound",
                        [
                            ("why", <NotFoundReason as rt::Typed>::type_code()),
                            (
                                "rest_of_name",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <super::NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            ),
                        ],
                    )
                });
                CODE.clone()
            }
        }

        /// The service gave up; the caller may go on at the context with the rest of the name.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct CannotProceed {
            /// IDL `cxt`.
            pub cxt: super::NamingContextRef,
            /// IDL `rest_of_name`.
            pub rest_of_name: super::Name,
        }

        impl ::std::fmt::Display for CannotProceed {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(
                    f,
                    "CosNaming::NamingContext::CannotProceed (cxt: {:?}, rest_of_name: {:?})",
                    self.cxt, self.rest_of_name
                )
            }
        }

        impl ::std::error::Error for CannotProceed {}

        impl rt::UserException for CannotProceed {
            const REPOSITORY_ID: &'static str = "IDL:omg.org/CosNaming/NamingContext/CannotProceed:1.0";
        }

        impl rt::Encode for CannotProceed {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                rt::Encode::encode(&self.cxt, out)?;
                out.put_sequence(&self.rest_of_name)
            }
        }

        impl<'a> rt::Decode<'a> for CannotProceed {
            fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self {
                    cxt: rt::Decode::decode(input)?,
                    rest_of_name: input.sequence()?,
                })
            }
        }

        impl rt::Typed for CannotProceed {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::exception(
                        "IDL:omg.org/CosNaming/NamingContext/CannotProceed:1.0",
                        "CannotProceed",
                        [
                            (
                                "cxt",
                                rt::TypeCode::object_reference(
                                    "IDL:omg.org/CosNaming/NamingContext:1.0",
                                    "NamingContext",
                                ),
                            ),
                            (
                                "rest_of_name",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <super::NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            ),
                        ],
                    )
                });
                CODE.clone()
            }
        }

        /// The name is empty or malformed.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
        pub struct InvalidName;

        impl ::std::fmt::Display for InvalidName {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str("CosNaming::NamingContext::InvalidName")
            }
        }

        impl ::std::error::Error for InvalidName {}

        impl rt::UserException for InvalidName {
            const REPOSITORY_ID: &'static str = "IDL:omg.org/CosNaming/NamingContext/InvalidName:1.0";
        }

        impl rt::Encode for InvalidName {
            fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                Ok(())
            }
        }

        impl<'a> rt::Decode<'a> for InvalidName {
            fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self)
            }
        }

        impl rt::Typed for InvalidName {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::exception::<
                        &str,
                    >(
                        "IDL:omg.org/CosNaming/NamingContext/InvalidName:1.0",
                        "InvalidName",
                        [],
                    )
                });
                CODE.clone()
            }
        }

        /// The name is bound, and the operation does not replace bindings.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
        pub struct AlreadyBound;

        impl ::std::fmt::Display for AlreadyBound {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str("CosNaming::NamingContext::AlreadyBound")
            }
        }

        impl ::std::error::Error for AlreadyBound {}

        impl rt::UserException for AlreadyBound {
            const REPOSITORY_ID: &'static str = "IDL:omg.org/CosNaming/NamingContext/AlreadyBound:1.0";
        }

        impl rt::Encode for AlreadyBound {
            fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                Ok(())
            }
        }

        impl<'a> rt::Decode<'a> for AlreadyBound {
            fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self)
            }
        }

        impl rt::Typed for AlreadyBound {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::exception::<
                        &str,
                    >(
                        "IDL:omg.org/CosNaming/NamingContext/AlreadyBound:1.0",
                        "AlreadyBound",
                        [],
                    )
                });
                CODE.clone()
            }
        }

        /// The context has bindings.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
        pub struct NotEmpty;

        impl ::std::fmt::Display for NotEmpty {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str("CosNaming::NamingContext::NotEmpty")
            }
        }

        impl ::std::error::Error for NotEmpty {}

        impl rt::UserException for NotEmpty {
            const REPOSITORY_ID: &'static str = "IDL:omg.org/CosNaming/NamingContext/NotEmpty:1.0";
        }

        impl rt::Encode for NotEmpty {
            fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                Ok(())
            }
        }

        impl<'a> rt::Decode<'a> for NotEmpty {
            fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self)
            }
        }

        impl rt::Typed for NotEmpty {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::exception::<
                        &str,
                    >("IDL:omg.org/CosNaming/NamingContext/NotEmpty:1.0", "NotEmpty", [])
                });
                CODE.clone()
            }
        }

        /// Ties the servant to the skeleton of [`NamingContext`](super::NamingContext), for an object adapter.
        pub fn tie(
            servant: impl super::NamingContext,
        ) -> ::std::sync::Arc<dyn super::NamingContext> {
            ::std::sync::Arc::new(servant)
        }

        /// The exceptions that `bind` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum BindRaises {
            /// IDL exception `CosNaming::NamingContext::NotFound`.
            NotFound(NotFound),
            /// IDL exception `CosNaming::NamingContext::CannotProceed`.
            CannotProceed(CannotProceed),
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(InvalidName),
            /// IDL exception `CosNaming::NamingContext::AlreadyBound`.
            AlreadyBound(AlreadyBound),
        }

        impl rt::Raises for BindRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::NotFound(exception) => rt::encode_exception(exception, out),
                    Self::CannotProceed(exception) => {
                        rt::encode_exception(exception, out)
                    }
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                    Self::AlreadyBound(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <NotFound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotFound(exception)))
                    }
                    <CannotProceed as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::CannotProceed(exception)))
                    }
                    <InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    <AlreadyBound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::AlreadyBound(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for BindRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::NotFound(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::CannotProceed(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::AlreadyBound(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for BindRaises {}

        impl From<NotFound> for BindRaises {
            fn from(exception: NotFound) -> Self {
                Self::NotFound(exception)
            }
        }

        impl From<CannotProceed> for BindRaises {
            fn from(exception: CannotProceed) -> Self {
                Self::CannotProceed(exception)
            }
        }

        impl From<InvalidName> for BindRaises {
            fn from(exception: InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        impl From<AlreadyBound> for BindRaises {
            fn from(exception: AlreadyBound) -> Self {
                Self::AlreadyBound(exception)
            }
        }

        /// The exceptions that `rebind` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum RebindRaises {
            /// IDL exception `CosNaming::NamingContext::NotFound`.
            NotFound(NotFound),
            /// IDL exception `CosNaming::NamingContext::CannotProceed`.
            CannotProceed(CannotProceed),
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(InvalidName),
        }

        impl rt::Raises for RebindRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::NotFound(exception) => rt::encode_exception(exception, out),
                    Self::CannotProceed(exception) => {
                        rt::encode_exception(exception, out)
                    }
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <NotFound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotFound(exception)))
                    }
                    <CannotProceed as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::CannotProceed(exception)))
                    }
                    <InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for RebindRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::NotFound(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::CannotProceed(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for RebindRaises {}

        impl From<NotFound> for RebindRaises {
            fn from(exception: NotFound) -> Self {
                Self::NotFound(exception)
            }
        }

        impl From<CannotProceed> for RebindRaises {
            fn from(exception: CannotProceed) -> Self {
                Self::CannotProceed(exception)
            }
        }

        impl From<InvalidName> for RebindRaises {
            fn from(exception: InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        /// The exceptions that `bind_context` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum BindContextRaises {
            /// IDL exception `CosNaming::NamingContext::NotFound`.
            NotFound(NotFound),
            /// IDL exception `CosNaming::NamingContext::CannotProceed`.
            CannotProceed(CannotProceed),
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(InvalidName),
            /// IDL exception `CosNaming::NamingContext::AlreadyBound`.
            AlreadyBound(AlreadyBound),
        }

        impl rt::Raises for BindContextRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::NotFound(exception) => rt::encode_exception(exception, out),
                    Self::CannotProceed(exception) => {
                        rt::encode_exception(exception, out)
                    }
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                    Self::AlreadyBound(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <NotFound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotFound(exception)))
                    }
                    <CannotProceed as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::CannotProceed(exception)))
                    }
                    <InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    <AlreadyBound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::AlreadyBound(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for BindContextRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::NotFound(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::CannotProceed(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::AlreadyBound(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for BindContextRaises {}

        impl From<NotFound> for BindContextRaises {
            fn from(exception: NotFound) -> Self {
                Self::NotFound(exception)
            }
        }

        impl From<CannotProceed> for BindContextRaises {
            fn from(exception: CannotProceed) -> Self {
                Self::CannotProceed(exception)
            }
        }

        impl From<InvalidName> for BindContextRaises {
            fn from(exception: InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        impl From<AlreadyBound> for BindContextRaises {
            fn from(exception: AlreadyBound) -> Self {
                Self::AlreadyBound(exception)
            }
        }

        /// The exceptions that `rebind_context` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum RebindContextRaises {
            /// IDL exception `CosNaming::NamingContext::NotFound`.
            NotFound(NotFound),
            /// IDL exception `CosNaming::NamingContext::CannotProceed`.
            CannotProceed(CannotProceed),
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(InvalidName),
        }

        impl rt::Raises for RebindContextRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::NotFound(exception) => rt::encode_exception(exception, out),
                    Self::CannotProceed(exception) => {
                        rt::encode_exception(exception, out)
                    }
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <NotFound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotFound(exception)))
                    }
                    <CannotProceed as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::CannotProceed(exception)))
                    }
                    <InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for RebindContextRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::NotFound(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::CannotProceed(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for RebindContextRaises {}

        impl From<NotFound> for RebindContextRaises {
            fn from(exception: NotFound) -> Self {
                Self::NotFound(exception)
            }
        }

        impl From<CannotProceed> for RebindContextRaises {
            fn from(exception: CannotProceed) -> Self {
                Self::CannotProceed(exception)
            }
        }

        impl From<InvalidName> for RebindContextRaises {
            fn from(exception: InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        /// The exceptions that `resolve` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum ResolveRaises {
            /// IDL exception `CosNaming::NamingContext::NotFound`.
            NotFound(NotFound),
            /// IDL exception `CosNaming::NamingContext::CannotProceed`.
            CannotProceed(CannotProceed),
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(InvalidName),
        }

        impl rt::Raises for ResolveRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::NotFound(exception) => rt::encode_exception(exception, out),
                    Self::CannotProceed(exception) => {
                        rt::encode_exception(exception, out)
                    }
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <NotFound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotFound(exception)))
                    }
                    <CannotProceed as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::CannotProceed(exception)))
                    }
                    <InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for ResolveRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::NotFound(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::CannotProceed(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for ResolveRaises {}

        impl From<NotFound> for ResolveRaises {
            fn from(exception: NotFound) -> Self {
                Self::NotFound(exception)
            }
        }

        impl From<CannotProceed> for ResolveRaises {
            fn from(exception: CannotProceed) -> Self {
                Self::CannotProceed(exception)
            }
        }

        impl From<InvalidName> for ResolveRaises {
            fn from(exception: InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        /// The exceptions that `unbind` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum UnbindRaises {
            /// IDL exception `CosNaming::NamingContext::NotFound`.
            NotFound(NotFound),
            /// IDL exception `CosNaming::NamingContext::CannotProceed`.
            CannotProceed(CannotProceed),
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(InvalidName),
        }

        impl rt::Raises for UnbindRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::NotFound(exception) => rt::encode_exception(exception, out),
                    Self::CannotProceed(exception) => {
                        rt::encode_exception(exception, out)
                    }
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <NotFound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotFound(exception)))
                    }
                    <CannotProceed as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::CannotProceed(exception)))
                    }
                    <InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for UnbindRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::NotFound(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::CannotProceed(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for UnbindRaises {}

        impl From<NotFound> for UnbindRaises {
            fn from(exception: NotFound) -> Self {
                Self::NotFound(exception)
            }
        }

        impl From<CannotProceed> for UnbindRaises {
            fn from(exception: CannotProceed) -> Self {
                Self::CannotProceed(exception)
            }
        }

        impl From<InvalidName> for UnbindRaises {
            fn from(exception: InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        /// The exceptions that `bind_new_context` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum BindNewContextRaises {
            /// IDL exception `CosNaming::NamingContext::NotFound`.
            NotFound(NotFound),
            /// IDL exception `CosNaming::NamingContext::CannotProceed`.
            CannotProceed(CannotProceed),
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(InvalidName),
            /// IDL exception `CosNaming::NamingContext::AlreadyBound`.
            AlreadyBound(AlreadyBound),
        }

        impl rt::Raises for BindNewContextRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::NotFound(exception) => rt::encode_exception(exception, out),
                    Self::CannotProceed(exception) => {
                        rt::encode_exception(exception, out)
                    }
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                    Self::AlreadyBound(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <NotFound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotFound(exception)))
                    }
                    <CannotProceed as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::CannotProceed(exception)))
                    }
                    <InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    <AlreadyBound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::AlreadyBound(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for BindNewContextRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::NotFound(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::CannotProceed(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::AlreadyBound(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for BindNewContextRaises {}

        impl From<NotFound> for BindNewContextRaises {
            fn from(exception: NotFound) -> Self {
                Self::NotFound(exception)
            }
        }

        impl From<CannotProceed> for BindNewContextRaises {
            fn from(exception: CannotProceed) -> Self {
                Self::CannotProceed(exception)
            }
        }

        impl From<InvalidName> for BindNewContextRaises {
            fn from(exception: InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        impl From<AlreadyBound> for BindNewContextRaises {
            fn from(exception: AlreadyBound) -> Self {
                Self::AlreadyBound(exception)
            }
        }

        /// The exceptions that `destroy` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum DestroyRaises {
            /// IDL exception `CosNaming::NamingContext::NotEmpty`.
            NotEmpty(NotEmpty),
        }

        impl rt::Raises for DestroyRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::NotEmpty(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <NotEmpty as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotEmpty(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for DestroyRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::NotEmpty(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for DestroyRaises {}

        impl From<NotEmpty> for DestroyRaises {
            fn from(exception: NotEmpty) -> Self {
                Self::NotEmpty(exception)
            }
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn bind<T: super::super::NamingContext + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n: super::super::Name = input.sequence()?;
                let obj: rt::Object = rt::Decode::decode(input)?;
                call.reply(servant.bind(&n, &obj), |(), _out| Ok(()))
            }

            pub fn rebind<T: super::super::NamingContext + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n: super::super::Name = input.sequence()?;
                let obj: rt::Object = rt::Decode::decode(input)?;
                call.reply(servant.rebind(&n, &obj), |(), _out| Ok(()))
            }

            pub fn bind_context<T: super::super::NamingContext + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n: super::super::Name = input.sequence()?;
                let nc: super::super::NamingContextRef = rt::Decode::decode(input)?;
                call.reply(servant.bind_context(&n, &nc), |(), _out| Ok(()))
            }

            pub fn rebind_context<T: super::super::NamingContext + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n: super::super::Name = input.sequence()?;
                let nc: super::super::NamingContextRef = rt::Decode::decode(input)?;
                call.reply(servant.rebind_context(&n, &nc), |(), _out| Ok(()))
            }

            pub fn resolve<T: super::super::NamingContext + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n: super::super::Name = input.sequence()?;
                call.reply(servant.resolve(&n), rt::Encode::encode)
            }

            pub fn unbind<T: super::super::NamingContext + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n: super::super::Name = input.sequence()?;
                call.reply(servant.unbind(&n), |(), _out| Ok(()))
            }

            pub fn new_context<T: super::super::NamingContext + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.new_context(), rt::Encode::encode)
            }

            pub fn bind_new_context<T: super::super::NamingContext + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n: super::super::Name = input.sequence()?;
                call.reply(servant.bind_new_context(&n), rt::Encode::encode)
            }

            pub fn destroy<T: super::super::NamingContext + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.destroy(), |(), _out| Ok(()))
            }

            pub fn list<T: super::super::NamingContext + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let how_many = input.u32()?;
                call.reply(
                    servant.list(how_many),
                    |(bl, bi), out| {
                        out.put_sequence(bl)?;
                        rt::Encode::encode(bi, out)
                    },
                )
            }
        }
    }

    /// The bindings of a context, some at a time.
    pub trait BindingIterator: Send + Sync + 'static {
        /// The next binding; `FALSE`, with a binding of no meaning, when there is none.
        fn next_one(&self) -> Result<(bool, Binding), rt::SystemException>;

        /// Up to `how_many` of the next bindings; `FALSE` when there are none.
        fn next_n(
            &self,
            how_many: u32,
        ) -> Result<(bool, BindingList), rt::SystemException>;

        /// Ends the iteration.
        fn destroy(&self) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`BindingIterator`].
    pub type BindingIteratorRef = rt::Ref<dyn BindingIterator>;

    impl<I: BindingIterator + rt::Interface + ?Sized> BindingIterator for rt::Ref<I> {
        fn next_one(&self) -> Result<(bool, Binding), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| BindingIterator::next_one(servant))
            {
                return done;
            }
            self.invoke(
                "next_one",
                |_out| Ok(()),
                |input| Ok((input.bool()?, rt::Decode::decode(input)?)),
            )
        }

        fn next_n(
            &self,
            how_many: u32,
        ) -> Result<(bool, BindingList), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| BindingIterator::next_n(servant, how_many))
            {
                return done;
            }
            self.invoke(
                "next_n",
                |out| {
                    out.put_u32(how_many);
                    Ok(())
                },
                |input| Ok((input.bool()?, input.sequence()?)),
            )
        }

        fn destroy(&self) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| BindingIterator::destroy(servant))
            {
                return done;
            }
            self.invoke("destroy", |_out| Ok(()), |_input| Ok(()))
        }
    }

    impl rt::Interface for dyn BindingIterator {
        const REPOSITORY_ID: &'static str = "IDL:omg.org/CosNaming/BindingIterator:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &["next_one", "next_n", "destroy"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<3, 8> = rt::Operations::new(
                <dyn BindingIterator as rt::Interface>::OPERATIONS,
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
                0 => binding_iterator::skeleton::next_one(self, call),
                1 => binding_iterator::skeleton::next_n(self, call),
                2 => binding_iterator::skeleton::destroy(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            BindingIterator::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "next_one" => {
                        rt::Signature::new()
                            .with_out("b", <Binding as rt::Typed>::type_code())
                            .with_result(rt::TypeCode::Boolean)
                    }
                    "next_n" => {
                        rt::Signature::new()
                            .with_in("how_many", rt::TypeCode::ULong)
                            .with_out(
                                "bl",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/BindingList:1.0",
                                    "BindingList",
                                    rt::TypeCode::sequence(
                                        <Binding as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_result(rt::TypeCode::Boolean)
                    }
                    "destroy" => rt::Signature::new(),
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn BindingIterator>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn BindingIterator> for dyn BindingIterator {}

    /// What belongs to the interface [`BindingIterator`].
    pub mod binding_iterator {
        /// Ties the servant to the skeleton of [`BindingIterator`](super::BindingIterator), for an object adapter.
        pub fn tie(
            servant: impl super::BindingIterator,
        ) -> ::std::sync::Arc<dyn super::BindingIterator> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn next_one<T: super::super::BindingIterator + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(
                    servant.next_one(),
                    |(result, b), out| {
                        out.put_bool(*result);
                        rt::Encode::encode(b, out)
                    },
                )
            }

            pub fn next_n<T: super::super::BindingIterator + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let how_many = input.u32()?;
                call.reply(
                    servant.next_n(how_many),
                    |(result, bl), out| {
                        out.put_bool(*result);
                        out.put_sequence(bl)
                    },
                )
            }

            pub fn destroy<T: super::super::BindingIterator + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.destroy(), |(), _out| Ok(()))
            }
        }
    }

    /// A context that understands names as text: steps joined by `/`, id and kind by `.`.
    pub trait NamingContextExt: NamingContext {
        /// The text of a name.
        fn to_string(
            &self,
            n: &[NameComponent],
        ) -> Result<
            naming_context_ext::StringName,
            rt::Error<naming_context_ext::ToStringRaises>,
        >;

        /// The name that a text stands for.
        fn to_name(
            &self,
            sn: &str,
        ) -> Result<Name, rt::Error<naming_context_ext::ToNameRaises>>;

        /// The URL of a name in the service at an address.
        fn to_url(
            &self,
            addr: &str,
            sn: &str,
        ) -> Result<
            naming_context_ext::UrlString,
            rt::Error<naming_context_ext::ToUrlRaises>,
        >;

        /// The object, or context, that a name given as text is bound to.
        fn resolve_str(
            &self,
            sn: &str,
        ) -> Result<rt::Object, rt::Error<naming_context_ext::ResolveStrRaises>>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            NamingContext::servant_base(self)
        }
    }

    /// A reference to an object with the interface [`NamingContextExt`].
    pub type NamingContextExtRef = rt::Ref<dyn NamingContextExt>;

    impl<I: NamingContextExt + rt::Interface + ?Sized> NamingContextExt for rt::Ref<I> {
        fn to_string(
            &self,
            n: &[NameComponent],
        ) -> Result<
            naming_context_ext::StringName,
            rt::Error<naming_context_ext::ToStringRaises>,
        > {
            if let Some(done) = self
                .directly(|servant| NamingContextExt::to_string(servant, n))
            {
                return done;
            }
            self.invoke_raises(
                "to_string",
                |out| out.put_sequence(n),
                |input| input.string().map(Into::into),
            )
        }

        fn to_name(
            &self,
            sn: &str,
        ) -> Result<Name, rt::Error<naming_context_ext::ToNameRaises>> {
            if let Some(done) = self
                .directly(|servant| NamingContextExt::to_name(servant, sn))
            {
                return done;
            }
            self.invoke_raises(
                "to_name",
                |out| out.borrow_string(sn),
                |input| input.sequence(),
            )
        }

        fn to_url(
            &self,
            addr: &str,
            sn: &str,
        ) -> Result<
            naming_context_ext::UrlString,
            rt::Error<naming_context_ext::ToUrlRaises>,
        > {
            if let Some(done) = self
                .directly(|servant| NamingContextExt::to_url(servant, addr, sn))
            {
                return done;
            }
            self.invoke_raises(
                "to_url",
                |out| {
                    out.borrow_string(addr)?;
                    out.borrow_string(sn)
                },
                |input| input.string().map(Into::into),
            )
        }

        #[allow(clippy::redundant_closure)]
        fn resolve_str(
            &self,
            sn: &str,
        ) -> Result<rt::Object, rt::Error<naming_context_ext::ResolveStrRaises>> {
            if let Some(done) = self
                .directly(|servant| NamingContextExt::resolve_str(servant, sn))
            {
                return done;
            }
            self.invoke_raises(
                "resolve_str",
                |out| out.borrow_string(sn),
                |input| rt::Decode::decode(input),
            )
        }
    }

    impl rt::Interface for dyn NamingContextExt {
        const REPOSITORY_ID: &'static str = "IDL:omg.org/CosNaming/NamingContextExt:1.0";
        const BASES: &'static [&'static str] = &[
            "IDL:omg.org/CosNaming/NamingContext:1.0",
        ];
        const OPERATIONS: &'static [&'static str] = &[
            "to_string",
            "to_name",
            "to_url",
            "resolve_str",
            "bind",
            "rebind",
            "bind_context",
            "rebind_context",
            "resolve",
            "unbind",
            "new_context",
            "bind_new_context",
            "destroy",
            "list",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<14, 32> = rt::Operations::new(
                <dyn NamingContextExt as rt::Interface>::OPERATIONS,
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
                0 => naming_context_ext::skeleton::to_string(self, call),
                1 => naming_context_ext::skeleton::to_name(self, call),
                2 => naming_context_ext::skeleton::to_url(self, call),
                3 => naming_context_ext::skeleton::resolve_str(self, call),
                4 => naming_context::skeleton::bind(self, call),
                5 => naming_context::skeleton::rebind(self, call),
                6 => naming_context::skeleton::bind_context(self, call),
                7 => naming_context::skeleton::rebind_context(self, call),
                8 => naming_context::skeleton::resolve(self, call),
                9 => naming_context::skeleton::unbind(self, call),
                10 => naming_context::skeleton::new_context(self, call),
                11 => naming_context::skeleton::bind_new_context(self, call),
                12 => naming_context::skeleton::destroy(self, call),
                13 => naming_context::skeleton::list(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            NamingContextExt::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "to_string" => {
                        rt::Signature::new()
                            .with_in(
                                "n",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/NamingContextExt/StringName:1.0",
                                    "StringName",
                                    rt::TypeCode::String(0),
                                ),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                    }
                    "to_name" => {
                        rt::Signature::new()
                            .with_in(
                                "sn",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/NamingContextExt/StringName:1.0",
                                    "StringName",
                                    rt::TypeCode::String(0),
                                ),
                            )
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/Name:1.0",
                                    "Name",
                                    rt::TypeCode::sequence(
                                        <NameComponent as rt::Typed>::type_code(),
                                        0,
                                    ),
                                ),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                    }
                    "to_url" => {
                        rt::Signature::new()
                            .with_in(
                                "addr",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/NamingContextExt/Address:1.0",
                                    "Address",
                                    rt::TypeCode::String(0),
                                ),
                            )
                            .with_in(
                                "sn",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/NamingContextExt/StringName:1.0",
                                    "StringName",
                                    rt::TypeCode::String(0),
                                ),
                            )
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/NamingContextExt/URLString:1.0",
                                    "URLString",
                                    rt::TypeCode::String(0),
                                ),
                            )
                            .with_exception(
                                <naming_context_ext::InvalidAddress as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                    }
                    "resolve_str" => {
                        rt::Signature::new()
                            .with_in(
                                "sn",
                                rt::TypeCode::alias(
                                    "IDL:omg.org/CosNaming/NamingContextExt/StringName:1.0",
                                    "StringName",
                                    rt::TypeCode::String(0),
                                ),
                            )
                            .with_result(<rt::Object as rt::Typed>::type_code())
                            .with_exception(
                                <naming_context::NotFound as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::CannotProceed as rt::Typed>::type_code(),
                            )
                            .with_exception(
                                <naming_context::InvalidName as rt::Typed>::type_code(),
                            )
                    }
                    _ => {
                        return <dyn NamingContext as rt::Interface>::signature(operation);
                    }
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn NamingContextExt>(|| servant.clone());
            target.offer::<dyn NamingContext>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn NamingContextExt> for dyn NamingContextExt {}

    impl rt::IsA<dyn NamingContext> for dyn NamingContextExt {}

    /// What belongs to the interface [`NamingContextExt`].
    pub mod naming_context_ext {
        use ::armilla::rt;

        /// A name as text.
        pub type StringName = String;

        /// The TypeCode of IDL `CosNaming::NamingContextExt::StringName`.
        pub fn string_name_type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias(
                    "IDL:omg.org/CosNaming/NamingContextExt/StringName:1.0",
                    "StringName",
                    rt::TypeCode::String(0),
                )
            });
            CODE.clone()
        }

        /// Addresses as they stand in a `corbaloc` URL.
        pub type Address = String;

        /// The TypeCode of IDL `CosNaming::NamingContextExt::Address`.
        pub fn address_type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias(
                    "IDL:omg.org/CosNaming/NamingContextExt/Address:1.0",
                    "Address",
                    rt::TypeCode::String(0),
                )
            });
            CODE.clone()
        }

        /// A `corbaname` URL.
        pub type UrlString = String;

        /// The TypeCode of IDL `CosNaming::NamingContextExt::URLString`.
        pub fn url_string_type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias(
                    "IDL:omg.org/CosNaming/NamingContextExt/URLString:1.0",
                    "URLString",
                    rt::TypeCode::String(0),
                )
            });
            CODE.clone()
        }

        /// The address is malformed.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
        pub struct InvalidAddress;

        impl ::std::fmt::Display for InvalidAddress {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str("CosNaming::NamingContextExt::InvalidAddress")
            }
        }

        impl ::std::error::Error for InvalidAddress {}

        impl rt::UserException for InvalidAddress {
            const REPOSITORY_ID: &'static str = "IDL:omg.org/CosNaming/NamingContextExt/InvalidAddress:1.0";
        }

        impl rt::Encode for InvalidAddress {
            fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                Ok(())
            }
        }

        impl<'a> rt::Decode<'a> for InvalidAddress {
            fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self)
            }
        }

        impl rt::Typed for InvalidAddress {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::exception::<
                        &str,
                    >(
                        "IDL:omg.org/CosNaming/NamingContextExt/InvalidAddress:1.0",
                        "InvalidAddress",
                        [],
                    )
                });
                CODE.clone()
            }
        }

        /// Ties the servant to the skeleton of [`NamingContextExt`](super::NamingContextExt), for an object adapter.
        pub fn tie(
            servant: impl super::NamingContextExt,
        ) -> ::std::sync::Arc<dyn super::NamingContextExt> {
            ::std::sync::Arc::new(servant)
        }

        /// The exceptions that `to_string` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum ToStringRaises {
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(super::naming_context::InvalidName),
        }

        impl rt::Raises for ToStringRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::naming_context::InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for ToStringRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for ToStringRaises {}

        impl From<super::naming_context::InvalidName> for ToStringRaises {
            fn from(exception: super::naming_context::InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        /// The exceptions that `to_name` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum ToNameRaises {
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(super::naming_context::InvalidName),
        }

        impl rt::Raises for ToNameRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::naming_context::InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for ToNameRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for ToNameRaises {}

        impl From<super::naming_context::InvalidName> for ToNameRaises {
            fn from(exception: super::naming_context::InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        /// The exceptions that `to_url` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum ToUrlRaises {
            /// IDL exception `CosNaming::NamingContextExt::InvalidAddress`.
            InvalidAddress(InvalidAddress),
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(super::naming_context::InvalidName),
        }

        impl rt::Raises for ToUrlRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::InvalidAddress(exception) => {
                        rt::encode_exception(exception, out)
                    }
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <InvalidAddress as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidAddress(exception)))
                    }
                    <super::naming_context::InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for ToUrlRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::InvalidAddress(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for ToUrlRaises {}

        impl From<InvalidAddress> for ToUrlRaises {
            fn from(exception: InvalidAddress) -> Self {
                Self::InvalidAddress(exception)
            }
        }

        impl From<super::naming_context::InvalidName> for ToUrlRaises {
            fn from(exception: super::naming_context::InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        /// The exceptions that `resolve_str` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum ResolveStrRaises {
            /// IDL exception `CosNaming::NamingContext::NotFound`.
            NotFound(super::naming_context::NotFound),
            /// IDL exception `CosNaming::NamingContext::CannotProceed`.
            CannotProceed(super::naming_context::CannotProceed),
            /// IDL exception `CosNaming::NamingContext::InvalidName`.
            InvalidName(super::naming_context::InvalidName),
        }

        impl rt::Raises for ResolveStrRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::NotFound(exception) => rt::encode_exception(exception, out),
                    Self::CannotProceed(exception) => {
                        rt::encode_exception(exception, out)
                    }
                    Self::InvalidName(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::naming_context::NotFound as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::NotFound(exception)))
                    }
                    <super::naming_context::CannotProceed as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::CannotProceed(exception)))
                    }
                    <super::naming_context::InvalidName as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::InvalidName(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for ResolveStrRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::NotFound(exception) => ::std::fmt::Display::fmt(exception, f),
                    Self::CannotProceed(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                    Self::InvalidName(exception) => {
                        ::std::fmt::Display::fmt(exception, f)
                    }
                }
            }
        }

        impl ::std::error::Error for ResolveStrRaises {}

        impl From<super::naming_context::NotFound> for ResolveStrRaises {
            fn from(exception: super::naming_context::NotFound) -> Self {
                Self::NotFound(exception)
            }
        }

        impl From<super::naming_context::CannotProceed> for ResolveStrRaises {
            fn from(exception: super::naming_context::CannotProceed) -> Self {
                Self::CannotProceed(exception)
            }
        }

        impl From<super::naming_context::InvalidName> for ResolveStrRaises {
            fn from(exception: super::naming_context::InvalidName) -> Self {
                Self::InvalidName(exception)
            }
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn to_string<T: super::super::NamingContextExt + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let n: super::super::Name = input.sequence()?;
                call.reply(servant.to_string(&n), |result, out| out.borrow_string(result))
            }

            pub fn to_name<T: super::super::NamingContextExt + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let sn = input.string()?;
                call.reply(servant.to_name(&sn), |result, out| out.put_sequence(result))
            }

            pub fn to_url<T: super::super::NamingContextExt + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let addr = input.string()?;
                let sn = input.string()?;
                call.reply(
                    servant.to_url(&addr, &sn),
                    |result, out| out.borrow_string(result),
                )
            }

            pub fn resolve_str<T: super::super::NamingContextExt + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let sn = input.string()?;
                call.reply(servant.resolve_str(&sn), rt::Encode::encode)
            }
        }
    }
}
