Structs and enums of COM. A struct has a module with how it travels; a method with success codes returns its HRESULT.

//= struct Quality
/// How good a value is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code, unreachable_pub)]
pub struct Quality(
    /// The number.
    pub i32,
);

//= impl Quality
#[allow(dead_code, unreachable_pub)]
impl Quality {
    /// There is no value.
    pub const QUALITY_NONE: Self = Self(-1);
    /// COM `QUALITY_BAD`.
    pub const QUALITY_BAD: Self = Self(0);
    /// COM `QUALITY_GOOD`.
    pub const QUALITY_GOOD: Self = Self(192);
}

//= struct Reading
/// A value of the plant, as MIDL writes it.
#[derive(Debug, Clone, PartialEq)]
#[allow(dead_code, unreachable_pub)]
pub struct Reading {
    /// COM member `handle`.
    pub handle: u32,
    /// COM member `quality`.
    pub quality: Quality,
    /// What it is measured in.
    pub unit: Option<String>,
    /// COM member `value`.
    pub value: ::armilla_dcom::generated::Variant,
    /// COM member `stamp`.
    pub stamp: [u16; 2],
}

//= mod reading
/// How a [`Reading`] travels.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod reading {
    ::armilla_dcom::generated::ndr_struct! {
        #[doc = r" The members as they travel."] pub struct Wire { #[doc =
        " Member `handle`."] pub handle : u32, #[doc = " Member `quality`."] pub quality
        : super::Quality, #[doc = " Member `unit`."] pub unit :
        ::armilla_dcom::generated::Unique < ::armilla_dcom::generated::WideString >,
        #[doc = " Member `value`."] pub value :
        ::armilla_dcom::generated::VariantPointer, #[doc = " Member `stamp`."] pub stamp
        : [u16; 2] }
    }
    impl From<super::Reading> for Wire {
        fn from(value: super::Reading) -> Self {
            let super::Reading { handle, quality, unit, value, stamp } = value;
            Self {
                handle,
                quality,
                unit: unit.map(|value| (&*value).into()).into(),
                value: value.into(),
                stamp,
            }
        }
    }
    impl From<Wire> for super::Reading {
        fn from(wire: Wire) -> Self {
            let Wire { handle, quality, unit, value, stamp } = wire;
            Self {
                handle,
                quality,
                unit: unit.into_inner().map(|value| value.to_text()),
                value: value.into_variant(),
                stamp,
            }
        }
    }
    #[allow(clippy::derivable_impls)]
    impl Default for Wire {
        fn default() -> Self {
            Self {
                handle: 0,
                quality: Default::default(),
                unit: ::armilla_dcom::generated::Unique::NULL,
                value: Default::default(),
                stamp: ::core::array::from_fn(|_| 0),
            }
        }
    }
}

//= mod plant > struct Stretch
/// A stretch of time, as IDL writes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// COM member `since`.
    pub since: ::armilla_dcom::generated::Date,
    /// COM member `until`.
    pub until: ::armilla_dcom::generated::Date,
    /// COM member `complete`.
    pub complete: bool,
    /// COM member `source`.
    pub source: super::Source,
    /// What was noted.
    pub remarks: Vec<::armilla_dcom::generated::Bstr>,
    /// COM member `ends`.
    pub ends: [super::Reading; 2],
    /// COM member `worst`.
    pub worst: Option<super::Reading>,
    /// COM member `all`.
    pub all: Vec<super::Reading>,
    /// COM member `count`.
    pub count: u32,
}

//= mod plant > struct Box
/// A name that Rust has, too.
#[derive(Debug, Clone, PartialEq)]
pub struct Box {
    /// COM member `inner`.
    pub inner: Option<::std::boxed::Box<Box>>,
}

