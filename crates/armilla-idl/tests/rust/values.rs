// Made from values.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// IDL module `Components`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod components {
    use ::armilla::rt;

    /// IDL valuetype `Components::EventBase`.
    #[derive(Debug)]
    pub enum EventBase {}

    impl rt::Valuetype for EventBase {
        const REPOSITORY_ID: &'static str = "IDL:Components/EventBase:1.0";
        const FAMILY: &'static [rt::Kind] = &[rt::Kind::of::<super::drawing::Drawn>()];
    }

    /// A value of the type [`EventBase`], or null.
    pub type EventBaseRef = Option<rt::Value<EventBase>>;

    impl rt::Typed for EventBase {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::value::<
                    &str,
                >("IDL:Components/EventBase:1.0", "EventBase", 2, rt::TypeCode::Null, [])
            });
            CODE.clone()
        }
    }

    /// IDL interface `Components::EventConsumerBase`.
    pub trait EventConsumerBase: Send + Sync + 'static {
        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`EventConsumerBase`].
    pub type EventConsumerBaseRef = rt::Ref<dyn EventConsumerBase>;

    impl<I: EventConsumerBase + rt::Interface + ?Sized> EventConsumerBase
    for rt::Ref<I> {}

    impl rt::Interface for dyn EventConsumerBase {
        const REPOSITORY_ID: &'static str = "IDL:Components/EventConsumerBase:1.0";
        const BASES: &'static [&'static str] = &[];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            call.unknown_operation()
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            EventConsumerBase::servant_base(self)
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn EventConsumerBase>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn EventConsumerBase> for dyn EventConsumerBase {}

    /// What belongs to the interface [`EventConsumerBase`].
    pub mod event_consumer_base {
        /// Ties the servant to the skeleton of [`EventConsumerBase`](super::EventConsumerBase), for an object adapter.
        pub fn tie(
            servant: impl super::EventConsumerBase,
        ) -> ::std::sync::Arc<dyn super::EventConsumerBase> {
            ::std::sync::Arc::new(servant)
        }
    }
}

