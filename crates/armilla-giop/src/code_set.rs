//! Code sets: the context that states them and how a client chooses (CORBA 3.4 Part 2, 7.10).

use crate::ServiceContext;
use crate::ior::CodeSetComponent;
use crate::service_context::CODE_SETS_CONTEXT;
use armilla_cdr::{ByteOrder, CdrResult, CodeSet, Decoder};

/// The code sets of a connection, by their registry numbers, as the client states them with its
/// requests. 0 stands for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeSetContext {
    /// For `char` and `string`.
    pub char: u32,
    /// For `wchar` and `wstring`.
    pub wchar: u32,
}

impl CodeSetContext {
    /// The data of the service context.
    pub fn encode(self) -> [u8; 12] {
        let mut data = [ByteOrder::NATIVE.flag(); 12];
        data[1..4].fill(0);
        data[4..8].copy_from_slice(&self.char.to_ne_bytes());
        data[8..].copy_from_slice(&self.wchar.to_ne_bytes());
        data
    }

    /// A service context with `data`, which [`encode`](Self::encode) made.
    pub const fn service_context(data: &[u8; 12]) -> ServiceContext<'_> {
        ServiceContext { id: CODE_SETS_CONTEXT, data }
    }

    /// Reads the data of the service context.
    ///
    /// # Errors
    /// When it ends too early.
    #[inline]
    pub fn decode(data: &[u8]) -> CdrResult<Self> {
        let mut input = Decoder::new(data, ByteOrder::Big);
        let order = ByteOrder::from_flag(input.u8()?);
        let mut input = Decoder::at(data, 1, order);
        Ok(Self { char: input.u32()?, wchar: input.u32()? })
    }
}

/// Chooses in which code set the strings to a server travel, for a client that has `native` and
/// converts to and from every other [`CodeSet`].
///
/// A server whose profile says nothing (IIOP 1.0, or no component) is taken to want ISO 8859-1.
/// When nothing fits the answer is UTF-8, which every server since CORBA 2.1 understands.
pub fn choose_char_code_set(server: Option<&CodeSetComponent>, native: CodeSet) -> CodeSet {
    let Some(server) = server else { return CodeSet::Iso8859_1 };
    if server.native == native.id() {
        return native;
    }
    let both = [server.native].into_iter().chain(server.conversion.iter().copied());
    CodeSet::from_id(server.native)
        .or_else(|| both.clone().any(|id| id == native.id()).then_some(native))
        .or_else(|| both.clone().find_map(CodeSet::from_id))
        .unwrap_or(CodeSet::Utf8)
}
