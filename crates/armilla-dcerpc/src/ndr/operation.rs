//! Operations of interfaces, as types.

use super::decoder::Decoder;
use super::encoder::Encoder;
use super::error::NdrError;
use crate::order::ByteOrder;
use crate::uuid::SyntaxId;
use alloc::vec::Vec;

/// The parameters of an operation in one direction: each is written with all that it points at
/// before the next one. [`ndr_parameters!`](crate::ndr_parameters) implements it.
pub trait Parameters: Sized {
    /// Writes them one after the other.
    ///
    /// # Errors
    ///
    /// If something has more elements than 32 bits count.
    fn write_parameters(&self, out: &mut Encoder) -> Result<(), NdrError>;

    /// Reads them one after the other.
    ///
    /// # Errors
    ///
    /// If the octets end, or are no such values.
    fn read_parameters(input: &mut Decoder<'_>) -> Result<Self, NdrError>;

    /// The stub of a request or response.
    ///
    /// # Errors
    ///
    /// If something has more elements than 32 bits count.
    fn to_stub(&self, order: ByteOrder) -> Result<Vec<u8>, NdrError> {
        let mut out = Encoder::new(order);
        self.write_parameters(&mut out)?;
        Ok(out.into_octets())
    }

    /// The parameters in a stub. What follows them is ignored, because some peers add octets.
    ///
    /// # Errors
    ///
    /// If the octets end, or are no such values.
    fn from_stub(stub: &[u8], order: ByteOrder) -> Result<Self, NdrError> {
        Self::read_parameters(&mut Decoder::new(stub, order))
    }
}

/// No parameters.
impl Parameters for () {
    fn write_parameters(&self, _: &mut Encoder) -> Result<(), NdrError> {
        Ok(())
    }

    fn read_parameters(_: &mut Decoder<'_>) -> Result<Self, NdrError> {
        Ok(())
    }
}

/// An operation of an interface. [`ndr_interface!`](crate::ndr_interface) implements it.
pub trait Operation {
    /// The interface.
    const INTERFACE: SyntaxId;
    /// The number of the operation within it.
    const OPNUM: u16;
    /// What the request carries.
    type In: Parameters;
    /// What the response carries.
    type Out: Parameters;
}
