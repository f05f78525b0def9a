//! The tables that describe types and interfaces.

/// Declares a structure that NDR encodes: its members in their order.
///
/// A conformant array may only be the last member, as in IDL. See [`ndr`](crate::ndr) for an
/// example. Behind a structure there may be a check, `=> Self::check;`: a function from `&Self` to
/// `Result<(), NdrErrorKind>`, without which nothing is written and nothing that was read is given
/// ([`check_size`](crate::ndr::check_size)).
#[macro_export]
macro_rules! ndr_struct {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$member_attribute:meta])* $member_visibility:vis $member:ident: $type:ty),+ $(,)?
        } $(=> $check:path;)?
    )*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq)]
        $visibility struct $name {
            $($(#[$member_attribute])* $member_visibility $member: $type),+
        }

        const _: () = assert!(
            0 $(+ <$type as $crate::ndr::Ndr>::CONFORMANT as usize)+ <= 1,
            "a structure has one conformant array at most",
        );

        impl $crate::ndr::Ndr for $name {
            const ALIGNMENT: usize =
                $crate::ndr_largest!($(<$type as $crate::ndr::Ndr>::ALIGNMENT),+);
            const CONFORMANT: bool = false $(|| <$type as $crate::ndr::Ndr>::CONFORMANT)+;

            fn conformance(&self) -> usize {
                0 $(+ $crate::ndr::Ndr::conformance(&self.$member))+
            }

            fn encode(
                &self,
                out: &mut $crate::ndr::Encoder,
            ) -> ::core::result::Result<(), $crate::ndr::NdrError> {
                $($crate::ndr_checked!($check, self, out);)?
                out.align(Self::ALIGNMENT);
                $($crate::ndr::Ndr::encode(&self.$member, out)?;)+
                ::core::result::Result::Ok(())
            }

            fn encode_referents(
                &self,
                out: &mut $crate::ndr::Encoder,
            ) -> ::core::result::Result<(), $crate::ndr::NdrError> {
                $($crate::ndr::Ndr::encode_referents(&self.$member, out)?;)+
                ::core::result::Result::Ok(())
            }

            fn decode(
                input: &mut $crate::ndr::Decoder<'_>,
            ) -> ::core::result::Result<Self, $crate::ndr::NdrError> {
                input.align(Self::ALIGNMENT)?;
                $(let $member = <$type as $crate::ndr::Ndr>::decode(input)?;)+
                ::core::result::Result::Ok(Self { $($member),+ })
            }

            fn decode_referents(
                &mut self,
                input: &mut $crate::ndr::Decoder<'_>,
            ) -> ::core::result::Result<(), $crate::ndr::NdrError> {
                $($crate::ndr::Ndr::decode_referents(&mut self.$member, input)?;)+
                $($crate::ndr_checked!($check, self, input);)?
                ::core::result::Result::Ok(())
            }
        }
    )*};
}

