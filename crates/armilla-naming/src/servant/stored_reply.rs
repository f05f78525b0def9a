//! The short way of `resolve`: a reference goes into the reply as it is stored, without a value in
//! between. Whatever is not an object of this tree takes the way of [`super::contexts`], which has
//! the rules of everything else.

use super::Names;
use super::references::context_of;
use crate::model::{ReferenceOctets, Target};
use armilla::remoting::{Dispatched, ServerCall, Skeleton};
use armilla::{AnyServant, ByteOrder, CdrResult, Decoder, Encode, Encoder, SystemException};
use std::sync::Weak;

/// Sees the requests for contexts before the generated skeleton.
pub(super) struct StoredReplies(pub(super) Weak<Names>);

impl Skeleton for StoredReplies {
    fn dispatch(&self, call: &mut ServerCall<'_>, servant: &AnyServant) -> Dispatched {
        if call.operation().as_str() == "resolve"
            && let Ok(Some(reference)) = self.stored(call.arguments())
        {
            return call.reply(Ok::<_, SystemException>(reference), Encode::encode);
        }
        servant.dispatch(call)
    }
}

impl StoredReplies {
    /// The reference to the object that the arguments name; `None` if the generated skeleton has to
    /// serve the request. Nothing is allocated.
    fn stored(&self, mut arguments: Decoder<'_>) -> CdrResult<Option<StoredReference>> {
        let Some(names) = self.0.upgrade() else { return Ok(None) };
        if names.rules.restrict() {
            return Ok(None);
        }
        let Ok(current) = names.orb.poa_current() else { return Ok(None) };
        let Some(mut context) = context_of(current.object_id()) else { return Ok(None) };
        let mut key = KeyText::default();
        let tree = names.store.read();
        let components = arguments.length()?;
        for behind in (0..components.min(tree.limits().name_components)).rev() {
            let (id, kind) = (arguments.string()?, arguments.string()?);
            let bound = key.set(&id, &kind).and_then(|key| tree.find(context, key));
            match bound.map(|bound| &bound.target) {
                Some(Target::Context(next)) if behind > 0 => context = *next,
                Some(Target::Object(octets)) if behind == 0 => {
                    return Ok(Some(StoredReference(octets.clone())));
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// The key of a component, as [`Step`](crate::model::Step) has it, in memory of its own.
struct KeyText([u8; 256]);

impl Default for KeyText {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl KeyText {
    /// The key of these texts, in which CDR allows no NUL; `None` if it is too long.
    fn set(&mut self, id: &str, kind: &str) -> Option<&str> {
        let len = id.len() + 1 + kind.len();
        let key = self.0.get_mut(..len)?;
        key[..id.len()].copy_from_slice(id.as_bytes());
        key[id.len()] = 0;
        key[id.len() + 1..].copy_from_slice(kind.as_bytes());
        str::from_utf8(key).ok()
    }
}

/// A stored reference. Its octets go into the reply part by part, because the reply may have
/// another byte order, alignment or code set; profiles are copied whole.
struct StoredReference(ReferenceOctets);

impl Encode for StoredReference {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        let mut input = Decoder::new(self.0.as_bytes(), ByteOrder::Big);
        out.put_string(&input.string()?)?;
        let profiles = input.length()?;
        out.put_length(profiles)?;
        for _ in 0..profiles {
            out.put_u32(input.u32()?);
            out.copy_octets(input.octets()?)?;
        }
        Ok(())
    }
}
