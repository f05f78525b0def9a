// What is later in the source has a number, and so has what is named after it.

//= type TestEnum2
/// In IDL this is testEnum.
#[allow(dead_code, unreachable_pub)]
pub type TestEnum2 = TestEnum;

//= fn test_enum2_any
/// The value as an `any` of the type IDL `testEnum`.
#[inline]
#[allow(dead_code, unreachable_pub)]
pub fn test_enum2_any(
    value: TestEnum,
) -> ::armilla::codegen::CdrResult<::armilla::codegen::Any> {
    ::armilla::codegen::Any::encoded(
        test_enum2_type_code(),
        |out| {
            out.put_u32(value as u32);
            Ok(())
        },
    )
}

//= fn ab2_any
/// The value as an `any` of the type IDL `aB`.
#[inline]
#[allow(dead_code, unreachable_pub)]
pub fn ab2_any(value: f64) -> ::armilla::codegen::CdrResult<::armilla::codegen::Any> {
    ::armilla::codegen::Any::encoded(
        ab2_type_code(),
        |out| {
            out.put_f64(value);
            Ok(())
        },
    )
}

//= const X_2
/// In IDL this is X_.
#[allow(dead_code, unreachable_pub)]
pub const X_2: i32 = 1;

//= impl Bits
#[allow(dead_code, unreachable_pub)]
impl Bits {
    /// IDL `lowPart`, 3 bits wide.
    pub const fn low_part(self) -> u8 {
        ::armilla::codegen::get_bits(self.0, 0, 3) as u8
    }
    /// The same with `lowPart` set to the lower bits of `value`.
    #[must_use]
    pub const fn with_low_part(self, value: u8) -> Self {
        Self(::armilla::codegen::set_bits(self.0, 0, 3, value as u64))
    }
    /// IDL `low_part_2`, 3 bits wide.
    pub const fn low_part_2(self) -> u8 {
        ::armilla::codegen::get_bits(self.0, 3, 3) as u8
    }
    /// The same with `low_part_2` set to the lower bits of `value`.
    #[must_use]
    pub const fn with_low_part_2(self, value: u8) -> Self {
        Self(::armilla::codegen::set_bits(self.0, 3, 3, value as u64))
    }
}

//= mod log > enum WriteRaises
/// The exceptions that `write` may raise.
#[derive(Debug, Clone, PartialEq)]
pub enum WriteRaises {
    /// IDL exception `C_D::gone`.
    CDGone(super::c_d::Gone),
    /// IDL exception `C::D::gone`.
    CdGone2(super::c::d::Gone),
}

//= mod log > const RT_INFO_2
/// In IDL this is Log::rt_info.
pub const RT_INFO_2: i32 = 1;

//= trait Channel
/// IDL interface `Channel`.
#[allow(dead_code, unreachable_pub)]
pub trait Channel: Send + Sync + 'static {
    /// In IDL this is Channel::MyFactory.
    fn my_factory_2(
        &self,
    ) -> Result<::armilla::codegen::Object, ::armilla::codegen::SystemException>;
    /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
    /// servant that is an `armilla::ServantBase`.
    fn servant_base(&self) -> Option<&dyn ::armilla::codegen::ServantBase> {
        None
    }
}

//= trait EntryFactory
/// How values of the type [`Entry`] are made. A program that uses it implements it for [`Entry`].
#[allow(dead_code, unreachable_pub)]
pub trait EntryFactory: Sized {
    /// IDL factory `makeIt`.
    fn make_it(first_value: i32, first_value_2: i32) -> ::armilla::codegen::Value<Self>;
    /// In IDL this is Entry::make_it.
    fn make_it_2(
        first_value: i32,
        first_value_2: i32,
    ) -> ::armilla::codegen::Value<Self>;
}
