//! Service contexts, as interceptors read and add them.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use armilla_giop::{ServiceContext, ServiceContexts};

/// The service contexts of a request or a reply, by id (CORBA 3.4 Part 2, 9.7). The owner of an id
/// defines the contents. For ids of the OMG these are an encapsulation, which a
/// [`Codec`](crate::interceptor::Codec) encodes and decodes.
#[derive(Debug, Clone, Default)]
pub struct Contexts(Vec<(u32, Vec<u8>)>);

impl Contexts {
    /// The data of the context with this id.
    pub fn get(&self, id: u32) -> Option<&[u8]> {
        self.0.iter().find(|(known, _)| *known == id).map(|(_, data)| &**data)
    }

    /// All contexts, in the order in which they are sent.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.0.iter().map(|(id, data)| (*id, &**data))
    }

    /// Whether there are no contexts.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn received(contexts: &ServiceContexts<'_>) -> Self {
        Self(contexts.iter().map(|context| (context.id, context.data.to_vec())).collect())
    }

    pub(crate) fn add(
        &mut self,
        id: u32,
        data: &[u8],
        replace: bool,
    ) -> Result<(), SystemException> {
        match self.0.iter_mut().find(|(known, _)| *known == id) {
            None => self.0.push((id, data.to_vec())),
            Some((_, place)) if replace => *place = data.to_vec(),
            Some(_) => {
                let what = format!("there is a service context {id:#x} already");
                let kind = ExceptionKind::BadInvOrder;
                return Err(SystemException::new(
                    kind,
                    Minor::BAD_INV_ORDER_SERVICE_CONTEXT_EXISTS,
                    Completion::No,
                )
                .with_reason(what));
            }
        }
        Ok(())
    }

    pub(crate) fn to_send(&self) -> Vec<ServiceContext<'_>> {
        self.iter().map(|(id, data)| ServiceContext { id, data }).collect()
    }
}
