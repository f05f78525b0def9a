//! Whether the lengths in a DICOM object fit into it (PS3.5, chapter 7 and annex A). The parser
//! reserves and fills what a length says before it reads, so hostile lengths are found here, before
//! it sees any: in time linear in the octets, with memory for the nesting only.

use super::{DicomError, failed};
use dicom_core::dictionary::{DataDictionary, DataDictionaryEntry};
use dicom_core::{Tag, VR};
use dicom_dictionary_std::{StandardDataDictionary, tags, uids};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek as _, SeekFrom};
use std::path::Path;

/// The deepest nesting of sequences and items.
const DEEPEST: usize = 64;

/// The longest value of an object whose octets are compressed, so that nobody knows how many follow.
const LONGEST: u64 = 16 << 20;

/// The most octets of a compressed object as they are.
const MOST_INFLATED: u64 = 1 << 30;

/// The most items of encoded pixels whose places are noted.
const MOST_ITEMS: usize = 1 << 20;

/// How much of the beginning of an object is read into memory: the elements before `end`, so many
/// octets, elements and items at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beginning {
    pub(super) end: Tag,
    octets: u64,
    entries: u64,
}

impl Beginning {
    /// What is searched for. Whatever is private or may be long comes behind it.
    pub(super) const DESCRIPTION: Self =
        Self { end: Tag(0x0029, 0), octets: 16 << 20, entries: 1 << 17 };
    /// All attributes but pixels.
    pub(super) const ATTRIBUTES: Self =
        Self { end: Tag(0x7fe0, 0), octets: 64 << 20, entries: 1 << 20 };
}

const UNDEFINED: u32 = u32::MAX;

/// Places in a file: where each begins, and where the octets behind it do.
pub(super) type Places = Vec<(u64, u64)>;

/// Checks a file with its head (PS3.10, chapter 7), and that memory has room for its beginning.
/// Returns the places of what the parser does not know: sequences that are written as UN, which are
/// in another encoding than what is around them (PS3.5, 6.2.2).
pub(super) fn check_file(path: &Path) -> Result<Places, DicomError> {
    walk_file(path, Beginning::DESCRIPTION, None)
}

/// Checks that memory has room for the attributes of a file, and returns the same for what stands
/// before a tag.
pub(super) fn check_attributes(path: &Path, until: Tag) -> Result<Places, DicomError> {
    walk_file(path, Beginning::ATTRIBUTES, Some(until))
}

fn walk_file(path: &Path, beginning: Beginning, until: Option<Tag>) -> Result<Places, DicomError> {
    let (mut walker, syntax) = open(path)?;
    if syntax == uids::DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN {
        let Walker { from, encoding, .. } = walker;
        let inflated = Inflated(flate2::bufread::DeflateDecoder::new(from));
        let mut walker = Walker::new(inflated, 0, u64::MAX, encoding);
        walker.beginning = Some(beginning);
        walker.walk(until)?;
        return match walker.unknown.is_empty() {
            true => Ok(Places::new()),
            false => {
                Err(DicomError("it has sequences of unknown kind, and is deflated".to_owned()))
            }
        };
    }
    walker.begin(Encoding::of(&syntax));
    walker.beginning = Some(beginning);
    walker.walk(until)?;
    Ok(walker.unknown)
}

/// Where the pixels of a file are.
#[derive(Debug)]
pub(super) enum Pixels {
    /// As they are: place and length in the file, and their kind.
    Native { at: u64, length: u64, vr: VR },
    /// Encoded: place and length of each item, of which the first one is the offset table.
    Fragments(Vec<(u64, u64)>),
}

/// Finds the pixels of a file; `None` if there are none or nobody can tell where they are.
pub(super) fn find_pixels(path: &Path) -> Result<Option<Pixels>, DicomError> {
    let (mut walker, syntax) = open(path)?;
    if syntax == uids::DEFLATED_EXPLICIT_VR_LITTLE_ENDIAN {
        return Ok(None);
    }
    walker.begin(Encoding::of(&syntax));
    match walker.walk(Some(tags::PIXEL_DATA))? {
        true => walker.pixels(),
        false => Ok(None),
    }
}

/// The data set of a file as it is: the file, at the end of its head.
///
/// # Errors
/// It is no DICOM file.
pub fn data_set(path: &Path) -> Result<File, DicomError> {
    let (walker, _) = open(path)?;
    let (at, mut file) = (walker.at, walker.from.into_inner());
    file.seek(SeekFrom::Start(at)).map_err(|error| failed("the file", error))?;
    Ok(file)
}

