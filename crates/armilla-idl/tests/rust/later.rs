// Servants that reply later: the second trait, its dispatch and its skeletons.

//= mod bank > trait AccountLater
/// Servants of [`Account`] that may reply later. What is not implemented here is what the method of [`Account`] returns.
pub trait AccountLater: Account + NamedLater {
    /// `withdraw`, with the reply whenever `reply` is completed.
    fn withdraw_later(
        &self,
        amount: f64,
        reply: rt::ReplyHandle<(), rt::Error<account::WithdrawRaises>>,
    ) {
        reply.complete(self.withdraw(amount));
    }
    /// `split`, with the reply whenever `reply` is completed.
    fn split_later(
        &self,
        reply: &str,
        rest: &str,
        pieces: &[Entry],
        n: i32,
        e: &Entry,
        reply_: rt::ReplyHandle<(Entries, String, Entries, i32, Entry, rt::WString)>,
    ) {
        let mut rest: String = rest.into();
        let mut pieces = pieces.to_owned();
        let mut n = n;
        let mut e = e.to_owned();
        reply_
            .complete(
                self
                    .split(reply, &mut rest, &mut pieces, &mut n, &mut e)
                    .map(|(result, text)| (result, rest, pieces, n, e, text)),
            );
    }
}

//= mod bank > impl rt::Interface for dyn AccountLater > fn perform
#[inline]
fn perform(&self, number: usize, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
    match number {
        0 => account::skeleton_later::withdraw(self, call),
        1 => account::skeleton_later::split(self, call),
        2 => account::skeleton::notify(self, call),
        3 => named::skeleton_later::name(self, call),
        _ => call.unknown_operation(),
    }
}

//= mod bank > mod account > fn tie_later
/// Ties a servant that may reply later to the skeleton of [`Account`](super::Account), for an object adapter.
pub fn tie_later(
    servant: impl super::AccountLater,
) -> ::std::sync::Arc<dyn super::AccountLater> {
    ::std::sync::Arc::new(servant)
}

//= mod bank > mod account > mod skeleton_later > fn withdraw
pub fn withdraw<T: super::super::AccountLater + ?Sized>(
    servant: &T,
    call: &mut rt::ServerCall<'_>,
) -> rt::Dispatched {
    let input = &mut call.arguments();
    let amount = input.f64()?;
    servant.withdraw_later(amount, call.later(|(), _out| Ok(())));
    Ok(())
}

//= mod bank > trait MarkerLater
/// Servants of [`Marker`] that may reply later. What is not implemented here is what the method of [`Marker`] returns.
pub trait MarkerLater: Marker {}
