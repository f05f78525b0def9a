//! `IOPCCommon`

use super::session::Session;
use crate::status::text;
use crate::wire::array;
use crate::wire::common::{
    ClientNameIn, ErrorIn, GetErrorString, GetLocale, Locale, LocalesOut, QueryAvailableLocales,
    SetClientName, SetLocale,
};
use crate::wire::server::ErrorStringOut;
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::{Operation, Unique, WideString};
use armilla_dcom::server::ObjectCall;
use std::sync::PoisonError;

/// The language of texts: English, as in the United States.
pub(super) const ENGLISH: u32 = 0x409;
/// Two ways to say that any language will do.
const ANY: [u32; 2] = [0x400, 0x800];

pub(super) fn call(session: &Session, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    match call.opnum {
        SetLocale::OPNUM => {
            let Locale { locale } = call.arguments()?;
            if locale != ENGLISH && !ANY.contains(&locale) {
                return Err(Status::INVALID_ARGUMENT);
            }
            *session.locale.lock().unwrap_or_else(PoisonError::into_inner) = locale;
            call.answer(&())
        }
        GetLocale::OPNUM => {
            let locale = *session.locale.lock().unwrap_or_else(PoisonError::into_inner);
            call.answer(&Locale { locale })
        }
        QueryAvailableLocales::OPNUM => {
            call.answer(&LocalesOut { count: 1, locales: array(vec![ENGLISH]) })
        }
        GetErrorString::OPNUM => {
            let ErrorIn { error } = call.arguments()?;
            let text = Unique::new(WideString::from(&*text(Status(error))));
            call.answer(&ErrorStringOut { text })
        }
        SetClientName::OPNUM => {
            // It helps those who look at the wire.
            let ClientNameIn { name: _ } = call.arguments()?;
            call.answer(&())
        }
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}