/// Opens a file, and reads its head, which names the transfer syntax.
fn open(path: &Path) -> Result<(Walker<BufReader<File>>, String), DicomError> {
    let open = || -> std::io::Result<(File, u64)> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        Ok((file, size))
    };
    let (file, size) = open().map_err(|error| failed("the file", error))?;
    let mut file = BufReader::new(file);
    let mut start = [0; 132];
    let read = file.read_exact(&mut start);
    if read.is_err() || &start[128..] != b"DICM" {
        return Err(DicomError("it is no DICOM object: DICM is not at octet 128".to_owned()));
    }
    let encoding = Encoding { explicit: true, big: false };
    let mut walker = Walker::new(file, 132, size, encoding);
    let syntax = walker.head()?;
    Ok((walker, syntax))
}

/// Checks a data set without a head: a command, or an identifier.
///
/// # Errors
/// A length does not fit; the text says where.
pub fn check_set(octets: &[u8], syntax: &str) -> Result<(), DicomError> {
    let mut walker = Walker::new(octets, 0, octets.len() as u64, Encoding::of(syntax));
    walker.walk(None)?;
    match walker.unknown.first() {
        None => Ok(()),
        Some((at, _)) => Err(DicomError(format!(
            "it is not understood at octet {at}: a sequence of unknown kind"
        ))),
    }
}

/// How elements are written.
#[derive(Debug, Clone, Copy)]
struct Encoding {
    explicit: bool,
    big: bool,
}

impl Encoding {
    fn of(syntax: &str) -> Self {
        let explicit = syntax != uids::IMPLICIT_VR_LITTLE_ENDIAN;
        Self { explicit, big: syntax == "1.2.840.10008.1.2.2" }
    }

    fn short(self, octets: [u8; 2]) -> u16 {
        if self.big { u16::from_be_bytes(octets) } else { u16::from_le_bytes(octets) }
    }

    fn long(self, octets: [u8; 4]) -> u32 {
        if self.big { u32::from_be_bytes(octets) } else { u32::from_le_bytes(octets) }
    }
}

/// Something that is read, and passed over where values are.
trait Source: Read {
    fn pass(&mut self, count: u64) -> std::io::Result<()>;
}

impl Source for BufReader<File> {
    fn pass(&mut self, count: u64) -> std::io::Result<()> {
        // The walker has compared the count with the size of the file.
        self.seek_relative(i64::try_from(count).map_err(std::io::Error::other)?)
    }
}

impl Source for &[u8] {
    fn pass(&mut self, count: u64) -> std::io::Result<()> {
        read_over(self, count)
    }
}

/// What a decoder reads.
struct Inflated<R>(R);

impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, octets: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(octets)
    }
}

impl<R: Read> Source for Inflated<R> {
    fn pass(&mut self, count: u64) -> std::io::Result<()> {
        read_over(self, count)
    }
}

