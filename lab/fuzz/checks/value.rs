//! Valuetypes: whatever the octets hold, reading graphs of values ends, in values or an error.

use armilla_cdr::value::ValueHead;
use armilla_cdr::{ByteOrder, CdrResult, Decoder};
use std::sync::{Arc, Mutex};

/// A value with a text and two values that it leads to.
#[derive(Default)]
struct Node {
    text: Mutex<String>,
    branches: Mutex<[Option<Arc<Node>>; 2]>,
}

pub(crate) fn check(data: &[u8]) {
    let Some((flag, octets)) = data.split_first() else { return };
    let mut input = Decoder::new(octets, ByteOrder::from_flag(*flag));
    let mut roots = Vec::new();
    while let Ok(root) = node(&mut input) {
        roots.push(root);
        if input.remaining() == 0 {
            break;
        }
    }
    // Circles would keep themselves alive.
    roots.into_iter().flatten().for_each(|root| cut(&root));
}

/// Reads a value as the type with the id `IDL:Node:1.0`; others are cut down to it.
fn node(input: &mut Decoder<'_>) -> CdrResult<Option<Arc<Node>>> {
    let head = match input.value_head()? {
        ValueHead::Null => return Ok(None),
        ValueHead::Known(handle) => return Ok(handle.downcast().ok()),
        ValueHead::New(head) => head,
    };
    let truncated = head.ids().first().is_some_and(|id| *id != b"IDL:Node:1.0");
    let made = Arc::new(Node::default());
    input.register_value(&head, made.clone());
    let state = input.value_state(&head, truncated, |input| {
        *made.text.lock().unwrap() = input.string()?.into_owned();
        for branch in 0..2 {
            let read = node(input)?;
            made.branches.lock().unwrap()[branch] = read;
        }
        Ok(())
    });
    if state.is_err() {
        cut(&made);
    }
    state.map(|()| Some(made))
}

/// Takes a graph apart.
fn cut(node: &Node) {
    let mut open = vec![std::mem::take(&mut *node.branches.lock().unwrap())];
    while let Some(branches) = open.pop() {
        for node in branches.into_iter().flatten() {
            open.push(std::mem::take(&mut *node.branches.lock().unwrap()));
        }
    }
}
