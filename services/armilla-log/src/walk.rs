//! Reading the records of a segment, one after the other, and finding the next one behind damage.

use crate::files::LogFile;
use crate::record::{ALIGN, HEADER, Header, Kind};
use crate::segment::Segment;
use std::io;

/// How much is read at a time, in octets, unless a record is longer.
const PART: usize = 128 << 10;

/// A part of a file in memory.
#[derive(Debug, Default)]
pub(crate) struct Window {
    octets: Vec<u8>,
    offset: u64,
}

impl Window {
    /// So many octets of a file from a place on; fewer if it ends before, or at `limit`.
    pub(crate) fn get(
        &mut self,
        file: &impl LogFile,
        offset: u64,
        count: usize,
        limit: u64,
    ) -> io::Result<&[u8]> {
        let most = usize::try_from(limit.saturating_sub(offset)).unwrap_or(usize::MAX);
        let count = count.min(most);
        let end = self.offset + self.octets.len() as u64;
        if offset < self.offset || offset + count as u64 > end {
            self.octets.resize(count.max(PART).min(most), 0);
            self.offset = offset;
            // What fails leaves nothing that could be taken for the file's.
            let read =
                file.read_at(&mut self.octets, offset).inspect_err(|_| self.octets.clear())?;
            self.octets.truncate(read);
        }
        let begin = (offset - self.offset) as usize;
        let end = self.octets.len().min(begin + count);
        Ok(&self.octets[begin.min(end)..end])
    }

    /// Forgets what was read: the file may have other octets there now.
    pub(crate) fn clear(&mut self) {
        self.octets = Vec::new();
        self.offset = 0;
    }
}

/// What is at a place of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Met {
    /// A record, as it was written.
    Record(Header),
    /// A record whose header is good and whose data is not.
    BadData(Header),
    /// No record.
    Nothing,
}

impl Met {
    /// What is wrong where a record should be.
    pub(crate) const fn wrong(self) -> &'static str {
        match self {
            Self::BadData(_) => "the data of the record is not what was written",
            Self::Record(_) | Self::Nothing => "the header of the record is not what was written",
        }
    }
}

/// The records of a segment that end at `limit`, a place in its file, at the latest.
#[derive(Debug)]
pub(crate) struct Records<'f, L> {
    pub(crate) file: &'f L,
    pub(crate) segment: Segment,
    pub(crate) limit: u64,
}

impl<L: LogFile> Records<'_, L> {
    /// Looks at what is at a position.
    pub(crate) fn at(&self, window: &mut Window, position: u64) -> io::Result<Met> {
        let offset = self.segment.offset(position);
        let salt = self.segment.salt;
        let octets = window.get(self.file, offset, HEADER, self.limit)?;
        let Some(header) = Header::decode(octets, salt, position) else { return Ok(Met::Nothing) };
        if header.kind == Kind::Lost {
            // Nothing needs to be there, but it ends within the segment.
            let is_within = offset.saturating_add(header.size()) <= self.limit;
            return Ok(if is_within { Met::Record(header) } else { Met::BadData(header) });
        }
        let data = self.data(window, position, &header)?;
        match data.len() + HEADER == header.size() as usize && header.has(data, salt, position) {
            true => Ok(Met::Record(header)),
            false => Ok(Met::BadData(header)),
        }
    }

    /// The data of a record, with the zeros behind it.
    pub(crate) fn data<'w>(
        &self,
        window: &'w mut Window,
        position: u64,
        header: &Header,
    ) -> io::Result<&'w [u8]> {
        let offset = self.segment.offset(position);
        // A length that no file of this size can have is not read.
        let size = usize::try_from(header.size().min(self.limit.saturating_sub(offset)));
        let octets = window.get(self.file, offset, size.unwrap_or(HEADER), self.limit)?;
        Ok(octets.get(HEADER..).unwrap_or_default())
    }

    /// The next record that is good, behind a position at which none is.
    pub(crate) fn next_good(
        &self,
        window: &mut Window,
        behind: u64,
    ) -> io::Result<Option<(u64, Header)>> {
        let mut position = behind + ALIGN as u64;
        loop {
            let offset = self.segment.offset(position);
            let octets = window.get(self.file, offset, HEADER, self.limit)?;
            if octets.len() < HEADER {
                return Ok(None);
            }
            // Most of what is read is zeros.
            if octets[4..8] != [0; 4]
                && Header::decode(octets, self.segment.salt, position).is_some()
                && let Met::Record(header) = self.at(window, position)?
            {
                return Ok(Some((position, header)));
            }
            position += ALIGN as u64;
        }
    }
}

/// What the last segment of a log has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The end of the records that follow one another.
    pub(crate) end: u64,
    /// The number in the segment of the next record.
    pub(crate) number: u32,
    /// The last of the records.
    pub(crate) last: Option<u64>,
    /// Up to where they were on the disk when the last one was written, for certain.
    pub(crate) synced: u64,
    /// The number in the segment of the first record from there on.
    pub(crate) doubtful_number: u32,
    /// Whether the log was closed behind the last one.
    pub(crate) is_closed: bool,
    /// What is at the end.
    pub(crate) met: Met,
    /// Up to where everything was on the disk when a record behind the end was written: records
    /// before it that are not there are damaged, not torn.
    pub(crate) claimed: Option<u64>,
    /// The end of what looks like records behind the end.
    pub(crate) torn_end: Option<u64>,
}

/// Reads all records of the last segment.
pub(crate) fn tail(records: &Records<'_, impl LogFile>) -> io::Result<Tail> {
    let base = records.segment.base;
    let mut window = Window::default();
    let mut tail = Tail {
        end: base,
        number: 0,
        last: None,
        synced: base,
        doubtful_number: 0,
        is_closed: false,
        met: Met::Nothing,
        claimed: None,
        torn_end: None,
    };
    loop {
        let met = records.at(&mut window, tail.end)?;
        let Met::Record(header) = met else {
            tail.met = met;
            break;
        };
        let synced = tail.end.saturating_sub(u64::from(header.unsynced)).max(base);
        tail.synced = tail.synced.max(synced);
        tail.last = Some(tail.end);
        tail.end += header.size();
        tail.is_closed = header.kind == Kind::Closed;
        tail.number = header.number + u32::from(header.kind == Kind::Data);
    }
    if tail.is_closed {
        tail.synced = tail.end;
    }
    tail.doubtful_number = match tail.synced < tail.end {
        true => match records.at(&mut window, tail.synced)? {
            Met::Record(header) => header.number,
            _ => tail.number,
        },
        false => tail.number,
    };
    let mut behind = tail.end;
    while let Some((position, header)) = records.next_good(&mut window, behind)? {
        let claimed = position.saturating_sub(u64::from(header.unsynced));
        tail.claimed = tail.claimed.max(Some(claimed));
        tail.torn_end = Some(position + header.size());
        // The rest of it has no records.
        behind = (position + header.size()).saturating_sub(ALIGN as u64).max(position);
    }
    Ok(tail)
}
