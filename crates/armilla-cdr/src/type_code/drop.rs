//! Drops TypeCodes without recursion, however deep a program has nested them.

use super::TypeCode;
use alloc::sync::Arc;
use alloc::vec::Vec;

impl Drop for TypeCode {
    /// Frees what nobody else has in a loop: a program may nest types as deep as it has memory, and
    /// a stack ends long before.
    #[inline]
    fn drop(&mut self) {
        if self.has_parts() {
            drop_iteratively(self);
        }
    }
}

/// Frees what is within `code`, from the outside in.
fn drop_iteratively(code: &mut TypeCode) {
    let mut open = Vec::new();
    code.take_parts(&mut open);
    while let Some(mut part) = open.pop() {
        part.take_parts(&mut open);
    }
}

impl TypeCode {
    /// Whether other types stand within types of this kind.
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

    /// Moves the types that have parts themselves out of this one, if nobody else has it.
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

/// What `shared` holds, if nobody else has it. Two threads that give up the last two clones at once
/// may both be told that there is another; what the later one frees is one type whose parts come
/// here again.
fn own<T>(shared: &mut Arc<T>) -> Option<&mut T> {
    // A look first: most clones are not the last, and to be sure costs more.
    if Arc::strong_count(shared) > 1 { None } else { Arc::get_mut(shared) }
}
