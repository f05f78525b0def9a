// Asynchronous forms of operations and attributes: parameters of all directions, exceptions, and
// name conflicts.

//= mod bank > trait Account > fn split_async
/// [`split`](Self::split) without waiting for the reply.
fn split_async(
    &self,
    name: &str,
    rest: &str,
    pieces: &[Entry],
    n: i32,
    e: &Entry,
) -> codegen::ReplyFuture<(Entries, String, Entries, i32, Entry, codegen::WString)> {
    let mut rest: String = rest.into();
    let mut pieces = pieces.to_owned();
    let mut n = n;
    let mut e = e.to_owned();
    codegen::ReplyFuture::ready(
        self
            .split(name, &mut rest, &mut pieces, &mut n, &mut e)
            .map(|(result, text)| (result, rest, pieces, n, e, text)),
    )
}

//= mod bank > trait Account > fn bump_async
/// [`bump`](Self::bump) without waiting for the reply.
fn bump_async(&self, result: i32) -> codegen::ReplyFuture<i32> {
    let mut result = result;
    codegen::ReplyFuture::ready(self.bump(&mut result).map(|()| result))
}

//= mod bank > trait Account > fn stop_async_
/// [`stop`](Self::stop) without waiting for the reply.
fn stop_async_(&self) -> codegen::ReplyFuture<()> {
    codegen::ReplyFuture::ready(self.stop())
}

//= mod bank > trait Account > fn stop_async_async
/// [`stop_async`](Self::stop_async) without waiting for the reply.
fn stop_async_async(&self) -> codegen::ReplyFuture<()> {
    codegen::ReplyFuture::ready(self.stop_async())
}

//= mod bank > impl Account for codegen::Ref<I> > fn balance_async
fn balance_async(&self) -> codegen::ReplyFuture<f64> {
    if let Some(stub) = self.factory_stub() {
        return Account::balance_async(stub);
    }
    self.invoke_async("_get_balance", |_out| Ok(()), |input| input.f64())
}

//= mod bank > impl Account for codegen::Ref<I> > fn split_async
fn split_async(
    &self,
    name: &str,
    rest: &str,
    pieces: &[Entry],
    n: i32,
    e: &Entry,
) -> codegen::ReplyFuture<(Entries, String, Entries, i32, Entry, codegen::WString)> {
    if let Some(stub) = self.factory_stub() {
        return Account::split_async(stub, name, rest, pieces, n, e);
    }
    self.invoke_async(
        "split",
        |out| {
            out.borrow_string(name)?;
            out.borrow_string(rest)?;
            out.put_sequence(pieces)?;
            out.put_i32(n);
            codegen::Encode::encode(e, out)
        },
        |input| Ok((
            input.sequence()?,
            input.string().map(Into::into)?,
            input.sequence()?,
            input.i32()?,
            codegen::Decode::decode(input)?,
            input.wstring().map(Into::into)?,
        )),
    )
}

//= mod bank > trait Guard
/// IDL interface `Bank::Guard`.
pub trait Guard: Send + Sync + 'static {
    /// IDL operation `check`.
    fn check(&self) -> Result<(), codegen::SystemException>;
}

//= mod bank > trait Account > fn from_async
/// [`from`](Self::from) without waiting for the reply.
#[allow(clippy::wrong_self_convention)]
fn from_async(&self) -> codegen::ReplyFuture<()> {
    codegen::ReplyFuture::ready(self.from())
}
