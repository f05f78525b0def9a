//! The rules of a group: which member is the primary, what each remembers, and what becomes of it
//! when others fail. No sockets, threads or clocks: time is an argument, and what a member asks of
//! others goes through the traits of `world`.

pub(crate) mod codec;
mod disk;
mod durable;
mod history;
mod member;
mod membership;
mod recent;
mod record;
mod reply_log;
mod succession;
mod view;
mod world;

pub use history::{History, Journal, Kept};
pub use member::{Member, Role, Served, Style};
pub use membership::Admission;
pub use record::{Change, Entry, Position, Record};
pub use reply_log::{Limits, ReplyLog};
pub use view::{MemberInfo, View};
pub use world::{Failure, Peers, Refusal, Registry, State, Welcome};
