//! `IOPCCommon`

use super::Array;
use super::server::ErrorStringOut;
use armilla_dcerpc::ndr::WideString;

armilla_dcerpc::ndr_interface! {
    /// What all OPC servers have.
    pub(crate) const COMMON = "f31dfde2-07b6-11d2-b2d8-0060083ba1fb", 0, 0;
    3 => SetLocale(Locale) -> ();
    4 => GetLocale(()) -> Locale;
    5 => QueryAvailableLocales(()) -> LocalesOut;
    6 => GetErrorString(ErrorIn) -> ErrorStringOut;
    7 => SetClientName(ClientNameIn) -> ();
}

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct Locale {
        pub(crate) locale: u32,
    }
    pub(crate) struct LocalesOut {
        pub(crate) count: u32,
        pub(crate) locales: Array<u32>,
    }
    pub(crate) struct ErrorIn {
        pub(crate) error: u32,
    }
    pub(crate) struct ClientNameIn {
        pub(crate) name: WideString,
    }
}
