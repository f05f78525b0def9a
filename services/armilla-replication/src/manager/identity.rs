//! What the requests of clients carry besides: the version of the group that they know, and the
//! identity by which a request is recognized that another manager has begun to serve.

use super::domain::Domain;
use crate::reference::group_reference;
use armilla::{
    CallServant, EncodedReply, ObjectAddresses, PoaExtension, SystemException, UpcallInfo,
};
use armilla_giop::{FtGroupVersion, FtRequest};
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    static IDENTITY: RefCell<Vec<Option<(String, i32)>>> = const { RefCell::new(Vec::new()) };
}

/// Who sends the request that this thread serves, and its number.
pub(super) fn identity() -> Option<(String, i32)> {
    IDENTITY.with_borrow(|all| all.last().cloned().flatten())
}

/// Sees each request for the objects of a manager.
pub(super) struct Contexts(pub(super) Arc<Domain>);

impl PoaExtension for Contexts {
    fn before_upcall(&self, request: &UpcallInfo<'_>) -> Result<(), SystemException> {
        let context = request.service_context(FtRequest::ID).map(FtRequest::decode_data);
        let identity = context.and_then(Result::ok).map(|it| (it.client_id, it.retention_id));
        IDENTITY.with_borrow_mut(|all| all.push(identity));
        Ok(())
    }

    fn around(
        &self,
        request: &UpcallInfo<'_>,
        _: CallServant<'_>,
    ) -> Option<Result<EncodedReply, SystemException>> {
        let version = request.service_context(FtGroupVersion::ID).map(FtGroupVersion::decode_data);
        let FtGroupVersion(version) = version?.ok()?;
        let (name, view) = self.0.group_of_managers(request.object_id())?;
        if version >= view.version {
            return None;
        }
        let newer = group_reference(&name, &view);
        Some(newer.and_then(|newer| EncodedReply::forward_for_good(&newer)))
    }

    fn after_upcall(&self) {
        IDENTITY.with_borrow_mut(|all| drop(all.pop()));
    }

    fn addresses(&self, _: &[u8]) -> Option<ObjectAddresses> {
        None
    }
}
