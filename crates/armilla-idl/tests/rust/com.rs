Interfaces of COM become a trait, a proxy, and a module with tables, stub and IID.

//= trait ITestServer
/// The interface of a study that compared CORBA and DCOM, as MIDL writes it.
#[allow(clippy::type_complexity)]
#[allow(dead_code, unreachable_pub)]
pub trait ITestServer: Send + Sync {
    /// One string.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn get_single_string(
        &self,
        index: i32,
    ) -> Result<::armilla_dcom::generated::Bstr, ::armilla_dcom::generated::Status>;
    /// Many strings.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn get_multiple_string(
        &self,
        index: i32,
        count: i32,
    ) -> Result<
        (i32, Vec<::armilla_dcom::generated::Bstr>),
        ::armilla_dcom::generated::Status,
    >;
}

//= impl ITestServerProxy
#[allow(clippy::type_complexity)]
#[allow(dead_code, unreachable_pub)]
impl ITestServerProxy {
    /// Calls `GetSingleString`.
    ///
    /// # Errors
    ///
    /// What failed, at which step, and what to change.
    pub fn get_single_string(
        &self,
        index: i32,
    ) -> Result<::armilla_dcom::generated::Bstr, ::armilla_dcom::generated::Error> {
        let taken = self
            .0
            .call::<
                i_test_server::GetSingleString,
            >(
                &i_test_server::GetSingleStringIn {
                    index,
                },
            )?;
        Ok(taken.item)
    }
    /// Calls `GetMultipleString`.
    ///
    /// # Errors
    ///
    /// What failed, at which step, and what to change.
    pub fn get_multiple_string(
        &self,
        index: i32,
        count: i32,
    ) -> Result<
        (i32, Vec<::armilla_dcom::generated::Bstr>),
        ::armilla_dcom::generated::Error,
    > {
        let taken = self
            .0
            .call::<
                i_test_server::GetMultipleString,
            >(
                &i_test_server::GetMultipleStringIn {
                    index,
                    count,
                },
            )?;
        self.0
            .check_results(
                4,
                || {
                    if let Some(value) = taken.item.get() {
                        ::armilla_dcom::generated::check_size(
                            "item",
                            "size_is(*got)",
                            ::armilla_dcom::generated::count(|| Some(
                                ::armilla_dcom::generated::Tag::number(taken.got),
                            )),
                            value.0.len(),
                        )?;
                    }
                    Ok(())
                },
            )?;
        Ok((taken.got, taken.item.into_inner().map_or_else(Vec::new, |values| values.0)))
    }
}

