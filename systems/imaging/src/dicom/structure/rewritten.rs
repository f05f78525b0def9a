//! A data set in one encoding, whatever it came in: the parser of objects knows neither sequences
//! that are written as UN nor others in the encodings of some writers, and two files with the same
//! data set may be written in two ways.

use super::encoding::has_long_length;
use dicom_core::{Tag, VR};
use std::io::{self, Write};

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Explicit VR Little Endian, with sequences and items of undefined length.
    Explicit,
    /// The same without the kinds of values, which not all encodings tell: for comparisons only.
    Kindless,
}

/// Where a data set is written while it is walked through.
pub(super) struct Rewritten<'w> {
    to: &'w mut dyn Write,
    form: Form,
}

impl<'w> Rewritten<'w> {
    pub(super) const fn new(to: &'w mut dyn Write, form: Form) -> Self {
        Self { to, form }
    }

    pub(super) const fn form(&self) -> Form {
        self.form
    }

    pub(super) fn put(&mut self, octets: &[u8]) -> io::Result<()> {
        self.to.write_all(octets)
    }

    fn head(&mut self, tag: Tag, vr: VR, length: u32) -> io::Result<()> {
        let mut head = [0; 12];
        head[..2].copy_from_slice(&tag.0.to_le_bytes());
        head[2..4].copy_from_slice(&tag.1.to_le_bytes());
        // What is longer than its kind can tell is of unknown kind (PS3.5, 6.2.2).
        let vr = if has_long_length(vr) || length < 0x1_0000 { vr } else { VR::UN };
        let end = match self.form {
            Form::Kindless => {
                head[4..8].copy_from_slice(&length.to_le_bytes());
                8
            }
            Form::Explicit => {
                head[4..6].copy_from_slice(&vr.to_bytes());
                match has_long_length(vr) {
                    true => {
                        head[8..12].copy_from_slice(&length.to_le_bytes());
                        12
                    }
                    false => {
                        head[6..8].copy_from_slice(&length.to_le_bytes()[..2]);
                        8
                    }
                }
            }
        };
        self.put(&head[..end])
    }

    fn delimiter(&mut self, element: u16, length: u32) -> io::Result<()> {
        let mut head = [0xfe, 0xff, 0, 0, 0, 0, 0, 0];
        head[2..4].copy_from_slice(&element.to_le_bytes());
        head[4..].copy_from_slice(&length.to_le_bytes());
        self.put(&head)
    }

    /// The head of a value, which is to follow in little-endian.
    pub(super) fn begin_value(&mut self, tag: Tag, vr: VR, length: u32) -> io::Result<()> {
        self.head(tag, vr, length)
    }

    /// Items follow: those of a sequence, or encoded pixels.
    pub(super) fn begin_items(&mut self, tag: Tag, vr: VR) -> io::Result<()> {
        self.head(tag, vr, u32::MAX)
    }

    pub(super) fn end_items(&mut self) -> io::Result<()> {
        self.delimiter(0xe0dd, 0)
    }

    /// Elements follow.
    pub(super) fn begin_item(&mut self) -> io::Result<()> {
        self.delimiter(0xe000, u32::MAX)
    }

    pub(super) fn end_item(&mut self) -> io::Result<()> {
        self.delimiter(0xe00d, 0)
    }

    /// So many octets of encoded pixels follow.
    pub(super) fn begin_fragment(&mut self, length: u32) -> io::Result<()> {
        self.delimiter(0xe000, length)
    }
}