//= mod plant > trait IRecorder
/// It remembers.
#[allow(clippy::type_complexity)]
pub trait IRecorder: Send + Sync {
    /// S_FALSE if there are fewer.
    ///
    /// The first result is the HRESULT of the success.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn next(
        &self,
        count: u32,
    ) -> Result<
        (::armilla_dcom::generated::Status, Vec<super::Reading>),
        ::armilla_dcom::generated::Status,
    >;
    /// COM method `Plant::IRecorder::skip`.
    ///
    /// The first result is the HRESULT of the success.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn skip(
        &self,
        count: u32,
    ) -> Result<::armilla_dcom::generated::Status, ::armilla_dcom::generated::Status>;
    /// COM method `Plant::IRecorder::last`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn last(
        &self,
        source: super::Source,
    ) -> Result<super::Reading, ::armilla_dcom::generated::Status>;
    /// COM method `Plant::IRecorder::find`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn find(
        &self,
        like: Option<super::Reading>,
    ) -> Result<Option<super::Reading>, ::armilla_dcom::generated::Status>;
    /// COM method `Plant::IRecorder::record`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn record(
        &self,
        stretch: Stretch,
    ) -> Result<Stretch, ::armilla_dcom::generated::Status>;
    /// COM method `Plant::IRecorder::forget`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn forget(
        &self,
        count: u32,
        handles: Vec<u32>,
    ) -> Result<Vec<super::Quality>, ::armilla_dcom::generated::Status>;
}

//= mod plant > impl IRecorderProxy
#[allow(clippy::type_complexity)]
impl IRecorderProxy {
    /// Calls `next`.
    ///
    /// # Errors
    ///
    /// What failed, at which step, and what to change.
    pub fn next(
        &self,
        count: u32,
    ) -> Result<
        (::armilla_dcom::generated::Status, Vec<super::Reading>),
        ::armilla_dcom::generated::Error,
    > {
        let (taken, status) = self
            .0
            .call_for_success::<i_recorder::Next>(&i_recorder::NextIn { count })?;
        Ok((
            status,
            taken
                .readings
                .into_inner()
                .map_or_else(
                    Vec::new,
                    |values| values.0.into_iter().map(|value| value.into()).collect(),
                ),
        ))
    }
    /// Calls `skip`.
    ///
    /// # Errors
    ///
    /// What failed, at which step, and what to change.
    pub fn skip(
        &self,
        count: u32,
    ) -> Result<::armilla_dcom::generated::Status, ::armilla_dcom::generated::Error> {
        let ((), status) = self
            .0
            .call_for_success::<i_recorder::Skip>(&i_recorder::SkipIn { count })?;
        Ok(status)
    }
    /// Calls `last`.
    ///
    /// # Errors
    ///
    /// What failed, at which step, and what to change.
    pub fn last(
        &self,
        source: super::Source,
    ) -> Result<super::Reading, ::armilla_dcom::generated::Error> {
        let taken = self.0.call::<i_recorder::Last>(&i_recorder::LastIn { source })?;
        Ok(taken.reading.into())
    }
    /// Calls `find`.
    ///
    /// # Errors
    ///
    /// What failed, at which step, and what to change.
    pub fn find(
        &self,
        like: Option<super::Reading>,
    ) -> Result<Option<super::Reading>, ::armilla_dcom::generated::Error> {
        let taken = self
            .0
            .call::<
                i_recorder::Find,
            >(
                &i_recorder::FindIn {
                    like: like.map(|value| value.into()).into(),
                },
            )?;
        Ok(taken.found.into_inner().map(|value| value.into()))
    }
    /// Calls `record`.
    ///
    /// # Errors
    ///
    /// What failed, at which step, and what to change.
    pub fn record(
        &self,
        stretch: Stretch,
    ) -> Result<Stretch, ::armilla_dcom::generated::Error> {
        let taken = self
            .0
            .call::<
                i_recorder::Record,
            >(
                &i_recorder::RecordIn {
                    stretch: stretch.into(),
                },
            )?;
        Ok(taken.whole.into())
    }
    /// Calls `forget`.
    ///
    /// # Errors
    ///
    /// What failed, at which step, and what to change.
    pub fn forget(
        &self,
        count: u32,
        handles: Vec<u32>,
    ) -> Result<Vec<super::Quality>, ::armilla_dcom::generated::Error> {
        let taken = self
            .0
            .call::<
                i_recorder::Forget,
            >(
                &i_recorder::ForgetIn {
                    count,
                    handles: handles.into(),
                },
            )?;
        self.0
            .check_results(
                8,
                || {
                    if let Some(value) = taken.left.get() {
                        ::armilla_dcom::generated::check_size(
                            "left",
                            "size_is(count)",
                            ::armilla_dcom::generated::count(|| Some(
                                ::armilla_dcom::generated::Tag::number(count),
                            )),
                            value.0.len(),
                        )?;
                    }
                    Ok(())
                },
            )?;
        Ok(taken.left.into_inner().map_or_else(Vec::new, |values| values.0))
    }
}
