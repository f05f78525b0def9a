//! `IOPCCommon`

use super::session::Session;
use crate::data_access::iopc_common::{
    GetErrorString, GetErrorStringIn, GetErrorStringOut, GetLocale, GetLocaleOut,
    QueryAvailableLocales, QueryAvailableLocalesOut, SetClientName, SetClientNameIn, SetLocale,
    SetLocaleIn,
};
use crate::status::text;
use crate::wire::{self, array};
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::Operation;
use armilla_dcom::server::ObjectCall;
use std::sync::PoisonError;

/// The language of texts: English, as in the United States.
pub(super) const ENGLISH: u32 = 0x409;
/// Two ways to say that any language will do.
const ANY: [u32; 2] = [0x400, 0x800];

pub(super) fn call(session: &Session, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    match call.opnum {
        SetLocale::OPNUM => {
            let SetLocaleIn { locale } = call.arguments()?;
            if locale != ENGLISH && !ANY.contains(&locale) {
                return Err(Status::INVALID_ARGUMENT);
            }
            *session.locale.lock().unwrap_or_else(PoisonError::into_inner) = locale;
            call.answer(&())
        }
        GetLocale::OPNUM => {
            let locale = *session.locale.lock().unwrap_or_else(PoisonError::into_inner);
            call.answer(&GetLocaleOut { locale })
        }
        QueryAvailableLocales::OPNUM => {
            call.answer(&QueryAvailableLocalesOut { count: 1, locales: array(vec![ENGLISH]) })
        }
        GetErrorString::OPNUM => {
            let GetErrorStringIn { error } = call.arguments()?;
            call.answer(&GetErrorStringOut { text: wire::text(&text(Status(error))) })
        }
        // It helps those who look at the wire.
        SetClientName::OPNUM => call.arguments::<SetClientNameIn>().and_then(|_| call.answer(&())),
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}
