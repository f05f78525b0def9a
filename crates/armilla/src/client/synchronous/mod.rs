//! Calls whose thread waits for the reply.

mod attempt;
mod call;
mod collocated;
mod intercepted;
mod locate;
mod selected;

pub(crate) use call::{call, invoke, invoke_oneway, invoke_raises, oneway_response};
pub(crate) use locate::locate;
