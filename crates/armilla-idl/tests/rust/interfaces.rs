// An interface: its trait, its stubs and its skeletons for each direction and kind of parameter.

//= mod bank > trait Account > fn set_owner
/// Sets the attribute [`owner`](Self::owner).
fn set_owner(&self, value: &str) -> Result<(), codegen::SystemException>;

//= mod bank > trait Account > fn split
/// IDL operation `split`.
fn split(
    &self,
    name: &str,
    pieces: &[Part],
    rest: &mut i32,
) -> Result<(Parts, String), codegen::SystemException>;

//= mod bank > trait Account > fn servant_base
/// What answers the operations that every object has in place of the ORB: `Some(self)` of a
/// servant that is an `armilla::ServantBase`.
fn servant_base(&self) -> Option<&dyn codegen::ServantBase> {
    None
}

//= mod bank > impl Account for codegen::Ref<I> > fn balance
fn balance(&self) -> Result<f64, codegen::SystemException> {
    if let Some(done) = self
        .directly_or_lent("_get_balance", |servant| Account::balance(servant))
    {
        return done;
    }
    self.invoke("_get_balance", |_out| Ok(()), |input| input.f64())
}

//= mod bank > impl Account for codegen::Ref<I> > fn notify
fn notify(&self, n: i32, text: &str) -> Result<(), codegen::SystemException> {
    if let Some(done) = self.directly(|servant| Account::notify(servant, n, text)) {
        return done;
    }
    self.invoke_oneway(
        "notify",
        |out| {
            out.put_i32(n);
            out.borrow_string(text)
        },
    )
}

//= mod bank > impl Account for codegen::Ref<I> > fn split
fn split(
    &self,
    name: &str,
    pieces: &[Part],
    rest: &mut i32,
) -> Result<(Parts, String), codegen::SystemException> {
    if let Some(done) = self
        .directly(|servant| Account::split(servant, name, pieces, rest))
    {
        return done;
    }
    self.invoke(
            "split",
            |out| {
                out.borrow_string(name)?;
                out.put_sequence(pieces)?;
                out.put_i32(*rest);
                Ok(())
            },
            |input| Ok((
                input.sequence()?,
                input.i32()?,
                input.string().map(Into::into)?,
            )),
        )
        .map(|(result, new_rest, text)| {
            *rest = new_rest;
            (result, text)
        })
}

//= mod bank > impl Account for codegen::Ref<I> > fn locals
fn locals(
    &self,
    servant: i32,
    call: &str,
    input: i32,
    out: &mut i32,
    value: &mut i32,
    outcome: i32,
) -> Result<i32, codegen::SystemException> {
    if let Some(done) = self
        .directly(|servant_| Account::locals(
            servant_,
            servant,
            call,
            input,
            out,
            value,
            outcome,
        ))
    {
        return done;
    }
    self.invoke(
            "locals",
            |out_| {
                out_.put_i32(servant);
                out_.borrow_string(call)?;
                out_.put_i32(input);
                out_.put_i32(*out);
                out_.put_i32(*value);
                out_.put_i32(outcome);
                Ok(())
            },
            |input| Ok((input.i32()?, input.i32()?, input.i32()?)),
        )
        .map(|(new_out, result, new_value)| {
            *out = new_out;
            *value = new_value;
            result
        })
}

//= mod bank > impl codegen::Interface for dyn Account > const REPOSITORY_ID
const REPOSITORY_ID: &'static str = "IDL:example.com/Bank/Account:1.0";

//= mod bank > impl codegen::Interface for dyn Account > fn dispatch
fn dispatch(&self, call: &mut codegen::ServerCall<'_>) -> codegen::Dispatched {
    static OPERATIONS: codegen::Operations<18, 64> = codegen::Operations::new(
        <dyn Account as codegen::Interface>::OPERATIONS,
    );
    match OPERATIONS.find(call.operation()) {
        Some(number) => codegen::Interface::perform(self, number, call),
        None => call.unknown_operation(),
    }
}

//= mod bank > mod account > type Entries
/// IDL `Bank::Account::Entries`.
pub type Entries = Vec<Entry>;

//= mod bank > mod account > mod skeleton > fn set_recent
pub fn set_recent(
    servant: &dyn super::super::Account,
    call: &mut codegen::ServerCall<'_>,
) -> codegen::Dispatched {
    let input = &mut call.arguments();
    let value: super::Entries = input.bounded_sequence(10)?;
    call.reply_void(servant.set_recent(&value))
}

//= mod bank > mod account > mod skeleton > fn split
pub fn split(
    servant: &dyn super::super::Account,
    call: &mut codegen::ServerCall<'_>,
) -> codegen::Dispatched {
    let input = &mut call.arguments();
    let name = input.string()?;
    let pieces = codegen::Scratch::<super::super::Part>::read(input, None)?;
    let mut rest = input.i32()?;
    let outcome = servant.split(&name, &pieces, &mut rest);
    call.reply(
        outcome.map(|value| (value, rest)),
        |((result, text), rest), out| {
            out.put_sequence(result)?;
            out.put_i32(*rest);
            out.borrow_string(text)
        },
    )
}