//= mod i_test_server
/// What belongs to the interface [`ITestServer`].
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod i_test_server {
    /// The IID of the interface.
    pub const IID: ::armilla_dcom::generated::Uuid = ::armilla_dcom::generated::Uuid::literal(
        "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01",
    );
    ::armilla_dcom::generated::ndr_parameters! {
        #[doc = " What [`GetSingleString`] is given."] pub struct GetSingleStringIn {
        #[doc = " Parameter `index`."] pub index : i32 } #[doc =
        " What [`GetSingleString`] gives."] pub struct GetSingleStringOut { #[doc =
        " Parameter `item`."] pub item : ::armilla_dcom::generated::Bstr } #[doc =
        " What [`GetMultipleString`] is given."] pub struct GetMultipleStringIn { #[doc =
        " Parameter `index`."] pub index : i32, #[doc = " Parameter `count`."] pub count
        : i32 } #[doc = " What [`GetMultipleString`] gives."] pub struct
        GetMultipleStringOut { #[doc = " Parameter `got`."] pub got : i32, #[doc =
        " Parameter `item`."] pub item : ::armilla_dcom::generated::Unique <
        ::armilla_dcom::generated::Conformant < ::armilla_dcom::generated::Bstr > > }
    }
    ::armilla_dcom::generated::ndr_interface! {
        #[doc = r" The interface as a table."] pub const INTERFACE =
        "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01", 0, 0; #[doc = " `GetSingleString`"] 3 =>
        GetSingleString(GetSingleStringIn) -> GetSingleStringOut; #[doc =
        " `GetMultipleString`"] 4 => GetMultipleString(GetMultipleStringIn) ->
        GetMultipleStringOut;
    }
    /// An object with the interface [`ITestServer`](super::ITestServer).
    pub fn object(
        servant: impl super::ITestServer + 'static,
    ) -> ::std::sync::Arc<dyn ::armilla_dcom::generated::Object> {
        struct Servant<T>(T);
        impl<T: super::ITestServer + 'static> ::armilla_dcom::generated::Object
        for Servant<T> {
            fn supports(&self, iid: ::armilla_dcom::generated::Uuid) -> bool {
                supports(iid) || iid == ::armilla_dcom::generated::CLASS_INFO
            }
            fn call(
                &self,
                given: &::armilla_dcom::generated::ObjectCall<'_>,
            ) -> Result<Vec<u8>, ::armilla_dcom::generated::Status> {
                match given.iid {
                    ::armilla_dcom::generated::CLASS_INFO => {
                        ::armilla_dcom::generated::class_info(given, library())
                    }
                    _ => call(&self.0, given),
                }
            }
        }
        ::std::sync::Arc::new(Servant(servant))
    }
    /// Whether an object of the interface answers by this IID.
    pub fn supports(iid: ::armilla_dcom::generated::Uuid) -> bool {
        iid == IID
    }
    /// Executes a call of the interface: for an object that has several.
    ///
    /// # Errors
    ///
    /// What the client is told.
    pub fn call<T: super::ITestServer + ?Sized>(
        servant: &T,
        call: &::armilla_dcom::generated::ObjectCall<'_>,
    ) -> Result<Vec<u8>, ::armilla_dcom::generated::Status> {
        match call.opnum {
            3 => {
                let GetSingleStringIn { index } = call.arguments()?;
                match servant.get_single_string(index) {
                    Ok(item) => call.answer(&GetSingleStringOut { item }),
                    Err(status) => {
                        call.answer_with(
                            &GetSingleStringOut {
                                item: ::armilla_dcom::generated::Bstr::null(),
                            },
                            status,
                        )
                    }
                }
            }
            4 => {
                let GetMultipleStringIn { index, count } = call.arguments()?;
                match servant.get_multiple_string(index, count) {
                    Ok((got, item)) => {
                        let results = GetMultipleStringOut {
                            got,
                            item: if ::armilla_dcom::generated::is_null(
                                item.len(),
                                ::armilla_dcom::generated::count(|| Some(
                                    ::armilla_dcom::generated::Tag::number(got),
                                )),
                            ) {
                                ::armilla_dcom::generated::Unique::NULL
                            } else {
                                ::armilla_dcom::generated::Unique::new(item.into())
                            },
                        };
                        call.check_results(|| {
                            if let Some(value) = results.item.get() {
                                ::armilla_dcom::generated::check_size(
                                    "item",
                                    "size_is(*got)",
                                    ::armilla_dcom::generated::count(|| Some(
                                        ::armilla_dcom::generated::Tag::number(results.got),
                                    )),
                                    value.0.len(),
                                )?;
                            }
                            Ok(())
                        })?;
                        call.answer(&results)
                    }
                    Err(status) => {
                        call.answer_with(
                            &GetMultipleStringOut {
                                got: 0,
                                item: ::armilla_dcom::generated::Unique::NULL,
                            },
                            status,
                        )
                    }
                }
            }
            _ => Err(::armilla_dcom::generated::Status::OPERATION_OUT_OF_RANGE),
        }
    }
    /// What the interface has.
    pub fn description() -> ::armilla_dcom::generated::TypeDescription {
        ::armilla_dcom::generated::TypeDescription::interface(
            "ITestServer",
            IID,
            "IUnknown",
            vec![
                ::armilla_dcom::generated::function(3, "GetSingleString", "One string.",
                ::armilla_dcom::generated::flags::METHOD,
                vec![::armilla_dcom::generated::Parameter::new("index",
                ::armilla_dcom::generated::Type::I4),
                ::armilla_dcom::generated::Parameter::out("item",
                ::armilla_dcom::generated::Type::BSTR,
                ::armilla_dcom::generated::passing::OUT)],),
                ::armilla_dcom::generated::function(4, "GetMultipleString",
                "Many strings.", ::armilla_dcom::generated::flags::METHOD,
                vec![::armilla_dcom::generated::Parameter::new("index",
                ::armilla_dcom::generated::Type::I4),
                ::armilla_dcom::generated::Parameter::new("count",
                ::armilla_dcom::generated::Type::I4),
                ::armilla_dcom::generated::Parameter::out("got",
                ::armilla_dcom::generated::Type::I4,
                ::armilla_dcom::generated::passing::OUT),
                ::armilla_dcom::generated::Parameter::out("item",
                ::armilla_dcom::generated::Type::BSTR.pointer(),
                ::armilla_dcom::generated::passing::OUT)],)
            ],
        )
    }
    /// What an object of the interface says that it has: for one that has several.
    pub fn library() -> ::std::sync::Arc<::armilla_dcom::generated::TypeLibrary> {
        ::armilla_dcom::generated::library(
            "ITestServerClass",
            "ITestServer",
            vec![description()],
        )
    }
}

