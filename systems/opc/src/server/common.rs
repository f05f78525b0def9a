//! `IOPCCommon`

use super::Called;
use super::session::Session;
use crate::data_access::IopcCommon;
use crate::status::text;
use armilla_dcerpc::Status;
use std::sync::PoisonError;

/// The language of texts: English, as in the United States.
pub(super) const ENGLISH: u32 = 0x409;
/// Two ways to say that any language will do.
const ANY: [u32; 2] = [0x400, 0x800];

impl IopcCommon for Called<'_, Session> {
    fn set_locale(&self, locale: u32) -> Result<(), Status> {
        if locale != ENGLISH && !ANY.contains(&locale) {
            return Err(Status::INVALID_ARGUMENT);
        }
        *self.on.locale.lock().unwrap_or_else(PoisonError::into_inner) = locale;
        Ok(())
    }

    fn get_locale(&self) -> Result<u32, Status> {
        Ok(*self.on.locale.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn query_available_locales(&self) -> Result<(u32, Vec<u32>), Status> {
        Ok((1, vec![ENGLISH]))
    }

    fn get_error_string(&self, error: u32) -> Result<Option<String>, Status> {
        Ok(Some(text(Status(error))))
    }

    /// It helps those who look at the wire.
    fn set_client_name(&self, _name: String) -> Result<(), Status> {
        Ok(())
    }
}
