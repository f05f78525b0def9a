// Made from large_arrays.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// Arrays that are too large for the stack are kept on the heap.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod large {
    use ::armilla::rt;

    /// IDL `Large::Image`.
    pub type Image = rt::LargeArray<[u8; 640], 480>;

    /// The TypeCode of IDL `Large::Image`.
    pub fn image_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Large/Image:1.0",
                "Image",
                rt::TypeCode::array(rt::TypeCode::array(rt::TypeCode::Octet, 640), 480),
            )
        });
        CODE.clone()
    }

    /// IDL `Large::Samples`.
    pub type Samples = rt::LargeArray<f64, 100000>;

    /// The TypeCode of IDL `Large::Samples`.
    pub fn samples_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Large/Samples:1.0",
                "Samples",
                rt::TypeCode::array(rt::TypeCode::Double, 100000),
            )
        });
        CODE.clone()
    }

    /// IDL `Large::Names`.
    pub type Names = rt::LargeArray<String, 3000>;

    /// The TypeCode of IDL `Large::Names`.
    pub fn names_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Large/Names:1.0",
                "Names",
                rt::TypeCode::array(rt::TypeCode::String(8), 3000),
            )
        });
        CODE.clone()
    }

    /// IDL `Large::Planes`.
    pub type Planes = [rt::LargeArray<u8, 100000>; 3];

    /// The TypeCode of IDL `Large::Planes`.
    pub fn planes_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Large/Planes:1.0",
                "Planes",
                rt::TypeCode::array(rt::TypeCode::array(rt::TypeCode::Octet, 100000), 3),
            )
        });
        CODE.clone()
    }

    /// IDL `Large::Frame`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Frame {
        /// IDL `number`.
        pub number: i32,
        /// IDL `pixels`.
        pub pixels: Image,
        /// IDL `tags`.
        pub tags: Names,
        /// IDL `weights`.
        pub weights: [rt::LargeArray<f32, 20000>; 2],
    }

    impl rt::Encode for Frame {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_i32(self.number);
            rt::Encode::encode(&self.pixels, out)?;
            for item in &self.tags {
                out.put_bounded_string(item, 8)?;
            }
            rt::Encode::encode(&self.weights, out)
        }
    }

    impl<'a> rt::Decode<'a> for Frame {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                number: input.i32()?,
                pixels: rt::Decode::decode(input)?,
                tags: input
                    .large_array_with(|input| input.bounded_string(8).map(Into::into))?,
                weights: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Frame {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Large/Frame:1.0",
                    "Frame",
                    [
                        ("number", rt::TypeCode::Long),
                        (
                            "pixels",
                            rt::TypeCode::alias(
                                "IDL:Large/Image:1.0",
                                "Image",
                                rt::TypeCode::array(
                                    rt::TypeCode::array(rt::TypeCode::Octet, 640),
                                    480,
                                ),
                            ),
                        ),
                        (
                            "tags",
                            rt::TypeCode::alias(
                                "IDL:Large/Names:1.0",
                                "Names",
                                rt::TypeCode::array(rt::TypeCode::String(8), 3000),
                            ),
                        ),
                        (
                            "weights",
                            rt::TypeCode::array(
                                rt::TypeCode::array(rt::TypeCode::Float, 20000),
                                2,
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Large::Film`.
    pub type Film = rt::LargeArray<Frame, 100>;

    /// The TypeCode of IDL `Large::Film`.
    pub fn film_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Large/Film:1.0",
                "Film",
                rt::TypeCode::array(<Frame as rt::Typed>::type_code(), 100),
            )
        });
        CODE.clone()
    }

    /// IDL `Large::Content`.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Content {
        /// IDL `heard`, selected by `true`.
        Heard(Samples),
        /// IDL `seen`, selected by `false`.
        Seen(Planes),
    }

    impl Content {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> bool {
            match self {
                Self::Heard(_) => true,
                Self::Seen(_) => false,
            }
        }
    }

    impl rt::Encode for Content {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::Heard(value) => {
                    out.put_bool(true);
                    rt::Encode::encode(value, out)
                }
                Self::Seen(value) => {
                    out.put_bool(false);
                    rt::Encode::encode(value, out)
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Content {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.bool()?;
            Ok(
                match discriminator {
                    true => Self::Heard(rt::Decode::decode(input)?),
                    false => Self::Seen(rt::Decode::decode(input)?),
                },
            )
        }
    }

    impl rt::Typed for Content {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Large/Content:1.0",
                    "Content",
                    rt::TypeCode::Boolean,
                    None,
                    [
                        (
                            1,
                            "heard",
                            rt::TypeCode::alias(
                                "IDL:Large/Samples:1.0",
                                "Samples",
                                rt::TypeCode::array(rt::TypeCode::Double, 100000),
                            ),
                        ),
                        (
                            0,
                            "seen",
                            rt::TypeCode::alias(
                                "IDL:Large/Planes:1.0",
                                "Planes",
                                rt::TypeCode::array(
                                    rt::TypeCode::array(rt::TypeCode::Octet, 100000),
                                    3,
                                ),
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Large::Dark`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub struct Dark {
        /// IDL `last_seen`.
        pub last_seen: Image,
    }

    impl ::std::fmt::Display for Dark {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            write!(f, "Large::Dark (last_seen: {:?})", self.last_seen)
        }
    }

    impl ::std::error::Error for Dark {}

    impl rt::UserException for Dark {
        const REPOSITORY_ID: &'static str = "IDL:Large/Dark:1.0";
    }

    impl rt::Encode for Dark {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.last_seen, out)
        }
    }

    impl<'a> rt::Decode<'a> for Dark {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                last_seen: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Dark {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception(
                    "IDL:Large/Dark:1.0",
                    "Dark",
                    [
                        (
                            "last_seen",
                            rt::TypeCode::alias(
                                "IDL:Large/Image:1.0",
                                "Image",
                                rt::TypeCode::array(
                                    rt::TypeCode::array(rt::TypeCode::Octet, 640),
                                    480,
                                ),
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL interface `Large::Camera`.
    pub trait Camera: Send + Sync + 'static {
        /// Reads the attribute `last`.
        fn last(&self) -> Result<Image, rt::SystemException>;

        /// Sets the attribute [`last`](Self::last).
        fn set_last(&self, value: &Image) -> Result<(), rt::SystemException>;

        /// IDL operation `take`.
        fn take(
            &self,
            mask: &Image,
            heard: &mut Samples,
        ) -> Result<(Frame, Planes), rt::Error<camera::TakeRaises>>;

        /// IDL operation `all`.
        fn all(
            &self,
            frames: &Film,
            what: &Content,
        ) -> Result<rt::Any, rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Camera`].
    pub type CameraRef = rt::Ref<dyn Camera>;

    impl<I: Camera + rt::Interface + ?Sized> Camera for rt::Ref<I> {
        #[allow(clippy::redundant_closure)]
        fn last(&self) -> Result<Image, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Camera::last(servant)) {
                return done;
            }
            self.invoke("_get_last", |_out| Ok(()), |input| rt::Decode::decode(input))
        }

        fn set_last(&self, value: &Image) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Camera::set_last(servant, value))
            {
                return done;
            }
            self.invoke(
                "_set_last",
                |out| rt::Encode::encode(value, out),
                |_input| Ok(()),
            )
        }

        fn take(
            &self,
            mask: &Image,
            heard: &mut Samples,
        ) -> Result<(Frame, Planes), rt::Error<camera::TakeRaises>> {
            if let Some(done) = self
                .directly(|servant| Camera::take(servant, mask, heard))
            {
                return done;
            }
            self.invoke_raises(
                    "take",
                    |out| {
                        rt::Encode::encode(mask, out)?;
                        rt::Encode::encode(&*heard, out)
                    },
                    |input| Ok((
                        rt::Decode::decode(input)?,
                        rt::Decode::decode(input)?,
                        rt::Decode::decode(input)?,
                    )),
                )
                .map(|(result, new_heard, layers)| {
                    *heard = new_heard;
                    (result, layers)
                })
        }

        #[allow(clippy::redundant_closure)]
        fn all(
            &self,
            frames: &Film,
            what: &Content,
        ) -> Result<rt::Any, rt::SystemException> {
            if let Some(done) = self
                .directly(|servant| Camera::all(servant, frames, what))
            {
                return done;
            }
            self.invoke(
                "all",
                |out| {
                    rt::Encode::encode(frames, out)?;
                    rt::Encode::encode(what, out)
                },
                |input| rt::Decode::decode(input),
            )
        }
    }

    impl rt::Interface for dyn Camera {
        const REPOSITORY_ID: &'static str = "IDL:Large/Camera:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &[
            "_get_last",
            "_set_last",
            "take",
            "all",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<4, 8> = rt::Operations::new(
                <dyn Camera as rt::Interface>::OPERATIONS,
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
                0 => camera::skeleton::last(self, call),
                1 => camera::skeleton::set_last(self, call),
                2 => camera::skeleton::take(self, call),
                3 => camera::skeleton::all(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Camera::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "_get_last" => {
                        rt::Signature::new()
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:Large/Image:1.0",
                                    "Image",
                                    rt::TypeCode::array(
                                        rt::TypeCode::array(rt::TypeCode::Octet, 640),
                                        480,
                                    ),
                                ),
                            )
                    }
                    "_set_last" => {
                        rt::Signature::new()
                            .with_in(
                                "last",
                                rt::TypeCode::alias(
                                    "IDL:Large/Image:1.0",
                                    "Image",
                                    rt::TypeCode::array(
                                        rt::TypeCode::array(rt::TypeCode::Octet, 640),
                                        480,
                                    ),
                                ),
                            )
                    }
                    "take" => {
                        rt::Signature::new()
                            .with_in(
                                "mask",
                                rt::TypeCode::alias(
                                    "IDL:Large/Image:1.0",
                                    "Image",
                                    rt::TypeCode::array(
                                        rt::TypeCode::array(rt::TypeCode::Octet, 640),
                                        480,
                                    ),
                                ),
                            )
                            .with_inout(
                                "heard",
                                rt::TypeCode::alias(
                                    "IDL:Large/Samples:1.0",
                                    "Samples",
                                    rt::TypeCode::array(rt::TypeCode::Double, 100000),
                                ),
                            )
                            .with_out(
                                "layers",
                                rt::TypeCode::alias(
                                    "IDL:Large/Planes:1.0",
                                    "Planes",
                                    rt::TypeCode::array(
                                        rt::TypeCode::array(rt::TypeCode::Octet, 100000),
                                        3,
                                    ),
                                ),
                            )
                            .with_result(<Frame as rt::Typed>::type_code())
                            .with_exception(<Dark as rt::Typed>::type_code())
                    }
                    "all" => {
                        rt::Signature::new()
                            .with_in(
                                "frames",
                                rt::TypeCode::alias(
                                    "IDL:Large/Film:1.0",
                                    "Film",
                                    rt::TypeCode::array(<Frame as rt::Typed>::type_code(), 100),
                                ),
                            )
                            .with_in("what", <Content as rt::Typed>::type_code())
                            .with_result(rt::TypeCode::Any)
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Camera>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Camera> for dyn Camera {}

    /// What belongs to the interface [`Camera`].
    pub mod camera {
        use ::armilla::rt;

        /// Ties the servant to the skeleton of [`Camera`](super::Camera), for an object adapter.
        pub fn tie(servant: impl super::Camera) -> ::std::sync::Arc<dyn super::Camera> {
            ::std::sync::Arc::new(servant)
        }

        /// The exceptions that `take` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum TakeRaises {
            /// IDL exception `Large::Dark`.
            Dark(super::Dark),
        }

        impl rt::Raises for TakeRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::Dark(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::Dark as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::Dark(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for TakeRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Dark(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for TakeRaises {}

        impl From<super::Dark> for TakeRaises {
            fn from(exception: super::Dark) -> Self {
                Self::Dark(exception)
            }
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn last<T: super::super::Camera + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.last(), rt::Encode::encode)
            }

            pub fn set_last<T: super::super::Camera + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value: super::super::Image = rt::Decode::decode(input)?;
                call.reply(servant.set_last(&value), |(), _out| Ok(()))
            }

            pub fn take<T: super::super::Camera + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let mask: super::super::Image = rt::Decode::decode(input)?;
                let mut heard: super::super::Samples = rt::Decode::decode(input)?;
                let outcome = servant.take(&mask, &mut heard);
                call.reply(
                    outcome.map(|value| (value, heard)),
                    |((result, layers), heard), out| {
                        rt::Encode::encode(result, out)?;
                        rt::Encode::encode(heard, out)?;
                        rt::Encode::encode(layers, out)
                    },
                )
            }

            pub fn all<T: super::super::Camera + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let frames: super::super::Film = rt::Decode::decode(input)?;
                let what: super::super::Content = rt::Decode::decode(input)?;
                call.reply(servant.all(&frames, &what), rt::Encode::encode)
            }
        }
    }
}