fn read_over(from: &mut impl Read, count: u64) -> std::io::Result<()> {
    match std::io::copy(&mut from.take(count), &mut std::io::sink())? {
        passed if passed == count => Ok(()),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Elements: the whole, or an item.
    Set,
    /// Items with elements.
    Sequence,
    /// Items with encoded pixels.
    Fragments,
}

/// What the walk is in.
#[derive(Debug, Clone, Copy)]
struct Level {
    kind: Kind,
    /// Where it ends; at a delimiter if nothing is said.
    end: Option<u64>,
    /// Of a sequence of unknown kind: where its element begins, and how what follows it is written.
    unknown: Option<(u64, Encoding)>,
}

struct Walker<S> {
    from: S,
    at: u64,
    size: u64,
    encoding: Encoding,
    levels: Vec<Level>,
    /// What is limited, as long as the walk is in it.
    beginning: Option<Beginning>,
    /// Elements and items so far.
    entries: u64,
    /// Where sequences of unknown kind are.
    unknown: Places,
}

impl<S: Source> Walker<S> {
    fn new(from: S, at: u64, size: u64, encoding: Encoding) -> Self {
        let levels = vec![Level { kind: Kind::Set, end: None, unknown: None }];
        let (beginning, unknown) = (None, Places::new());
        Self { from, at, size, encoding, levels, beginning, entries: 0, unknown }
    }

    fn begin(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    /// Reads the elements of the head, and returns the transfer syntax.
    fn head(&mut self) -> Result<String, DicomError> {
        let tag = self.tag()?;
        let (_, length) = self.header(tag)?;
        if tag != Some(tags::FILE_META_INFORMATION_GROUP_LENGTH) || length != 4 {
            return Err(DicomError("the head of the file has no length (PS3.10, 7.1)".to_owned()));
        }
        let octets = self.octets::<4>()?;
        let end = self.at + u64::from(self.encoding.long(octets));
        let mut syntax = String::new();
        while self.at < end {
            let tag = self.tag()?;
            let (_, length) = self.header(tag)?;
            match tag {
                Some(tags::TRANSFER_SYNTAX_UID) if length <= 64 => {
                    for _ in 0..length {
                        let [octet] = self.octets::<1>()?;
                        syntax.push(char::from(octet));
                    }
                }
                _ => self.value(length)?,
            }
        }
        let syntax = super::trimmed(&syntax);
        match syntax.is_empty() || self.at != end {
            true => Err(DicomError("the head of the file names no transfer syntax".to_owned())),
            false => Ok(syntax),
        }
    }

    /// Walks to the end; or until a tag of the outermost set is read that is this one or a greater
    /// one, and tells whether it is this one.
    fn walk(&mut self, until: Option<Tag>) -> Result<bool, DicomError> {
        while let Some(level) = self.levels.last().copied() {
            if level.end == Some(self.at) {
                self.leave();
                continue;
            }
            if level.end.is_some_and(|end| self.at > end) {
                return Err(self.wrong("an element is longer than what holds it"));
            }
            let tag = self.tag()?;
            self.limit(tag)?;
            let Some(tag) = tag else {
                return match self.levels.len() {
                    1 => Ok(false),
                    _ => Err(self.wrong("it is cut off within a sequence")),
                };
            };
            if self.levels.len() == 1 && until.is_some_and(|until| until <= tag) {
                return Ok(until == Some(tag));
            }
            match level.kind {
                Kind::Set => self.element(tag)?,
                Kind::Sequence | Kind::Fragments => self.item(tag, level.kind)?,
            }
            if self.levels.len() > DEEPEST {
                return Err(self.wrong("sequences are nested too deeply"));
            }
        }
        Ok(false)
    }

    /// Whether memory has room for what was passed of the beginning. `tag` is the next one.
    fn limit(&mut self, tag: Option<Tag>) -> Result<(), DicomError> {
        if self.size == u64::MAX && self.at > MOST_INFLATED {
            return Err(self.wrong(&format!("it is larger than {MOST_INFLATED} octets")));
        }
        let Some(Beginning { end, octets, entries }) = self.beginning else { return Ok(()) };
        if self.at > octets || self.entries > entries {
            return Err(DicomError(format!(
                "the elements before {end} have more than {octets} octets or {entries} elements"
            )));
        }
        self.entries += 1;
        if self.levels.len() == 1 && tag.is_some_and(|tag| tag >= end) {
            self.beginning = None;
        }
        Ok(())
    }

    /// Where pixels are whose tag was read.
    fn pixels(&mut self) -> Result<Option<Pixels>, DicomError> {
        let (vr, length) = self.header(Some(tags::PIXEL_DATA))?;
        if length != UNDEFINED {
            let (at, length) = (self.at, length.into());
            return Ok((at + length <= self.size).then_some(Pixels::Native { at, length, vr }));
        }
        let mut items = Vec::new();
        while self.tag()? == Some(Tag(0xfffe, 0xe000)) {
            let octets = self.octets()?;
            let length = self.encoding.long(octets);
            items.push((self.at, length.into()));
            if items.len() > MOST_ITEMS {
                return Ok(None);
            }
            self.value(length)?;
        }
        Ok((!items.is_empty()).then_some(Pixels::Fragments(items)))
    }

    /// An element of a set whose tag was read.
    fn element(&mut self, tag: Tag) -> Result<(), DicomError> {
        let (vr, length) = self.header(Some(tag))?;
        match (tag, length) {
            (Tag(0xfffe, 0xe00d), _) => {
                // Outside of a sequence it is ignored.
                if self.levels.len() > 1 {
                    self.leave();
                }
                Ok(())
            }
            (tags::PIXEL_DATA, UNDEFINED) => self.enter(Kind::Fragments, length),
            (_, UNDEFINED) if vr == VR::UN && self.encoding.explicit => self.enter_unknown(),
            (_, UNDEFINED) => self.enter(Kind::Sequence, length),
            _ if vr == VR::SQ => self.enter(Kind::Sequence, length),
            _ => self.value(length),
        }
    }

    /// An item of a sequence whose tag was read.
    fn item(&mut self, tag: Tag, kind: Kind) -> Result<(), DicomError> {
        let octets = self.octets()?;
        let length = self.encoding.long(octets);
        match (tag, kind) {
            (Tag(0xfffe, 0xe000), Kind::Fragments) => self.value(length),
            (Tag(0xfffe, 0xe000), _) => self.enter(Kind::Set, length),
            (Tag(0xfffe, 0xe0dd), _) => {
                self.leave();
                Ok(())
            }
            _ => Err(self.wrong("something else stands where an item belongs")),
        }
    }

    fn enter(&mut self, kind: Kind, length: u32) -> Result<(), DicomError> {
        let end = (length != UNDEFINED).then(|| self.at + u64::from(length));
        if end.is_some_and(|end| end > self.size) {
            return Err(self.wrong("a sequence is longer than what is there"));
        }
        self.levels.push(Level { kind, end, unknown: None });
        Ok(())
    }

    /// Enters a sequence that is written as UN: in implicit little-endian, whatever is around it.
    fn enter_unknown(&mut self) -> Result<(), DicomError> {
        // Tag, kind, two octets and length.
        let begin = self.at - 12;
        if self.levels.iter().any(|level| level.end.is_some()) {
            return Err(self.wrong("a sequence of unknown kind stands in one of a known length"));
        }
        let unknown = Some((begin, self.encoding));
        self.encoding = Encoding { explicit: false, big: false };
        self.levels.push(Level { kind: Kind::Sequence, end: None, unknown });
        Ok(())
    }

    fn leave(&mut self) {
        let Some(Level { unknown: Some((begin, around)), .. }) = self.levels.pop() else { return };
        self.encoding = around;
        self.unknown.push((begin, self.at));
    }

    /// Passes over a value.
    fn value(&mut self, length: u32) -> Result<(), DicomError> {
        let length = u64::from(length);
        let unknown = self.size == u64::MAX;
        if self.at + length > self.size || unknown && length > LONGEST {
            return Err(self.wrong(&format!("a value of {length} octets is not there")));
        }
        let passed = self.from.pass(length);
        passed.map_err(|_| self.wrong(&format!("a value of {length} octets is cut off")))?;
        self.at += length;
        Ok(())
    }

    /// The next tag; `None` at the end.
    fn tag(&mut self) -> Result<Option<Tag>, DicomError> {
        let mut octets = [0; 4];
        let mut count = 0;
        while count < 4 {
            match self.from.read(&mut octets[count..]) {
                // The parser takes what is less than a tag for the end, too.
                Ok(0) => return Ok(None),
                Ok(more) => count += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed("the file", error)),
            }
        }
        self.at += 4;
        let [a, b, c, d] = octets;
        Ok(Some(Tag(self.encoding.short([a, b]), self.encoding.short([c, d]))))
    }

    /// Kind and length of the value of an element whose tag was read.
    fn header(&mut self, tag: Option<Tag>) -> Result<(VR, u32), DicomError> {
        let Some(tag) = tag else { return Err(self.wrong("it is cut off")) };
        let octets: [u8; 4] = self.octets()?;
        if tag.0 == 0xfffe {
            return Ok((VR::UN, self.encoding.long(octets)));
        }
        if !self.encoding.explicit {
            let entry = StandardDataDictionary.by_tag(tag);
            let vr = entry.map_or(VR::UN, |entry| entry.vr().relaxed());
            return Ok((vr, self.encoding.long(octets)));
        }
        let [a, b, c, d] = octets;
        // One that is not known is read as UN.
        let vr = VR::from_binary([a, b]).unwrap_or(VR::UN);
        let long = [
            VR::OB,
            VR::OD,
            VR::OF,
            VR::OL,
            VR::OV,
            VR::OW,
            VR::SQ,
            VR::SV,
            VR::UC,
            VR::UN,
            VR::UR,
            VR::UT,
            VR::UV,
        ];
        if long.contains(&vr) {
            let octets = self.octets()?;
            return Ok((vr, self.encoding.long(octets)));
        }
        Ok((vr, self.encoding.short([c, d]).into()))
    }

    fn octets<const N: usize>(&mut self) -> Result<[u8; N], DicomError> {
        let mut octets = [0; N];
        self.from.read_exact(&mut octets).map_err(|_| self.wrong("it is cut off"))?;
        self.at += N as u64;
        Ok(octets)
    }

    fn wrong(&self, what: &str) -> DicomError {
        DicomError(format!("it is damaged at octet {}: {what}", self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPLICIT: &str = uids::EXPLICIT_VR_LITTLE_ENDIAN;
    const IMPLICIT: &str = uids::IMPLICIT_VR_LITTLE_ENDIAN;

    fn explicit(octets: &[&[u8]]) -> Result<(), String> {
        check_set(&octets.concat(), EXPLICIT).map_err(|error| error.to_string())
    }

    #[test]
    fn values_and_sequences_that_fit_are_passed_over() {
        let name: &[u8] = b"\x10\x00\x10\x00PN\x02\x00ab";
        let item: &[u8] = b"\xfe\xff\x00\xe0\x0a\x00\x00\x00";
        let open_item: &[u8] = b"\xfe\xff\x00\xe0\xff\xff\xff\xff";
        let item_end: &[u8] = b"\xfe\xff\x0d\xe0\x00\x00\x00\x00";
        let end: &[u8] = b"\xfe\xff\xdd\xe0\x00\x00\x00\x00";
        let sequence: &[u8] = b"\x08\x00\x40\x11SQ\x00\x00\x12\x00\x00\x00";
        let open: &[u8] = b"\x08\x00\x40\x11SQ\x00\x00\xff\xff\xff\xff";
        explicit(&[]).unwrap();
        explicit(&[name, name]).unwrap();
        explicit(&[sequence, item, name, name]).unwrap();
        explicit(&[open, open_item, name, item_end, item, name, end, name]).unwrap();
        let pixels: &[u8] = b"\xe0\x7f\x10\x00OB\x00\x00\xff\xff\xff\xff";
        let fragment: &[u8] = b"\xfe\xff\x00\xe0\x02\x00\x00\x00\x01\x02";
        explicit(&[name, pixels, fragment, fragment, end]).unwrap();
        // A known sequence without its kind.
        let set = b"\x08\x00\x40\x11\x08\x00\x00\x00\xfe\xff\x00\xe0\x00\x00\x00\x00";
        check_set(set, IMPLICIT).unwrap();
        let big = b"\x00\x10\x00\x10PN\x00\x02ab";
        check_set(big, "1.2.840.10008.1.2.2").unwrap();
    }

    #[test]
    fn sequences_of_unknown_kind_are_passed_over_in_their_own_encoding() {
        let name: &[u8] = b"\x10\x00\x10\x00PN\x02\x00ab";
        let unknown: &[u8] = b"\x09\x00\x01\x00UN\x00\x00\xff\xff\xff\xff";
        let item: &[u8] = b"\xfe\xff\x00\xe0\x0a\x00\x00\x00\x10\x00\x10\x00\x02\x00\x00\x00ab";
        let end: &[u8] = b"\xfe\xff\xdd\xe0\x00\x00\x00\x00";
        let octets = [unknown, item, item, end, name].concat();
        let mut walker = Walker::new(&octets[..], 0, octets.len() as u64, Encoding::of(EXPLICIT));
        walker.walk(None).unwrap();
        assert_eq!(walker.unknown, [(0, octets.len() as u64 - 10)]);
        // The parser would take it for another encoding.
        let error = check_set(&octets, EXPLICIT).unwrap_err().to_string();
        assert!(error.contains("octet 0: a sequence of unknown kind"), "{error}");
    }

    #[test]
    fn lengths_that_do_not_fit_are_named_with_their_place() {
        for (octets, what) in [
            (&b"\x10\x00\x10\x00PN\x03\x00ab"[..], "octet 8: a value of 3 octets"),
            (b"\x10\x00\x10\x00UN\x00\x00\x00\x00\x00\x7f", "octet 12: a value of 2130706432"),
            (b"ERIMAVEVELEOVVE!", "is not there"),
            (b"\x10\x00\x10\x00P", "it is cut off"),
            (b"\x08\x00\x40\x11SQ\x00\x00\xff\xff\xff\xff", "within a sequence"),
            (b"\x08\x00\x40\x11SQ\x00\x00\xff\xff\xff\x00", "a sequence is longer"),
            (
                b"\x08\x00\x40\x11SQ\x00\x00\x08\x00\x00\x00\x10\x00\x10\x00PN\x00\x00",
                "an item belongs",
            ),
        ] {
            let error = check_set(octets, EXPLICIT).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
        let known = b"\x08\x00\x40\x11SQ\x00\x00\x40\x00\x00\x00\xfe\xff\x00\xe0\x38\x00\x00\x00\
                      \x09\x00\x01\x00UN\x00\x00\xff\xff\xff\xff";
        let error = check_set(&[&known[..], &[0; 99]].concat(), EXPLICIT).unwrap_err().to_string();
        assert!(error.contains("unknown kind"), "{error}");
        let deep = b"\x08\x00\x40\x11SQ\x00\x00\xff\xff\xff\xff\xfe\xff\x00\xe0\xff\xff\xff\xff";
        let error = check_set(&deep.repeat(1000), EXPLICIT).unwrap_err().to_string();
        assert!(error.contains("too deeply"), "{error}");
    }
}
