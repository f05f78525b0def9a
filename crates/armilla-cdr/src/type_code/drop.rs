//! Drops TypeCodes without recursion.

use super::TypeCode;
use alloc::sync::Arc;
use alloc::vec::Vec;

impl Drop for TypeCode {
    /// Frees the parts that no other TypeCode shares, in a loop. A program may nest types so deeply
    /// that recursion would overflow the stack.
    #[inline]
    fn drop(&mut self) {
        if self.has_parts() {
            drop_iteratively(self);
        }
    }
}

/// Frees the parts of `code`, from the outside in.
fn drop_iteratively(code: &mut TypeCode) {
    let mut open = Vec::new();
    code.take_parts(&mut open);
    while let Some(mut part) = open.pop() {
        part.take_parts(&mut open);
    }
}

impl TypeCode {
    /// Whether types of this kind contain other types.
    const fn has_parts(&self) -> bool {
        matches!(
            self,
            Self::Struct(_)
                | Self::Exception(_)
                | Self::Union(_)
                | Self::Sequence(..)
                | Self::Array(..)
                | Self::Alias(_)
                | Self::Value(_)
                | Self::Event(_)
                | Self::ValueBox(_)
        )
    }

    /// Moves the types that have parts out of this one, unless another TypeCode shares them.
    fn take_parts(&mut self, open: &mut Vec<Self>) {
        let mut give_up = |part: &mut Self| {
            if part.has_parts() {
                open.push(core::mem::take(part));
            }
        };
        match self {
            Self::Struct(code) | Self::Exception(code) => {
                let members = own(code).into_iter().flat_map(|code| &mut code.members);
                members.for_each(|member| give_up(&mut member.ty));
            }
            Self::Union(code) => {
                let Some(code) = own(code) else { return };
                give_up(&mut code.discriminator);
                code.cases.iter_mut().for_each(|case| give_up(&mut case.ty));
            }
            Self::Sequence(content, _) | Self::Array(content, _) => {
                own(content).into_iter().for_each(give_up);
            }
            Self::Alias(code) | Self::ValueBox(code) => {
                own(code).into_iter().for_each(|code| give_up(&mut code.ty));
            }
            Self::Value(code) | Self::Event(code) => {
                let Some(code) = own(code) else { return };
                give_up(&mut code.base);
                code.members.iter_mut().for_each(|member| give_up(&mut member.ty));
            }
            _ => {}
        }
    }
}

/// The content of `shared`, if there is no other clone. If two threads drop the last two clones at
/// the same time, both may see another one. Then the later one drops a single type by recursion,
/// and its parts are freed here again.
fn own<T>(shared: &mut Arc<T>) -> Option<&mut T> {
    // Checks the count first: most clones are not the last, and `get_mut` costs more.
    if Arc::strong_count(shared) > 1 { None } else { Arc::get_mut(shared) }
}