/// Declares an enum that NDR encodes: as `u16`, or as `u32` where IDL says `v1_enum`.
///
/// ```
/// armilla_dcerpc::ndr_enum! {
///     /// Where a value comes from.
///     pub enum Source: u16 {
///         /// A copy that the server keeps.
///         Cache = 1,
///         /// The device itself.
///         Device = 2,
///     }
/// }
/// ```
#[macro_export]
macro_rules! ndr_enum {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident: $number:ty {
            $($(#[$case_attribute:meta])* $case:ident = $value:literal),+ $(,)?
        }
    )*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $visibility enum $name { $($(#[$case_attribute])* $case = $value),+ }

        impl $crate::ndr::Ndr for $name {
            const ALIGNMENT: usize = <$number as $crate::ndr::Ndr>::ALIGNMENT;

            fn encode(
                &self,
                out: &mut $crate::ndr::Encoder,
            ) -> ::core::result::Result<(), $crate::ndr::NdrError> {
                $crate::ndr::Ndr::encode(&(*self as $number), out)
            }

            fn decode(
                input: &mut $crate::ndr::Decoder<'_>,
            ) -> ::core::result::Result<Self, $crate::ndr::NdrError> {
                match <$number as $crate::ndr::Ndr>::decode(input)? {
                    $($value => ::core::result::Result::Ok(Self::$case),)+
                    value => ::core::result::Result::Err($crate::ndr::NdrError {
                        kind: $crate::ndr::NdrErrorKind::InvalidEnum {
                            type_name: ::core::stringify!($name),
                            value: value.into(),
                        },
                        position: input.position(),
                    }),
                }
            }
        }
    )*};
}

/// Declares a union that NDR encodes: a discriminant, then the arm that it selects, aligned to the
/// largest arm (C706 14.3.8). Without a `default` other discriminants are refused.
///
/// ```
/// armilla_dcerpc::ndr_union! {
///     /// A number in one of two sizes.
///     pub enum Number: u32 {
///         /// The small one.
///         1 => Small(u16),
///         /// The large one.
///         2 => Large(u64);
///         /// Something without octets.
///         default => Other,
///     }
/// }
/// ```
#[macro_export]
macro_rules! ndr_union {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident: $number:ty {
            $($(#[$case_attribute:meta])* $value:literal => $case:ident($type:ty)),+
            $(; $(#[$default_attribute:meta])* default => $default:ident)? $(,)?
        }
    )*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq)]
        $visibility enum $name {
            $($(#[$case_attribute])* $case($type)),+
            $(, $(#[$default_attribute])* $default($number))?
        }

        impl $name {
            const ARMS: usize = $crate::ndr_largest!($(<$type as $crate::ndr::Ndr>::ALIGNMENT),+);
        }

        impl $crate::ndr::Ndr for $name {
            const ALIGNMENT: usize =
                $crate::ndr_largest!(<$number as $crate::ndr::Ndr>::ALIGNMENT, Self::ARMS);

            fn encode(
                &self,
                out: &mut $crate::ndr::Encoder,
            ) -> ::core::result::Result<(), $crate::ndr::NdrError> {
                match self {
                    $(Self::$case(value) => {
                        <$number as $crate::ndr::Ndr>::encode(&$value, out)?;
                        out.align(Self::ARMS);
                        $crate::ndr::Ndr::encode(value, out)
                    })+
                    $(Self::$default(number) => {
                        $crate::ndr::Ndr::encode(number, out)?;
                        out.align(Self::ARMS);
                        ::core::result::Result::Ok(())
                    })?
                }
            }

            fn encode_referents(
                &self,
                out: &mut $crate::ndr::Encoder,
            ) -> ::core::result::Result<(), $crate::ndr::NdrError> {
                match self {
                    $(Self::$case(value) => $crate::ndr::Ndr::encode_referents(value, out),)+
                    $(Self::$default(_) => ::core::result::Result::Ok(()),)?
                }
            }

            fn decode(
                input: &mut $crate::ndr::Decoder<'_>,
            ) -> ::core::result::Result<Self, $crate::ndr::NdrError> {
                match <$number as $crate::ndr::Ndr>::decode(input)? {
                    $($value => {
                        input.align(Self::ARMS)?;
                        <$type as $crate::ndr::Ndr>::decode(input).map(Self::$case)
                    })+
                    $(number => {
                        input.align(Self::ARMS)?;
                        ::core::result::Result::Ok(Self::$default(number))
                    })?
                    #[allow(unreachable_patterns)]
                    value => ::core::result::Result::Err($crate::ndr::NdrError {
                        kind: $crate::ndr::NdrErrorKind::InvalidDiscriminant {
                            type_name: ::core::stringify!($name),
                            value: value.into(),
                        },
                        position: input.position(),
                    }),
                }
            }

            fn decode_referents(
                &mut self,
                input: &mut $crate::ndr::Decoder<'_>,
            ) -> ::core::result::Result<(), $crate::ndr::NdrError> {
                match self {
                    $(Self::$case(value) => $crate::ndr::Ndr::decode_referents(value, input),)+
                    $(Self::$default(_) => ::core::result::Result::Ok(()),)?
                }
            }
        }
    )*};
}

/// Declares the parameters of an operation in one direction, in their order.
///
/// A parameter that is a reference pointer has the type of its value: such a pointer leaves no
/// trace on the wire. See [`ndr_interface!`](crate::ndr_interface) for an example. There may be a
/// check, as for a [structure](crate::ndr_struct).
#[macro_export]
macro_rules! ndr_parameters {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$member_attribute:meta])* $member_visibility:vis $member:ident: $type:ty),+ $(,)?
        } $(=> $check:path;)?
    )*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq)]
        $visibility struct $name {
            $($(#[$member_attribute])* $member_visibility $member: $type),+
        }

        impl $crate::ndr::Parameters for $name {
            fn write_parameters(
                &self,
                out: &mut $crate::ndr::Encoder,
            ) -> ::core::result::Result<(), $crate::ndr::NdrError> {
                $($crate::ndr_checked!($check, self, out);)?
                $($crate::ndr::Ndr::write(&self.$member, out)?;)+
                ::core::result::Result::Ok(())
            }

            fn read_parameters(
                input: &mut $crate::ndr::Decoder<'_>,
            ) -> ::core::result::Result<Self, $crate::ndr::NdrError> {
                $(let $member = <$type as $crate::ndr::Ndr>::read(input)?;)+
                let read = Self { $($member),+ };
                $($crate::ndr_checked!($check, &read, input);)?
                ::core::result::Result::Ok(read)
            }
        }
    )*};
}

