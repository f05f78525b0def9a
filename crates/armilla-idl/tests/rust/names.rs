// Identifiers that are keywords of Rust or names of the runtime, and parameters of generated code.

//= mod r#match > struct Type
/// IDL `match::type`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Type {
    /// IDL `fn`.
    pub r#fn: i32,
    /// IDL `interface`.
    pub interface: String,
    /// IDL `self`.
    pub self_: i32,
}

//= mod r#match > enum Choice
/// IDL `match::Choice`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u32)]
pub enum Choice {
    /// IDL `Self`.
    #[default]
    Self_,
    /// IDL `Async`.
    Async,
}

//= mod r#match > type TtcpSequence
/// IDL `match::TTCP_Sequence`.
pub type TtcpSequence = Vec<Type>;

//= mod r#match > trait HttpServer > fn r#yield
/// Reads the attribute `yield`.
fn r#yield(&self) -> Result<i32, codegen::SystemException>;

//= mod r#match > trait HttpServer > fn clone_
/// IDL operation `clone`.
fn clone_(&self) -> Result<(), codegen::SystemException>;

//= mod r#match > trait HttpServer > fn new
/// IDL operation `new`.
#[allow(clippy::new_ret_no_self, clippy::wrong_self_convention)]
fn new(&self) -> Result<(), codegen::SystemException>;

//= mod r#match > impl I for codegen::Ref<I_>
impl<I_: I + codegen::Interface + ?Sized> I for codegen::Ref<I_> {
    #[allow(clippy::redundant_closure)]
    fn next(&self, other: &O) -> Result<IRef, codegen::SystemException> {
        if let Some(done) = self.directly(|servant| I::next(servant, other)) {
            return done;
        }
        self.invoke(
            "next",
            |out| codegen::Encode::encode(other, out),
            |input| codegen::Decode::decode(input),
        )
    }
}

//= mod codegen_ > type Result_
/// IDL `codegen::Result`.
pub type Result_ = i32;

//= impl ::armilla::codegen::Encode for Top
impl ::armilla::codegen::Encode for Top {
    fn encode<'p>(
        &'p self,
        out: &mut ::armilla::codegen::Encoder<'p>,
    ) -> ::armilla::codegen::CdrResult {
        out.put_i32(self.x);
        out.put_sequence(&self.y)
    }
}

//= mod deep > mod deep2 > struct Far
/// IDL `Deep::Deep2::Far`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Far {
    /// IDL `there`.
    pub there: super::super::r#match::Type,
    /// IDL `result`.
    pub result: super::super::codegen_::Result_,
    /// IDL `top`.
    pub top: super::super::Top,
}

//= trait TopLevel > fn top
/// IDL operation `top`.
fn top(
    &self,
    far: &deep::deep2::Far,
) -> Result<Top, ::armilla::codegen::Error<top_level::TopRaises>>;
