//! The rules of a group: which member is the primary, what each remembers, and what becomes of it
//! when others fail. No sockets, threads or clocks: time is an argument, and what a member asks of
//! others goes through the traits of `world`.

pub(crate) mod codec;
mod disk;
mod durable;
mod history;
mod lease;
mod member;
mod membership;
mod promises;
mod recent;
mod record;
mod reply_log;
mod serving;
mod succession;
mod view;
mod world;

pub use history::{History, Journal, Kept};
pub use member::{Member, Role, Served, Style};
pub use membership::Admission;
pub use promises::Lease;
pub use record::{Change, Entry, Order, Position, Record, digest};
pub use reply_log::{Limits, ReplyLog};
pub use serving::{Begun, Pending, Request};
pub use view::{MemberInfo, View};
pub use world::{Clock, Failure, Peers, Refusal, Registry, State, Welcome};
