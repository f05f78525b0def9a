// Attributes that raise exceptions, contexts, sized integers, sequences of numbers.

//= mod extras > enum Small
/// IDL `Extras::Small`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Small {
    /// IDL `minus`, selected by `-1`.
    Minus(i32),
    /// IDL `other`, selected by all other discriminators.
    Other {
        /// The discriminator, one of those that select this member.
        discriminator: i8,
        /// The member.
        value: i32,
    },
}

//= mod extras > trait Device > fn level
/// Reads the attribute `level`.
fn level(&self) -> Result<i32, codegen::Error<device::LevelGetRaises>>;

//= mod extras > trait Device > fn text
/// Reads the attribute `text`.
fn text(&self) -> Result<String, codegen::Error<device::TextGetRaises>>;

//= mod extras > trait Device > fn mix
/// IDL operation `mix`.
fn mix(
    &self,
    given: i8,
    kept: &mut u8,
    raw: &[u8],
    values: &[i8],
) -> Result<i8, codegen::SystemException>;

//= mod extras > impl Device for codegen::Ref<I> > fn run
fn run(
    &self,
    program: &str,
    context: &codegen::Context,
) -> Result<i32, codegen::SystemException> {
    if let Some(done) = self
        .directly(|servant| Device::run(
            servant,
            program,
            &context.as_it_travels(&["PATH", "HOME*"]),
        ))
    {
        return done;
    }
    self.invoke(
        "run",
        |out| {
            out.borrow_string(program)?;
            context.write(&["PATH", "HOME*"], out)
        },
        |input| input.i32(),
    )
}

//= mod extras > mod device > enum TextSetRaises
/// The exceptions that `text` may raise.
#[derive(Debug, Clone, PartialEq)]
pub enum TextSetRaises {
    /// IDL exception `Extras::Unwritable`.
    Unwritable(super::Unwritable),
    /// IDL exception `Extras::Unreadable`.
    Unreadable(super::Unreadable),
}

//= mod extras > mod device > mod skeleton > fn run
pub fn run(
    servant: &dyn super::super::Device,
    call: &mut codegen::ServerCall<'_>,
) -> codegen::Dispatched {
    let input = &mut call.arguments();
    let program = input.string()?;
    let context = codegen::Context::read(input)?;
    call.reply(
        servant.run(&program, &context),
        |result, out| {
            out.put_i32(*result);
            Ok(())
        },
    )
}
