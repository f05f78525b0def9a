//! Bodies of several parts (RFC 2046, section 5.1, and RFC 2387), read and written as they pass.

use memchr::memmem::Finder;
use std::io::{self, ErrorKind, Read, Write};

/// The most octets of the head of a part.
const MOST_HEAD: usize = 16 << 10;

/// How many octets are read at a time.
const STEP: usize = 64 << 10;

/// The longest boundary. RFC 2046, 5.1.1, has 70 characters; Orthanc sends 73.
const MOST_BOUNDARY: usize = 128;

/// Reads the parts of a body, one behind the other. A part is read until its end, or passed over.
#[derive(Debug)]
pub struct MultipartReader<R> {
    from: R,
    delimiter: Finder<'static>,
    buffer: Vec<u8>,
    /// Where the unread octets begin, and where they end.
    at: usize,
    end: usize,
    /// How many of them are known to be of the part.
    clear: usize,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first part, or in one.
    Part,
    /// At a delimiter.
    Delimiter,
    /// Behind the last part.
    End,
}

/// The head of a part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartHead {
    /// Names in small letters, and values.
    pub fields: Vec<(String, String)>,
}

impl PartHead {
    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("the parts of the body: {what}"))
}

impl<R: Read> MultipartReader<R> {
    /// Reads the parts between the lines of a boundary.
    ///
    /// # Errors
    /// The boundary is empty or too long.
    pub fn new(from: R, boundary: &str) -> io::Result<Self> {
        if !(1..=MOST_BOUNDARY).contains(&boundary.len()) {
            return Err(wrong("the boundary must have 1 to 128 characters"));
        }
        let delimiter = Finder::new(format!("\r\n--{boundary}").as_bytes()).into_owned();
        // The first delimiter may stand at the very beginning.
        let mut buffer = vec![0; 2 * STEP];
        buffer[..2].copy_from_slice(b"\r\n");
        Ok(Self { from, delimiter, buffer, at: 0, end: 2, clear: 0, place: Place::Part })
    }

