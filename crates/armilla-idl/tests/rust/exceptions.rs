// Exceptions and what operations raise.

//= mod bank > struct NotFound
/// IDL `Bank::NotFound`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct NotFound;

//= mod bank > impl codegen::UserException for NotFound
impl codegen::UserException for NotFound {
    const REPOSITORY_ID: &'static str = "IDL:Bank/NotFound:1.0";
}

//= mod bank > struct InsufficientFunds
/// There is less than was asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InsufficientFunds {
    /// How much is missing.
    pub missing: f64,
    /// IDL `currency`.
    pub currency: String,
}

//= mod bank > mod archive > trait Ledger > fn read
/// Reads a page.
fn read(&self, page: i32) -> Result<String, codegen::Error<ledger::ReadRaises>>;

//= mod bank > mod archive > mod ledger > enum ReadRaises
/// The exceptions that `read` may raise.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadRaises {
    /// IDL exception `Bank::Archive::NotFound`.
    BankArchiveNotFound(super::NotFound),
    /// IDL exception `Bank::NotFound`.
    BankNotFound(super::super::NotFound),
    /// IDL exception `Bank::Archive::Ledger::Locked`.
    Locked(Locked),
}

//= mod bank > mod archive > mod ledger > impl codegen::Raises for ReadRaises
impl codegen::Raises for ReadRaises {
    fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
        match self {
            Self::BankArchiveNotFound(exception) => {
                codegen::encode_exception(exception, out)
            }
            Self::BankNotFound(exception) => codegen::encode_exception(exception, out),
            Self::Locked(exception) => codegen::encode_exception(exception, out),
        }
    }
    fn decode(
        repository_id: &str,
        input: &mut codegen::Decoder<'_>,
    ) -> codegen::CdrResult<Option<Self>> {
        match repository_id {
            <super::NotFound as codegen::UserException>::REPOSITORY_ID => {
                codegen::Decode::decode(input)
                    .map(|exception| Some(Self::BankArchiveNotFound(exception)))
            }
            <super::super::NotFound as codegen::UserException>::REPOSITORY_ID => {
                codegen::Decode::decode(input)
                    .map(|exception| Some(Self::BankNotFound(exception)))
            }
            <Locked as codegen::UserException>::REPOSITORY_ID => {
                codegen::Decode::decode(input)
                    .map(|exception| Some(Self::Locked(exception)))
            }
            _ => Ok(None),
        }
    }
}

//= mod bank > mod archive > mod ledger > impl From<super::super::NotFound> for ReadRaises
impl From<super::super::NotFound> for ReadRaises {
    fn from(exception: super::super::NotFound) -> Self {
        Self::BankNotFound(exception)
    }
}

//= mod bank > mod archive > mod ledger > mod skeleton > fn read
pub fn read(
    servant: &dyn super::super::Ledger,
    call: &mut codegen::ServerCall<'_>,
) -> codegen::Dispatched {
    let input = &mut call.arguments();
    let page = input.i32()?;
    call.reply(servant.read(page), |result, out| out.borrow_string(result))
}
