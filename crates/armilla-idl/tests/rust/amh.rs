// Servants that reply later: the second trait, its dispatch and its skeletons.

//= mod bank > trait AmhAccount
/// Servants of [`Account`] that may reply later. What is not implemented here is what the method of [`Account`] returns.
pub trait AmhAccount: Account + AmhNamed {
    /// `withdraw`, with the reply whenever `reply` is completed.
    fn withdraw_amh(
        &self,
        amount: f64,
        reply: codegen::ResponseHandler<(), codegen::Error<account::WithdrawRaises>>,
    ) {
        reply.complete(self.withdraw(amount));
    }
    /// `split`, with the reply whenever `reply` is completed.
    fn split_amh(
        &self,
        reply: &str,
        rest: &str,
        pieces: &[Entry],
        n: i32,
        e: &Entry,
        reply_: codegen::ResponseHandler<
            (Entries, String, Entries, i32, Entry, codegen::WString),
        >,
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

//= mod bank > impl codegen::Interface for dyn AmhAccount > fn perform
#[inline(always)]
fn perform(
    &self,
    number: usize,
    call: &mut codegen::ServerCall<'_>,
) -> codegen::Dispatched {
    match number {
        0 => account::skeleton_amh::withdraw(self, call),
        1 => account::skeleton_amh::split(self, call),
        2 => account::skeleton::notify(self, call),
        3 => named::skeleton_amh::name(self, call),
        _ => call.unknown_operation(),
    }
}

//= mod bank > mod account > fn tie_amh
/// Ties a servant that may reply later to the skeleton of [`Account`](super::Account), for an object adapter.
pub fn tie_amh(
    servant: impl super::AmhAccount,
) -> ::std::sync::Arc<dyn super::AmhAccount> {
    ::std::sync::Arc::new(servant)
}

//= mod bank > mod account > mod skeleton_amh > fn withdraw
pub fn withdraw(
    servant: &dyn super::super::AmhAccount,
    call: &mut codegen::ServerCall<'_>,
) -> codegen::Dispatched {
    let input = &mut call.arguments();
    let amount = input.f64()?;
    servant.withdraw_amh(amount, call.response_handler(|(), _out| Ok(())));
    Ok(())
}

//= mod bank > trait AmhMarker
/// Servants of [`Marker`] that may reply later. What is not implemented here is what the method of [`Marker`] returns.
pub trait AmhMarker: Marker {}

//= mod bank > trait AmhAmhMarker2
/// Servants of [`AmhMarker2`] that may reply later. What is not implemented here is what the method of [`AmhMarker2`] returns.
pub trait AmhAmhMarker2: AmhMarker2 {
    /// `six`, with the reply whenever `reply` is completed.
    #[allow(clippy::too_many_arguments)]
    fn six_amh(
        &self,
        a: i32,
        b: i32,
        c: i32,
        d: i32,
        e: i32,
        f: i32,
        reply: codegen::ResponseHandler<i32>,
    ) {
        reply.complete(self.six(a, b, c, d, e, f));
    }
}

//= mod bank > trait AmhOdd
/// Servants of [`Odd`] that may reply later. What is not implemented here is what the method of [`Odd`] returns.
pub trait AmhOdd: Odd {
    /// `from`, with the reply whenever `reply` is completed.
    #[allow(clippy::wrong_self_convention)]
    fn from_amh(&self, reply: codegen::ResponseHandler<()>) {
        reply.complete(self.from());
    }
    /// `turn`, with the reply whenever `reply` is completed.
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn turn_amh(
        &self,
        a: &[Vec<Vec<i32>>],
        b: &[Vec<Vec<i32>>],
        c: &[Vec<Vec<i32>>],
        d: &[Vec<Vec<i32>>],
        e: &[Vec<Vec<i32>>],
        f: &[Vec<Vec<i32>>],
        reply: codegen::ResponseHandler<
            (odd::Deep, odd::Deep, odd::Deep, odd::Deep, odd::Deep, odd::Deep, odd::Deep),
        >,
    ) {
        let mut a = a.to_owned();
        let mut b = b.to_owned();
        let mut c = c.to_owned();
        let mut d = d.to_owned();
        let mut e = e.to_owned();
        let mut f = f.to_owned();
        reply
            .complete(
                self
                    .turn(&mut a, &mut b, &mut c, &mut d, &mut e, &mut f)
                    .map(|result| (result, a, b, c, d, e, f)),
            );
    }
}
