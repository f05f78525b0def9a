//! The short way of `resolve`: a reference goes into the reply as it is stored, without a value in
//! between. Whatever is not an object of this tree takes the way of [`super::contexts`], which has
//! the rules of everything else.

use super::Names;
use super::references::context_of;
use crate::model::{ContextId, ReferenceOctets, Target};
use armilla::remoting::{Dispatched, ServerCall, Skeleton};
use armilla::{AnyServant, ByteOrder, CdrResult, Decoder, Encode, Encoder, SystemException};
use std::sync::Weak;

/// Sees the requests for contexts before the generated skeleton.
pub(super) struct StoredReplies {
    pub(super) names: Weak<Names>,
    /// The context that the servant incarnates; `None` if the object id of each request tells.
    pub(super) context: Option<ContextId>,
}

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
        let Some(names) = self.names.upgrade() else { return Ok(None) };
        if names.rules.current().restrict() || names.is_in_transaction() {
            return Ok(None);
        }
        let asked = self.context.or_else(|| context_of(names.orb.poa_current().ok()?.object_id()));
        let Some(mut context) = asked else { return Ok(None) };
        let tree = names.store.read();
        let components = arguments.length()?;
        for behind in (0..components.min(tree.limits().name_components)).rev() {
            let (id, kind) = (arguments.string()?, arguments.string()?);
            match tree.find(context, &id, &kind).map(|bound| &bound.target) {
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
