//! The codec of service contexts and tagged components (CORBA 3.4 Part 1, 13.7).

use crate::exception::{Completion, Minor, SystemException};
use crate::runtime::Orb;
use armilla_cdr::{
    Any, ByteOrder, CdrError, CdrErrorKind, CodeSet, CodeSets, Context, Decode, Decoder, Encode,
    Encoder, TypeCode,
};
use armilla_giop::Version;

/// Encodes values as CDR encapsulations of one version of GIOP, and decodes them: the
/// specification's `Codec` with the format `ENCODING_CDR_ENCAPS`. Strings are UTF-8 and wide
/// strings UTF-16, unless [other code sets](Self::with_code_sets) are chosen.
///
/// ```
/// use armilla::interceptor::Codec;
/// use armilla::{Any, Version};
///
/// let codec = Codec::new(Version::V1_2);
/// let octets = codec.encode(&Any::new("Vega")?)?;
/// assert_eq!(codec.decode(&octets)?.get::<String>()?, Some("Vega".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Codec {
    version: Version,
    code_sets: CodeSets,
}

impl Codec {
    /// A codec for a version of GIOP from 1.0 to 1.2.
    #[doc(alias = "create_codec")]
    pub const fn new(version: Version) -> Self {
        Self { version, code_sets: CodeSets::with_utf_16(CodeSet::Utf8) }
    }

    /// This codec with the code set `char` for strings and `wchar` for wide strings:
    /// `create_codec_with_codesets`. Both ends must use the same code sets.
    ///
    /// ```
    /// use armilla::interceptor::Codec;
    /// use armilla::{Any, CodeSet, Version};
    ///
    /// let codec = Codec::new(Version::V1_2);
    /// let codec = codec.with_code_sets(CodeSet::Iso8859_1, CodeSet::Utf16)?;
    /// assert!(codec.encode_value(&Any::new("Zoë")?)?.ends_with(b"Zo\xeb\0"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` when `char` is a code set for wide characters or one that this program cannot
    /// convert, or when `wchar` is not for wide characters: the specification's
    /// `UnsupportedCodeset`.
    #[doc(alias = "create_codec_with_codesets")]
    pub fn with_code_sets(self, char: CodeSet, wchar: CodeSet) -> Result<Self, SystemException> {
        let code_sets = CodeSets { char, wchar: Some(wchar), ..self.code_sets };
        let refused = |what| Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
        if char.is_wide() || CodeSet::from_id(char.id()).is_none() {
            return refused(format!("a codec cannot have {char} for `char` and `string`"));
        }
        if !wchar.is_wide() {
            return refused(format!("a codec cannot have {wchar} for `wchar` and `wstring`"));
        }
        Ok(Self { code_sets, ..self })
    }

    /// Encodes the type and the value as an encapsulation.
    ///
    /// # Errors
    /// `BAD_PARAM` or `MARSHAL` when the version cannot express the value.
    pub fn encode(&self, value: &Any) -> Result<Vec<u8>, SystemException> {
        self.pack(|out| value.encode(out))
    }

    /// Encodes the value alone as an encapsulation, for a reader that knows its type.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_value(&self, value: &Any) -> Result<Vec<u8>, SystemException> {
        self.pack(|out| value.write(out))
    }

    /// Decodes an encapsulation that [`encode`](Self::encode) made.
    ///
    /// # Errors
    /// `MARSHAL` when the octets are not one: the specification's `FormatMismatch`.
    pub fn decode(&self, octets: &[u8]) -> Result<Any, SystemException> {
        self.unpack(octets, &(), |input| Any::read(TypeCode::decode(input)?, input))
    }

    /// As [`decode`](Self::decode), in the context of an ORB. The ORB provides the types of
    /// [values](crate::Orb::register_value) that the TypeCode does not describe.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_with_context(&self, octets: &[u8], orb: &Orb) -> Result<Any, SystemException> {
        self.unpack(octets, orb, |input| Any::read(TypeCode::decode(input)?, input))
    }

    /// Decodes an encapsulation that [`encode_value`](Self::encode_value) made of a value of this
    /// type.
    ///
    /// # Errors
    /// `MARSHAL` when the octets are not one: the specification's `FormatMismatch` or
    /// `TypeMismatch`.
    pub fn decode_value(&self, octets: &[u8], of: &TypeCode) -> Result<Any, SystemException> {
        self.unpack(octets, &(), |input| Any::read(of.clone(), input))
    }

    /// As [`decode_value`](Self::decode_value), in the context of an ORB.
    ///
    /// # Errors
    /// As [`decode_value`](Self::decode_value).
    pub fn decode_value_within(
        &self,
        octets: &[u8],
        of: &TypeCode,
        orb: &Orb,
    ) -> Result<Any, SystemException> {
        self.unpack(octets, orb, |input| Any::read(of.clone(), input))
    }

    fn pack<'p>(
        &self,
        fill: impl Fn(&mut Encoder<'p>) -> Result<(), CdrError>,
    ) -> Result<Vec<u8>, SystemException> {
        let mut out = Encoder::with_code_sets(Vec::new(), ByteOrder::NATIVE, self.code_sets);
        out.set_wide_format(self.version.wide_format());
        let whole = |out: &mut Encoder<'p>| {
            out.truncate(0);
            out.put_u8(out.order().flag());
            fill(out)
        };
        whole(&mut out)
            .or_else(|error| out.with_other_order(error, whole))
            .map_err(|error| SystemException::encoding(&error, Completion::No))?;
        Ok(out.to_vec())
    }

    fn unpack(
        &self,
        octets: &[u8],
        context: &dyn Context,
        read: impl FnOnce(&mut Decoder<'_>) -> Result<Any, CdrError>,
    ) -> Result<Any, SystemException> {
        let malformed = |error| SystemException::decoding(&error, Completion::No);
        let Some(flag) = octets.first() else {
            let what = "an encapsulation lacks its byte order";
            return Err(malformed(CdrError::new(CdrErrorKind::Invalid(what))));
        };
        let input = Decoder::at(octets, 1, ByteOrder::from_flag(*flag));
        let input = input.with_code_sets(self.code_sets).with_context(context);
        let mut input = input.with_wide_format(self.version.wide_format());
        read(&mut input).map_err(malformed)
    }
}