/// Declares an interface: the number of each operation, and its parameters both ways. Each
/// operation becomes a type that implements [`Operation`](crate::ndr::Operation).
///
/// ```
/// use armilla_dcerpc::ndr::Operation;
///
/// armilla_dcerpc::ndr_parameters! {
///     /// What `Add` is given.
///     pub struct AddIn {
///         /// One number.
///         pub left: u32,
///         /// Another one.
///         pub right: u32,
///     }
///     /// What it gives.
///     pub struct AddOut {
///         /// Their sum.
///         pub sum: u32,
///     }
/// }
/// armilla_dcerpc::ndr_interface! {
///     /// It calculates.
///     pub const CALCULATOR = "6bffd098-a112-3610-9833-46c3f87e345a", 1, 0;
///     /// Adds two numbers.
///     0 => Add(AddIn) -> AddOut;
///     /// Forgets everything.
///     1 => Clear(()) -> ();
/// }
/// assert_eq!(Clear::OPNUM, 1);
/// assert_eq!(Add::INTERFACE, CALCULATOR);
/// ```
#[macro_export]
macro_rules! ndr_interface {
    (
        $(#[$attribute:meta])*
        $visibility:vis const $interface:ident = $uuid:literal, $major:literal, $minor:literal;
        $($(#[$operation_attribute:meta])* $number:literal => $name:ident($in:ty) -> $out:ty;)*
    ) => {
        $(#[$attribute])*
        $visibility const $interface: $crate::SyntaxId =
            $crate::SyntaxId::literal($uuid, $major, $minor);
        $(
            $(#[$operation_attribute])*
            #[derive(Debug, Clone, Copy)]
            $visibility struct $name;

            impl $crate::ndr::Operation for $name {
                const INTERFACE: $crate::SyntaxId = $interface;
                const OPNUM: u16 = $number;
                type In = $in;
                type Out = $out;
            }
        )*
    };
}

/// Leaves a function if a value does not pass its check.
#[doc(hidden)]
#[macro_export]
macro_rules! ndr_checked {
    ($check:path, $value:expr, $octets:expr) => {
        if let ::core::result::Result::Err(kind) = $check($value) {
            let position = $octets.position();
            return ::core::result::Result::Err($crate::ndr::NdrError { kind, position });
        }
    };
}

/// The largest of some alignments.
#[doc(hidden)]
#[macro_export]
macro_rules! ndr_largest {
    ($first:expr $(, $other:expr)*) => {{
        let largest = $first;
        $(let largest = if $other > largest { $other } else { largest };)*
        largest
    }};
}
