//! Service contexts, as interceptors read and add them.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use armilla_giop::{ServiceContext, ServiceContexts};
use smallvec::SmallVec;
use std::fmt;

/// The service contexts of a request or a reply, by id (CORBA 3.4 Part 2, 9.7). The owner of an id
/// defines the contents. For ids of the OMG these are an encapsulation, which a
/// [`Codec`](crate::interceptor::Codec) encodes and decodes.
#[derive(Clone, Default)]
pub struct Contexts {
    /// Of each context its id, the length of its data, and the data: one piece of memory for all.
    octets: Vec<u8>,
}

/// The octets of an id and a length.
const HEAD: usize = 8;

impl Contexts {
    /// The data of the context with this id.
    pub fn get(&self, id: u32) -> Option<&[u8]> {
        self.iter().find(|(known, _)| *known == id).map(|(_, data)| data)
    }

    /// All contexts, in the order in which they are sent.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut rest = &self.octets[..];
        std::iter::from_fn(move || {
            let (head, behind) = rest.split_first_chunk::<HEAD>()?;
            let [a, b, c, d, length @ ..] = *head;
            let length = u32::from_ne_bytes(length) as usize;
            let (data, behind) = behind.split_at_checked(length)?;
            rest = behind;
            Some((u32::from_ne_bytes([a, b, c, d]), data))
        })
    }

    /// Whether there are no contexts.
    pub const fn is_empty(&self) -> bool {
        self.octets.is_empty()
    }

    pub(crate) fn received(contexts: &ServiceContexts<'_>) -> Self {
        let mut all = Self::default();
        let length = contexts.iter().map(|context| HEAD + context.data.len()).sum();
        all.octets.reserve_exact(length);
        // What was received in one message has a length that fits.
        contexts.iter().for_each(|context| all.push(context.id, context.data));
        all
    }

    fn push(&mut self, id: u32, data: &[u8]) {
        self.octets.reserve(HEAD + data.len());
        self.octets.extend_from_slice(&id.to_ne_bytes());
        self.octets.extend_from_slice(&(data.len() as u32).to_ne_bytes());
        self.octets.extend_from_slice(data);
    }

    pub(crate) fn add(
        &mut self,
        id: u32,
        data: &[u8],
        replace: bool,
    ) -> Result<(), SystemException> {
        if u32::try_from(data.len()).is_err() {
            let what = format!("the service context {id:#x} has {} octets", data.len());
            return Err(ExceptionKind::ImpLimit.because(what));
        }
        match self.get(id) {
            None => self.push(id, data),
            Some(_) if replace => {
                let others = std::mem::take(self);
                // It stays in its place.
                for (known, before) in others.iter() {
                    self.push(known, if known == id { data } else { before });
                }
            }
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

    pub(crate) fn to_send(&self) -> SmallVec<[ServiceContext<'_>; 3]> {
        self.iter().map(|(id, data)| ServiceContext { id, data }).collect()
    }
}

impl fmt::Debug for Contexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_keep_their_order_when_one_is_replaced() {
        let mut contexts = Contexts::default();
        assert!(contexts.is_empty());
        for (id, data) in [(7, &b"seven"[..]), (0, b""), (0xDEAD_BEEF, b"arjuna")] {
            contexts.add(id, data, false).unwrap();
        }
        assert_eq!(contexts.get(0), Some(&b""[..]));
        let again = contexts.add(7, b"other", false).unwrap_err();
        assert_eq!(again.minor(), Minor::BAD_INV_ORDER_SERVICE_CONTEXT_EXISTS);
        contexts.add(7, b"longer than before", true).unwrap();
        let expected =
            [(7, &b"longer than before"[..]), (0, b""), (0xDEAD_BEEF, b"arjuna")].to_vec();
        assert_eq!(contexts.iter().collect::<Vec<_>>(), expected);
        let sent = contexts.to_send();
        assert_eq!(sent.iter().map(|it| (it.id, it.data)).collect::<Vec<_>>(), expected);
        assert_eq!(contexts.get(8), None);
    }
}