/// IDL module `Drawing`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod drawing {
    use ::armilla::rt;

    /// IDL interface `Drawing::Printable`.
    pub trait Printable: Send + Sync + 'static {
        /// IDL operation `print`.
        fn print(&self) -> Result<String, rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// An object or a value with the interface [`Printable`], or null.
    pub type PrintableRef = Option<rt::Abstract<dyn Printable>>;

    impl<I: Printable + rt::Interface + ?Sized> Printable for rt::Ref<I> {
        fn print(&self) -> Result<String, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Printable::print(servant)) {
                return done;
            }
            self.invoke("print", |_out| Ok(()), |input| input.string().map(Into::into))
        }
    }

    impl rt::Interface for dyn Printable {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Printable:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &["print"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<1, 2> = rt::Operations::new(
                <dyn Printable as rt::Interface>::OPERATIONS,
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
                0 => printable::skeleton::print(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Printable::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "print" => rt::Signature::new().with_result(rt::TypeCode::String(0)),
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Printable>(|| servant.clone());
        }
    }

    impl rt::Valuetype for dyn Printable {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Printable:1.0";
        const FAMILY: &'static [rt::Kind] = &[
            rt::Kind::of::<Node>(),
            rt::Kind::of::<Special>(),
        ];
    }

    impl rt::IsA<dyn Printable> for dyn Printable {}

    /// What belongs to the interface [`Printable`].
    pub mod printable {
        /// Ties the servant to the skeleton of [`Printable`](super::Printable), for an object adapter.
        pub fn tie(
            servant: impl super::Printable,
        ) -> ::std::sync::Arc<dyn super::Printable> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn print<T: super::super::Printable + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.print(), |result, out| out.borrow_string(result))
            }
        }
    }

    /// Something with an area.
    #[derive(Debug)]
    pub enum Shape {}

    impl rt::Valuetype for Shape {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Shape:1.0";
        const FAMILY: &'static [rt::Kind] = &[
            rt::Kind::of::<Node>(),
            rt::Kind::of::<Special>(),
        ];
    }

    /// A value of the type [`Shape`], or null.
    pub type ShapeRef = Option<rt::Value<Shape>>;

    impl rt::Typed for Shape {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::value::<
                    &str,
                >("IDL:Drawing/Shape:1.0", "Shape", 2, rt::TypeCode::Null, [])
            });
            CODE.clone()
        }
    }

    /// What values of the type [`Shape`] do. A program that uses it implements it for `Value<Shape>`.
    pub trait ShapeOperations {
        /// IDL operation `area`.
        fn area(&self) -> Result<f64, rt::SystemException>;
    }

    /// A shape that goes along with what it refers to.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Node {
        /// What is written on it.
        pub label: String,
        /// IDL `next`.
        pub next: NodeRef,
        /// IDL `seal`.
        ///
        /// Private in IDL: for what implements the valuetype.
        pub seal: Vec<u8>,
    }

    impl rt::Encode for Node {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_bounded_string(&self.label, 8)?;
            rt::Encode::encode(&self.next, out)?;
            out.put_sequence(&self.seal)
        }
    }

    impl<'a> rt::Decode<'a> for Node {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                label: input.bounded_string(8).map(Into::into)?,
                next: rt::Decode::decode(input)?,
                seal: input.sequence()?,
            })
        }
    }

    impl rt::Valuetype for Node {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Node:1.0";
        const FAMILY: &'static [rt::Kind] = &[
            rt::Kind::of::<Node>(),
            rt::Kind::of::<Special>(),
        ];
    }

    impl rt::State for Node {
        const IDS: &'static [&'static str] = &["IDL:Drawing/Node:1.0"];

        fn is(other: ::std::any::TypeId) -> bool {
            [
                ::std::any::TypeId::of::<Self>(),
                ::std::any::TypeId::of::<dyn Printable>(),
                ::std::any::TypeId::of::<Shape>(),
            ]
                .contains(&other)
        }
    }

    impl rt::Extends<dyn Printable> for Node {}

    impl rt::Extends<Shape> for Node {}

    /// A value of the type [`Node`], or null.
    pub type NodeRef = Option<rt::Value<Node>>;

    impl rt::Typed for Node {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::value(
                    "IDL:Drawing/Node:1.0",
                    "Node",
                    0,
                    rt::TypeCode::Null,
                    [
                        ("label", rt::TypeCode::String(8), true),
                        ("next", rt::TypeCode::recursive("IDL:Drawing/Node:1.0"), true),
                        ("seal", rt::TypeCode::sequence(rt::TypeCode::Octet, 0), false),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// What values of the type [`Node`] do. A program that uses it implements it for `Value<Node>`.
    pub trait NodeOperations: ShapeOperations {
        /// Puts another one behind it.
        fn append(
            &self,
            label: &str,
            room: &mut i32,
        ) -> Result<NodeRef, rt::Error<node::AppendRaises>>;

        /// Reads the attribute `rank`.
        fn rank(&self) -> Result<i32, rt::SystemException>;

        /// Sets the attribute [`rank`](Self::rank).
        fn set_rank(&self, value: i32) -> Result<(), rt::SystemException>;

        /// IDL operation `update`.
        fn update_(&self) -> Result<(), rt::SystemException>;
    }

    /// How values of the type [`Node`] are made. A program that uses it implements it for [`Node`].
    pub trait NodeFactory: Sized {
        /// IDL factory `make`.
        fn make(label: &str) -> rt::Value<Self>;
    }

    /// What belongs to [`Node`].
    pub mod node {
        use ::armilla::rt;

        /// IDL `Drawing::Node::List`.
        pub type List = Vec<super::NodeRef>;

        /// The TypeCode of IDL `Drawing::Node::List`.
        pub fn list_type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::alias(
                    "IDL:Drawing/Node/List:1.0",
                    "List",
                    rt::TypeCode::sequence(<super::Node as rt::Typed>::type_code(), 0),
                )
            });
            CODE.clone()
        }

        /// IDL `Drawing::Node::Full`.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
        pub struct Full {
            /// IDL `room`.
            pub room: i32,
        }

        impl ::std::fmt::Display for Full {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, "Drawing::Node::Full (room: {:?})", self.room)
            }
        }

        impl ::std::error::Error for Full {}

        impl rt::UserException for Full {
            const REPOSITORY_ID: &'static str = "IDL:Drawing/Node/Full:1.0";
        }

        impl rt::Encode for Full {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                out.put_i32(self.room);
                Ok(())
            }
        }

        impl<'a> rt::Decode<'a> for Full {
            fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self { room: input.i32()? })
            }
        }

        impl rt::Typed for Full {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::exception(
                        "IDL:Drawing/Node/Full:1.0",
                        "Full",
                        [("room", rt::TypeCode::Long)],
                    )
                });
                CODE.clone()
            }
        }

        /// The exceptions that `append` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AppendRaises {
            /// IDL exception `Drawing::Node::Full`.
            Full(Full),
        }

        impl ::std::fmt::Display for AppendRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Full(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for AppendRaises {}

        impl From<Full> for AppendRaises {
            fn from(exception: Full) -> Self {
                Self::Full(exception)
            }
        }
    }

    /// IDL valuetype `Drawing::Special`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Special {
        /// The state of the valuetype that this one inherits from.
        pub base_: Node,
        /// IDL `base`.
        pub base: NodeRef,
        /// IDL `weight`.
        pub weight: f64,
    }

    impl rt::Encode for Special {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.base_, out)?;
            rt::Encode::encode(&self.base, out)?;
            out.put_f64(self.weight);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Special {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                base_: rt::Decode::decode(input)?,
                base: rt::Decode::decode(input)?,
                weight: input.f64()?,
            })
        }
    }

    impl rt::Valuetype for Special {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Special:1.0";
        const FAMILY: &'static [rt::Kind] = &[rt::Kind::of::<Special>()];
    }

    impl rt::State for Special {
        const IDS: &'static [&'static str] = &[
            "IDL:Drawing/Special:1.0",
            "IDL:Drawing/Node:1.0",
        ];

        fn is(other: ::std::any::TypeId) -> bool {
            [
                ::std::any::TypeId::of::<Self>(),
                ::std::any::TypeId::of::<Node>(),
                ::std::any::TypeId::of::<dyn Printable>(),
                ::std::any::TypeId::of::<Shape>(),
            ]
                .contains(&other)
        }

        fn base_part(&self, wanted: ::std::any::TypeId) -> Option<&dyn ::std::any::Any> {
            rt::State::part(&self.base_, wanted)
        }

        fn base_part_mut(
            &mut self,
            wanted: ::std::any::TypeId,
        ) -> Option<&mut dyn ::std::any::Any> {
            rt::State::part_mut(&mut self.base_, wanted)
        }
    }

    impl rt::Extends<Node> for Special {}

    impl rt::Extends<dyn Printable> for Special {}

    impl rt::Extends<Shape> for Special {}

    /// A value of the type [`Special`], or null.
    pub type SpecialRef = Option<rt::Value<Special>>;

    impl rt::Typed for Special {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::value(
                    "IDL:Drawing/Special:1.0",
                    "Special",
                    3,
                    <Node as rt::Typed>::type_code(),
                    [
                        ("base", <Node as rt::Typed>::type_code(), true),
                        ("weight", rt::TypeCode::Double, true),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// What values of the type [`Special`] do. A program that uses it implements it for `Value<Special>`.
    pub trait SpecialOperations: NodeOperations {
        /// IDL operation `density`.
        fn density(&self) -> Result<f64, rt::SystemException>;
    }

    /// How values of the type [`Special`] are made. A program that uses it implements it for [`Special`].
    pub trait SpecialFactory: Sized {
        /// IDL factory `weigh`.
        fn weigh(
            what: &NodeRef,
            weight: f64,
        ) -> Result<rt::Value<Self>, rt::Error<special::WeighRaises>>;

        /// IDL factory `new`.
        #[allow(clippy::new_ret_no_self, clippy::wrong_self_convention)]
        fn new() -> rt::Value<Self>;
    }

    /// What belongs to [`Special`].
    pub mod special {
        /// The exceptions that `weigh` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum WeighRaises {
            /// IDL exception `Drawing::Node::Full`.
            Full(super::node::Full),
        }

        impl ::std::fmt::Display for WeighRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Full(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for WeighRaises {}

        impl From<super::node::Full> for WeighRaises {
            fn from(exception: super::node::Full) -> Self {
                Self::Full(exception)
            }
        }
    }

    /// IDL boxed value `Drawing::Name`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Name(pub String);

    impl rt::Encode for Name {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_bounded_string(&self.0, 16)
        }
    }

    impl<'a> rt::Decode<'a> for Name {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            input.bounded_string(16).map(Into::into).map(Self)
        }
    }

    impl rt::Valuetype for Name {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Name:1.0";
        const FAMILY: &'static [rt::Kind] = &[rt::Kind::of::<Name>()];
    }

    impl rt::State for Name {
        const IDS: &'static [&'static str] = &["IDL:Drawing/Name:1.0"];

        fn is(other: ::std::any::TypeId) -> bool {
            [::std::any::TypeId::of::<Self>()].contains(&other)
        }
    }

    /// A value of the type [`Name`], or null.
    pub type NameRef = Option<rt::Value<Name>>;

    impl rt::Typed for Name {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::value_box(
                    "IDL:Drawing/Name:1.0",
                    "Name",
                    rt::TypeCode::String(16),
                )
            });
            CODE.clone()
        }
    }

    /// IDL valuetype `Drawing::Sealed`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Sealed {
        /// IDL `text`.
        ///
        /// Private in IDL: for what implements the valuetype.
        pub text: String,
    }

    impl rt::Encode for Sealed {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::CustomMarshal::marshal(self, out)
        }
    }

    impl<'a> rt::Decode<'a> for Sealed {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            rt::CustomMarshal::unmarshal(input)
        }
    }

    impl rt::Valuetype for Sealed {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Sealed:1.0";
        const FAMILY: &'static [rt::Kind] = &[rt::Kind::of::<Sealed>()];
    }

    impl rt::State for Sealed {
        const IDS: &'static [&'static str] = &["IDL:Drawing/Sealed:1.0"];
        const CUSTOM: bool = true;

        fn is(other: ::std::any::TypeId) -> bool {
            [::std::any::TypeId::of::<Self>()].contains(&other)
        }
    }

    /// A value of the type [`Sealed`], or null.
    pub type SealedRef = Option<rt::Value<Sealed>>;

    impl rt::Typed for Sealed {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::value(
                    "IDL:Drawing/Sealed:1.0",
                    "Sealed",
                    1,
                    rt::TypeCode::Null,
                    [("text", rt::TypeCode::String(0), false)],
                )
            });
            CODE.clone()
        }
    }

    /// IDL valuetype `Drawing::Empty`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Empty {}

    impl rt::Encode for Empty {
        fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Empty {
        fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {})
        }
    }

    impl rt::Valuetype for Empty {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Empty:1.0";
        const FAMILY: &'static [rt::Kind] = &[rt::Kind::of::<Empty>()];
    }

    impl rt::State for Empty {
        const IDS: &'static [&'static str] = &["IDL:Drawing/Empty:1.0"];

        fn is(other: ::std::any::TypeId) -> bool {
            [::std::any::TypeId::of::<Self>()].contains(&other)
        }
    }

    /// A value of the type [`Empty`], or null.
    pub type EmptyRef = Option<rt::Value<Empty>>;

    impl rt::Typed for Empty {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::value::<
                    &str,
                >("IDL:Drawing/Empty:1.0", "Empty", 0, rt::TypeCode::Null, [])
            });
            CODE.clone()
        }
    }

    /// IDL valuetype `Drawing::Drawn`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Drawn {
        /// IDL `what`.
        pub what: NodeRef,
    }

    impl rt::Encode for Drawn {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.what, out)
        }
    }

    impl<'a> rt::Decode<'a> for Drawn {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                what: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Valuetype for Drawn {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Drawn:1.0";
        const FAMILY: &'static [rt::Kind] = &[rt::Kind::of::<Drawn>()];
    }

    impl rt::State for Drawn {
        const IDS: &'static [&'static str] = &["IDL:Drawing/Drawn:1.0"];

        fn is(other: ::std::any::TypeId) -> bool {
            [
                ::std::any::TypeId::of::<Self>(),
                ::std::any::TypeId::of::<super::components::EventBase>(),
            ]
                .contains(&other)
        }
    }

    impl rt::Extends<super::components::EventBase> for Drawn {}

    /// A value of the type [`Drawn`], or null.
    pub type DrawnRef = Option<rt::Value<Drawn>>;

    impl rt::Typed for Drawn {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::event(
                    "IDL:Drawing/Drawn:1.0",
                    "Drawn",
                    0,
                    rt::TypeCode::Null,
                    [("what", <Node as rt::Typed>::type_code(), true)],
                )
            });
            CODE.clone()
        }
    }

    /// IDL interface `Drawing::DrawnConsumer`.
    pub trait DrawnConsumer: super::components::EventConsumerBase {
        /// IDL operation `push_Drawn`.
        fn push_drawn(&self, the_drawn: &DrawnRef) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            super::components::EventConsumerBase::servant_base(self)
        }
    }

    /// A reference to an object with the interface [`DrawnConsumer`].
    pub type DrawnConsumerRef = rt::Ref<dyn DrawnConsumer>;

    impl<I: DrawnConsumer + rt::Interface + ?Sized> DrawnConsumer for rt::Ref<I> {
        fn push_drawn(&self, the_drawn: &DrawnRef) -> Result<(), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| DrawnConsumer::push_drawn(servant, the_drawn))
            {
                return done;
            }
            self.invoke(
                "push_Drawn",
                |out| rt::Encode::encode(the_drawn, out),
                |_input| Ok(()),
            )
        }
    }

    impl rt::Interface for dyn DrawnConsumer {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/DrawnConsumer:1.0";
        const BASES: &'static [&'static str] = &["IDL:Components/EventConsumerBase:1.0"];
        const OPERATIONS: &'static [&'static str] = &["push_Drawn"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<1, 2> = rt::Operations::new(
                <dyn DrawnConsumer as rt::Interface>::OPERATIONS,
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
                0 => drawn_consumer::skeleton::push_drawn(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            DrawnConsumer::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "push_Drawn" => {
                        rt::Signature::new()
                            .with_in("the_drawn", <Drawn as rt::Typed>::type_code())
                    }
                    _ => {
                        return <dyn super::components::EventConsumerBase as rt::Interface>::signature(
                            operation,
                        );
                    }
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn DrawnConsumer>(|| servant.clone());
            target.offer::<dyn super::components::EventConsumerBase>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn DrawnConsumer> for dyn DrawnConsumer {}

    impl rt::IsA<dyn super::components::EventConsumerBase> for dyn DrawnConsumer {}

    /// What belongs to the interface [`DrawnConsumer`].
    pub mod drawn_consumer {
        /// Ties the servant to the skeleton of [`DrawnConsumer`](super::DrawnConsumer), for an object adapter.
        pub fn tie(
            servant: impl super::DrawnConsumer,
        ) -> ::std::sync::Arc<dyn super::DrawnConsumer> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn push_drawn<T: super::super::DrawnConsumer + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let the_drawn: super::super::DrawnRef = rt::Decode::decode(input)?;
                call.reply(servant.push_drawn(&the_drawn), |(), _out| Ok(()))
            }
        }
    }

    /// IDL `Drawing::Holder`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Holder {
        /// IDL `title`.
        pub title: NameRef,
        /// IDL `after`.
        pub after: LaterRef,
        /// IDL `anything`.
        pub anything: rt::ValueBaseRef,
        /// IDL `sheet`.
        pub sheet: PrintableRef,
    }

    impl rt::Encode for Holder {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.title, out)?;
            rt::Encode::encode(&self.after, out)?;
            rt::Encode::encode(&self.anything, out)?;
            rt::Encode::encode(&self.sheet, out)
        }
    }

    impl<'a> rt::Decode<'a> for Holder {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                title: rt::Decode::decode(input)?,
                after: rt::Decode::decode(input)?,
                anything: rt::Decode::decode(input)?,
                sheet: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Holder {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Drawing/Holder:1.0",
                    "Holder",
                    [
                        ("title", <Name as rt::Typed>::type_code()),
                        ("after", <Later as rt::Typed>::type_code()),
                        ("anything", <rt::ValueBase as rt::Typed>::type_code()),
                        (
                            "sheet",
                            rt::TypeCode::abstract_interface(
                                "IDL:Drawing/Printable:1.0",
                                "Printable",
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL interface `Drawing::Board`.
    pub trait Board: Send + Sync + 'static {
        /// IDL operation `draw`.
        fn draw(
            &self,
            what: &NodeRef,
            named: &mut NameRef,
        ) -> Result<(ShapeRef, rt::ValueBaseRef), rt::SystemException>;

        /// IDL operation `show`.
        fn show(
            &self,
            what: &PrintableRef,
            all: &[NodeRef],
        ) -> Result<(), rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Board`].
    pub type BoardRef = rt::Ref<dyn Board>;

    impl<I: Board + rt::Interface + ?Sized> Board for rt::Ref<I> {
        fn draw(
            &self,
            what: &NodeRef,
            named: &mut NameRef,
        ) -> Result<(ShapeRef, rt::ValueBaseRef), rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Board::draw(servant, what, named))
            {
                return done;
            }
            self.invoke(
                    "draw",
                    |out| {
                        rt::Encode::encode(what, out)?;
                        rt::Encode::encode(&*named, out)
                    },
                    |input| Ok((
                        rt::Decode::decode(input)?,
                        rt::Decode::decode(input)?,
                        rt::Decode::decode(input)?,
                    )),
                )
                .map(|(result, new_named, old)| {
                    *named = new_named;
                    (result, old)
                })
        }

        fn show(
            &self,
            what: &PrintableRef,
            all: &[NodeRef],
        ) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Board::show(servant, what, all))
            {
                return done;
            }
            self.invoke(
                "show",
                |out| {
                    rt::Encode::encode(what, out)?;
                    out.put_sequence(all)
                },
                |_input| Ok(()),
            )
        }
    }

    impl rt::Interface for dyn Board {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Board:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &["draw", "show"];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<2, 4> = rt::Operations::new(
                <dyn Board as rt::Interface>::OPERATIONS,
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
                0 => board::skeleton::draw(self, call),
                1 => board::skeleton::show(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Board::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "draw" => {
                        rt::Signature::new()
                            .with_in("what", <Node as rt::Typed>::type_code())
                            .with_inout("named", <Name as rt::Typed>::type_code())
                            .with_out("old", <rt::ValueBase as rt::Typed>::type_code())
                            .with_result(<Shape as rt::Typed>::type_code())
                    }
                    "show" => {
                        rt::Signature::new()
                            .with_in(
                                "what",
                                rt::TypeCode::abstract_interface(
                                    "IDL:Drawing/Printable:1.0",
                                    "Printable",
                                ),
                            )
                            .with_in(
                                "all",
                                rt::TypeCode::alias(
                                    "IDL:Drawing/Node/List:1.0",
                                    "List",
                                    rt::TypeCode::sequence(<Node as rt::Typed>::type_code(), 0),
                                ),
                            )
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Board>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Board> for dyn Board {}

    /// What belongs to the interface [`Board`].
    pub mod board {
        /// Ties the servant to the skeleton of [`Board`](super::Board), for an object adapter.
        pub fn tie(servant: impl super::Board) -> ::std::sync::Arc<dyn super::Board> {
            ::std::sync::Arc::new(servant)
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn draw<T: super::super::Board + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let what: super::super::NodeRef = rt::Decode::decode(input)?;
                let mut named: super::super::NameRef = rt::Decode::decode(input)?;
                let outcome = servant.draw(&what, &mut named);
                call.reply(
                    outcome.map(|value| (value, named)),
                    |((result, old), named), out| {
                        rt::Encode::encode(result, out)?;
                        rt::Encode::encode(named, out)?;
                        rt::Encode::encode(old, out)
                    },
                )
            }

            pub fn show<T: super::super::Board + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let what: super::super::PrintableRef = rt::Decode::decode(input)?;
                let all: super::super::node::List = input.sequence()?;
                call.reply(servant.show(&what, &all), |(), _out| Ok(()))
            }
        }
    }

    /// IDL valuetype `Drawing::Later`.
    #[derive(Debug)]
    pub enum Later {}

    impl rt::Valuetype for Later {
        const REPOSITORY_ID: &'static str = "IDL:Drawing/Later:1.0";
        const FAMILY: &'static [rt::Kind] = &[];
    }

    /// A value of the type [`Later`], or null.
    pub type LaterRef = Option<rt::Value<Later>>;

    impl rt::Typed for Later {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::value::<
                    &str,
                >("IDL:Drawing/Later:1.0", "Later", 0, rt::TypeCode::Null, [])
            });
            CODE.clone()
        }
    }
}