//= mod plant > trait ILargeBoiler
/// COM interface `Plant::ILargeBoiler`.
#[allow(clippy::type_complexity)]
pub trait ILargeBoiler: IBoiler {
    /// COM method `Plant::ILargeBoiler::history`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn history(
        &self,
        since: ::armilla_dcom::generated::Date,
        sensor: ::armilla_dcom::generated::Uuid,
    ) -> Result<
        Option<::armilla_dcom::generated::SafeArray>,
        ::armilla_dcom::generated::Status,
    >;
    /// COM method `Plant::ILargeBoiler::attach`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn attach(
        &self,
        next: Option<::armilla_dcom::generated::InterfacePointer>,
    ) -> Result<
        Option<::armilla_dcom::generated::InterfacePointer>,
        ::armilla_dcom::generated::Status,
    >;
    /// COM method `Plant::ILargeBoiler::rename`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn rename(
        &self,
        name: String,
    ) -> Result<Option<String>, ::armilla_dcom::generated::Status>;
    /// COM method `Plant::ILargeBoiler::levels`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn levels(
        &self,
        count: u32,
        given: Vec<u16>,
    ) -> Result<Vec<u16>, ::armilla_dcom::generated::Status>;
    /// COM method `Plant::ILargeBoiler::drain`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn drain(&self) -> Result<(), ::armilla_dcom::generated::Status>;
}

//= mod plant > impl IBoiler for ILargeBoilerProxy
#[allow(clippy::type_complexity)]
impl IBoiler for ILargeBoilerProxy {
    fn get_pressure(&self) -> Result<f64, ::armilla_dcom::generated::Status> {
        Self::get_pressure(self).map_err(|error| error.hresult())
    }
    fn get_burning(&self) -> Result<bool, ::armilla_dcom::generated::Status> {
        Self::get_burning(self).map_err(|error| error.hresult())
    }
    fn put_burning(&self, value: bool) -> Result<(), ::armilla_dcom::generated::Status> {
        Self::put_burning(self, value).map_err(|error| error.hresult())
    }
    fn tune(
        &self,
        set: Vec<f64>,
    ) -> Result<
        Vec<::armilla_dcom::generated::Bstr>,
        ::armilla_dcom::generated::Status,
    > {
        Self::tune(self, set).map_err(|error| error.hresult())
    }
    fn ask(
        &self,
        question: ::armilla_dcom::generated::Variant,
    ) -> Result<::armilla_dcom::generated::Variant, ::armilla_dcom::generated::Status> {
        Self::ask(self, question).map_err(|error| error.hresult())
    }
}
