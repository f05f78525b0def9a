What becomes of a file of MIDL: its imports, unions, pointers and classes.

//= enum Value
/// What a sensor says.
#[derive(Debug, Clone, PartialEq)]
#[allow(dead_code, unreachable_pub)]
pub enum Value {
    /// How high.
    Level(f64),
    /// COM arm `name`.
    Name(Option<String>),
    /// COM arm `list`.
    ///
    /// The first part is the tag.
    List(Kind, ValueList),
    /// Nothing, by this tag.
    Nothing(Kind),
}

//= mod value
/// How a [`Value`] travels.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod value {
    ::armilla_dcom::generated::com_union! {
        #[doc = r" The arms as they travel, each with its tag."] pub enum Wire :
        super::Kind { #[doc = " Arm `level`."] 1 => Level(value : f64), #[doc =
        " Arm `name`."] 2 => Name(value : ::armilla_dcom::generated::Unique <
        ::armilla_dcom::generated::WideString >), #[doc = " Arm `list`."] 4 | 5 =>
        List(value : super::value_list::Wire), #[doc = " Nothing."] 7 => Nothing() }
    }
    impl From<super::Value> for Wire {
        fn from(value: super::Value) -> Self {
            match value {
                super::Value::Level(value) => {
                    Self::Level(::armilla_dcom::generated::Tag::of(1), value)
                }
                super::Value::Name(value) => {
                    Self::Name(
                        ::armilla_dcom::generated::Tag::of(2),
                        value.map(|value| (&*value).into()).into(),
                    )
                }
                super::Value::List(tag, value) => Self::List(tag, value.into()),
                super::Value::Nothing(tag) => Self::Nothing(tag),
            }
        }
    }
    impl From<Wire> for super::Value {
        fn from(wire: Wire) -> Self {
            match wire {
                Wire::Level(_, value) => Self::Level(value),
                Wire::Name(_, value) => {
                    Self::Name(value.into_inner().map(|value| value.to_text()))
                }
                Wire::List(tag, value) => Self::List(tag, value.into()),
                Wire::Nothing(tag) => Self::Nothing(tag),
            }
        }
    }
    impl Default for Wire {
        fn default() -> Self {
            Self::Nothing(::armilla_dcom::generated::Tag::of(7))
        }
    }
}

//= struct Size2
/// Not SIZE, which Windows has.
///
/// In IDL this is Size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(dead_code, unreachable_pub)]
pub struct Size2(
    /// The number.
    pub i32,
);

//= struct Part
/// COM struct `PART`.
#[derive(Debug, Clone, PartialEq)]
#[allow(dead_code, unreachable_pub)]
pub struct Part {
    /// COM member `next`.
    pub next: Option<::std::boxed::Box<Part>>,
    /// COM member `since`.
    pub since: Filetime,
    /// COM member `shared`.
    pub shared: Option<i32>,
    /// COM member `label`.
    pub label: Option<Vec<u8>>,
    /// COM member `kind`.
    pub kind: u16,
    /// COM member `what`.
    pub what: PartWhat,
    /// COM member `size`.
    pub size: u32,
    /// COM member `octets`.
    pub octets: Vec<u8>,
}

//= trait IValve
/// COM interface `IValve`.
#[allow(clippy::type_complexity)]
#[allow(dead_code, unreachable_pub)]
pub trait IValve: Send + Sync {
    /// COM method `IValve::get_Open`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn get_open(&self) -> Result<f64, ::armilla_dcom::generated::Status>;
    /// COM method `IValve::put_Open`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn put_open(&self, fraction: f64) -> Result<(), ::armilla_dcom::generated::Status>;
    /// COM method `IValve::RemoteHere`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn remote_here(
        &self,
        count: u32,
    ) -> Result<(Vec<u8>, u32), ::armilla_dcom::generated::Status>;
    /// COM method `IValve::Parts`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn parts(
        &self,
        parts: Vec<Option<::std::boxed::Box<Part>>>,
        last: i32,
    ) -> Result<
        (u32, Vec<Option<::std::boxed::Box<Part>>>),
        ::armilla_dcom::generated::Status,
    >;
    /// COM method `IValve::Say`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn say(
        &self,
        value: Value,
        how: i32,
    ) -> Result<Value, ::armilla_dcom::generated::Status>;
    /// COM method `IValve::Next`.
    ///
    /// # Errors
    ///
    /// The HRESULT, if it is a failure.
    fn next(
        &self,
        next: Option<::armilla_dcom::generated::InterfacePointer>,
        without: u32,
    ) -> Result<
        Option<::armilla_dcom::generated::InterfacePointer>,
        ::armilla_dcom::generated::Status,
    >;
}

//= mod valve
/// COM class `Valve`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod valve {
    /// The CLSID of the class.
    pub const CLSID: ::armilla_dcom::generated::Uuid = ::armilla_dcom::generated::Uuid::literal(
        "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d54",
    );
}

//= mod valve_events
/// COM dispinterface `ValveEvents`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod valve_events {
    /// The IID of the interface.
    pub const IID: ::armilla_dcom::generated::Uuid = ::armilla_dcom::generated::Uuid::literal(
        "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d53",
    );
    /// The number of `fraction`.
    pub const FRACTION: i32 = 1;
    /// The number of `Moved`.
    pub const MOVED: i32 = 16;
}

//= const LIMIT
/// The most that a name holds.
#[allow(dead_code, unreachable_pub)]
pub const LIMIT: u32 = 16;