    /// Goes to the next part, and returns its head; `None` behind the last one. What was not read of
    /// the part before is passed over.
    ///
    /// # Errors
    /// The body breaks off, or is not what it should be.
    pub fn next_part(&mut self) -> io::Result<Option<PartHead>> {
        let mut rest = [0; 4096];
        while self.place == Place::Part && self.read(&mut rest)? > 0 {}
        if self.place == Place::End {
            return Ok(None);
        }
        self.at += self.delimiter.needle().len();
        while self.end - self.at < 2 {
            if !self.fill()? {
                return Err(ends());
            }
        }
        if self.buffer[self.at..self.end].starts_with(b"--") {
            self.place = Place::End;
            return Ok(None);
        }
        let mut line = self.line()?;
        // Behind a delimiter there may be white space.
        if !line.trim_ascii().is_empty() {
            return Err(wrong("a delimiter has something behind it"));
        }
        let (mut head, mut octets) = (PartHead::default(), 0);
        loop {
            line = self.line()?;
            octets += line.len();
            if line.is_empty() {
                break;
            }
            if octets > MOST_HEAD {
                return Err(wrong("the head of a part is too long"));
            }
            let line = String::from_utf8_lossy(&line);
            let Some((name, value)) = line.split_once(':') else {
                return Err(wrong("a line in the head of a part has no colon"));
            };
            head.fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
        // A part without octets has its delimiter right here; the line end before it is that of
        // the head.
        self.at -= 2;
        match self.starts_with_delimiter()? {
            true => self.place = Place::Delimiter,
            false => {
                self.at += 2;
                self.place = Place::Part;
            }
        }
        self.clear = 0;
        Ok(Some(head))
    }

    fn starts_with_delimiter(&mut self) -> io::Result<bool> {
        let length = self.delimiter.needle().len();
        while self.end - self.at < length {
            if !self.fill()? {
                return Ok(false);
            }
        }
        Ok(self.buffer[self.at..self.end].starts_with(self.delimiter.needle()))
    }

    /// A line without its end.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        loop {
            let unread = &self.buffer[self.at..self.end];
            if let Some(end) = memchr::memmem::find(unread, b"\r\n") {
                let line = unread[..end].to_vec();
                self.at += end + 2;
                return Ok(line);
            }
            if unread.len() > MOST_HEAD {
                return Err(wrong("a line in the head of a part is too long"));
            }
            if !self.fill()? {
                return Err(ends());
            }
        }
    }

    /// Reads more; whether there was more.
    fn fill(&mut self) -> io::Result<bool> {
        if self.buffer.len() - self.end < STEP {
            // Two read octets stay, for a delimiter that begins with the end of a head.
            let gone = self.at.saturating_sub(2);
            self.buffer.copy_within(gone..self.end, 0);
            (self.at, self.end) = (self.at - gone, self.end - gone);
        }
        loop {
            // Heads and delimiters are shorter than what is free.
            match self.from.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(count) => {
                    self.end += count;
                    return Ok(count > 0);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn ends() -> io::Error {
    let what = "the parts of the body: it ends before its last delimiter";
    io::Error::new(ErrorKind::UnexpectedEof, what)
}

impl<R: Read> Read for MultipartReader<R> {
    /// Octets of the part; 0 at its end.
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        while self.place == Place::Part && self.clear == 0 && !octets.is_empty() {
            let unread = &self.buffer[self.at..self.end];
            match self.delimiter.find(unread) {
                Some(0) => self.place = Place::Delimiter,
                Some(end) => self.clear = end,
                None => {
                    // A delimiter may begin in the last ones.
                    let length = self.delimiter.needle().len();
                    self.clear = (unread.len() + 1).saturating_sub(length);
                    if self.clear == 0 && !self.fill()? {
                        return Err(ends());
                    }
                }
            }
        }
        let count = self.clear.min(octets.len());
        octets[..count].copy_from_slice(&self.buffer[self.at..self.at + count]);
        self.at += count;
        self.clear -= count;
        Ok(count)
    }
}

/// Writes the parts of a body.
#[derive(Debug)]
pub struct MultipartWriter<'w, W> {
    to: &'w mut W,
    boundary: &'w str,
}

impl<'w, W: Write> MultipartWriter<'w, W> {
    /// Writes parts between the lines of a boundary, which must not be in what is written.
    pub const fn new(to: &'w mut W, boundary: &'w str) -> Self {
        Self { to, boundary }
    }

    /// Begins a part with these fields in its head, and returns where its octets go.
    ///
    /// # Errors
    /// As writing.
    pub fn begin(&mut self, fields: &[(&str, &str)]) -> io::Result<&mut W> {
        write!(self.to, "\r\n--{}\r\n", self.boundary)?;
        for (name, value) in fields {
            write!(self.to, "{name}: {value}\r\n")?;
        }
        self.to.write_all(b"\r\n")?;
        Ok(self.to)
    }

    /// Ends the body.
    ///
    /// # Errors
    /// As writing.
    pub fn end(self) -> io::Result<()> {
        write!(self.to, "\r\n--{}--\r\n", self.boundary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few octets at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
            let most = octets.len().min(self.1);
            self.0.read(&mut octets[..most])
        }
    }

    fn parts(body: &[u8], step: usize) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut reader = MultipartReader::new(Slow(body, step), "x")?;
        let mut parts = Vec::new();
        while let Some(head) = reader.next_part()? {
            let mut octets = Vec::new();
            reader.read_to_end(&mut octets)?;
            parts.push((head.field("a").unwrap_or_default().to_owned(), octets));
        }
        Ok(parts)
    }

    #[test]
    fn what_is_written_is_read_however_it_comes() {
        let contents: [&[u8]; 5] = [b"", b"\r\n", b"\r\n--", b"\r\n--y\r\n--", &[b'-'; 200_000]];
        let mut body = Vec::new();
        let mut writer = MultipartWriter::new(&mut body, "x");
        for content in contents {
            writer.begin(&[("A", "1"), ("B", "2")]).unwrap().write_all(content).unwrap();
        }
        writer.end().unwrap();
        for step in [1, 777, 100_000] {
            let parts = parts(&body, step).unwrap();
            assert_eq!(parts.len(), contents.len());
            for (part, content) in parts.iter().zip(contents) {
                assert!(part.0 == "1" && part.1 == content, "{step}");
            }
        }
    }

    #[test]
    fn a_preamble_an_epilogue_and_parts_without_heads_are_understood() {
        let body = b"hello\r\n--x  \r\n\r\none\r\n--x\r\na:\tb \r\n\r\ntwo\r\n--x--\r\nmore";
        let expected = [(String::new(), b"one".to_vec()), ("b".to_owned(), b"two".to_vec())];
        assert_eq!(parts(body, 3).unwrap(), expected);
    }

    #[test]
    fn what_is_cut_off_or_no_part_is_an_error() {
        let body = b"--x\r\na: b\r\n\r\none\r\n--x--";
        for length in 0..body.len() {
            assert!(parts(&body[..length], 5).is_err(), "{length}");
        }
        assert!(parts(body, 5).is_ok());
        for wrong in [&b"--xy\r\n\r\none\r\n--x--"[..], b"--x\r\nnone\r\n\r\none\r\n--x--"] {
            assert!(parts(wrong, 64).is_err());
        }
        let long = [b"--x\r\n".to_vec(), b"a: b\r\n".repeat(10_000)].concat();
        assert!(parts(&long, 1000).is_err());
        assert!(MultipartReader::new(&b""[..], "").is_err());
    }

    #[test]
    fn a_boundary_may_be_longer_than_the_standard_has_it() {
        let boundary = "221091d6-4032-448a-8700-910e3bdeed59".repeat(2) + "-";
        let body = format!("--{boundary}\r\n\r\nx\r\n--{boundary}--\r\n");
        let mut reader = MultipartReader::new(body.as_bytes(), &boundary).unwrap();
        assert!(reader.next_part().unwrap().is_some());
        assert!(MultipartReader::new(&b""[..], &"x".repeat(MOST_BOUNDARY + 1)).is_err());
    }

    #[test]
    fn a_part_that_is_not_read_is_passed_over() {
        let body = b"--x\r\na: 1\r\n\r\none\r\n--x\r\na: 2\r\n\r\ntwo\r\n--x--";
        let mut reader = MultipartReader::new(&body[..], "x").unwrap();
        reader.next_part().unwrap();
        assert_eq!(reader.next_part().unwrap().unwrap().field("a"), Some("2"));
        assert_eq!(reader.next_part().unwrap(), None);
        assert_eq!(reader.next_part().unwrap(), None);
    }
}
