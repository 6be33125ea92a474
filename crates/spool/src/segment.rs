//! Segments: files of blocks, `SEQUENCE.spool`, where the sequence has ten digits.
//!
//! A segment begins with 48 bytes: `TGSPOOL1`, the format (4), CRC-32 of what follows (4), the
//! source (8; 0 for the process itself), the epoch (8), the number of its first call (8), and when
//! it was created (8, Unix microseconds); numbers are little-endian.

use std::fs;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::block::{Block, HEAD_BYTES, Head};
use crate::damage::{Damage, ReadError};

/// The format that this release writes and reads.
const FORMAT: u32 = 1;
const MAGIC: [u8; 8] = *b"TGSPOOL1";
pub(crate) const HEADER_BYTES: usize = 48;
const EXTENSION: &str = "spool";
const SEQUENCE_DIGITS: usize = 10;

/// The beginning of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The gateway that recorded the calls; 0 for the process itself.
    pub source: u64,
    /// Numbers of calls rise by one within an epoch. Each process begins one: calls may be missing
    /// between two, and a folder may be an older copy.
    pub epoch: u64,
    /// Number of the first call.
    pub first: u64,
    /// Unix microseconds.
    pub created_us: i64,
}

impl Header {
    pub(crate) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        let fields = [
            self.source,
            self.epoch,
            self.first,
            self.created_us.cast_unsigned(),
        ];
        for (place, field) in bytes[16..].chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        let crc = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Stands for a beginning that cannot be read.
    pub(crate) fn unreadable() -> Self {
        Self {
            source: 0,
            epoch: 0,
            first: 0,
            created_us: 0,
        }
    }

    fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Self, Damage> {
        let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]));
        if bytes[..8] != MAGIC {
            return Err(Damage::Foreign);
        }
        if number(8) != FORMAT {
            return Err(Damage::Later(number(8)));
        }
        if number(12) != crc32fast::hash(&bytes[16..]) {
            return Err(Damage::Changed);
        }
        let field = |index: usize| {
            let at = 16 + 8 * index;
            u64::from(number(at)) | u64::from(number(at + 4)) << 32
        };
        Ok(Self {
            source: field(0),
            epoch: field(1),
            first: field(2),
            created_us: field(3).cast_signed(),
        })
    }
}

/// The name of a segment.
pub(crate) fn name(sequence: u64) -> String {
    format!("{sequence:0SEQUENCE_DIGITS$}.{EXTENSION}")
}

/// A segment in the folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// Rises with each segment of the folder.
    pub sequence: u64,
    /// Its file.
    pub path: PathBuf,
}

/// Lists the segments of a folder, the oldest first; none if the folder does not exist.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn list(folder: &Path) -> io::Result<Vec<Named>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut segments = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let sequence = name.and_then(|name| name.strip_suffix(".spool"));
        let is_sequence = |text: &&str| text.len() == SEQUENCE_DIGITS;
        let sequence = sequence.filter(is_sequence).and_then(|it| it.parse().ok());
        segments.extend(sequence.map(|sequence| Named { sequence, path }));
    }
    segments.sort_unstable();
    Ok(segments)
}

/// A segment being read, block by block.
#[derive(Debug)]
pub struct Segment {
    file: File,
    header: Header,
    /// Where the next head begins.
    at: u64,
    /// The bytes of the file when it was opened: others may still append to it.
    end: u64,
}

impl Segment {
    /// Opens a segment.
    ///
    /// # Errors
    /// Fails if it is damaged at its beginning, or cannot be read.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let mut file = File::open(path)?;
        let end = file.metadata()?.len();
        if end == 0 {
            return Err(Damage::Empty.into());
        }
        let mut bytes = [0; HEADER_BYTES];
        read_exact(&mut file, &mut bytes)?;
        Ok(Self {
            file,
            header: Header::from_bytes(&bytes)?,
            at: HEADER_BYTES as u64,
            end,
        })
    }

    /// Its beginning.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Where the next block begins, in bytes from the beginning of the file.
    #[must_use]
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Reads the head of the next block, without its body; `None` at the end.
    ///
    /// # Errors
    /// Fails if the block is damaged or cut, or cannot be read.
    pub fn next_head(&mut self) -> Result<Option<Head>, ReadError> {
        let Some(head) = self.peek_head()? else {
            return Ok(None);
        };
        self.at += HEAD_BYTES as u64 + head.body_bytes();
        Ok(Some(head))
    }

    /// Reads the next block with a head that is wanted, skipping others; `None` at the end.
    ///
    /// # Errors
    /// Fails if a block is damaged or cut, or cannot be read.
    pub fn next_block_where(
        &mut self,
        is_wanted: impl Fn(&Head) -> bool,
    ) -> Result<Option<Block>, ReadError> {
        while let Some(head) = self.peek_head()? {
            if is_wanted(&head) {
                return self.next_block();
            }
            self.at += HEAD_BYTES as u64 + head.body_bytes();
        }
        Ok(None)
    }

    /// Reads the next block; `None` at the end.
    ///
    /// # Errors
    /// Fails if the block is damaged or cut, or cannot be read.
    pub fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        let Some(head) = self.peek_head()? else {
            return Ok(None);
        };
        let bytes = usize::try_from(head.body_bytes()).map_err(|_| Damage::Undecodable)?;
        let mut body = vec![0; bytes];
        read_exact(&mut self.file, &mut body)?;
        self.at += (HEAD_BYTES + bytes) as u64;
        Ok(Some(Block::new(head, body)?))
    }

    fn peek_head(&mut self) -> Result<Option<Head>, ReadError> {
        if self.at == self.end {
            return Ok(None);
        }
        if self.at + HEAD_BYTES as u64 > self.end {
            return Err(Damage::Cut.into());
        }
        self.file.seek(SeekFrom::Start(self.at))?;
        let mut bytes = [0; HEAD_BYTES];
        read_exact(&mut self.file, &mut bytes)?;
        let head = Head::from_bytes(&bytes)?;
        match self.at + (HEAD_BYTES as u64) + head.body_bytes() > self.end {
            true => Err(Damage::Cut.into()),
            false => Ok(Some(head)),
        }
    }
}

fn read_exact(file: &mut File, bytes: &mut [u8]) -> Result<(), ReadError> {
    file.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => Damage::Cut.into(),
        _ => ReadError::Io(error),
    })
}

/// What is known of a whole segment.
#[derive(Debug, Clone)]
pub struct Summary {
    /// Its file and place in the folder.
    pub named: Named,
    /// Its beginning.
    pub header: Header,
    /// Bytes of its file up to the end of its last whole block.
    pub bytes: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// Number of calls.
    pub calls: u64,
    /// Number of the call after the last one.
    pub next: u64,
    /// Arrival of the first call, Unix microseconds; when it was created if it has none.
    pub from_us: i64,
    /// Arrival of the last call, Unix microseconds.
    pub to_us: i64,
    /// When its last block was written, Unix microseconds.
    pub written_us: i64,
}

impl Summary {
    pub(crate) fn new(named: Named, header: Header) -> Self {
        Self {
            named,
            header,
            bytes: HEADER_BYTES as u64,
            blocks: 0,
            calls: 0,
            next: header.first,
            from_us: header.created_us,
            to_us: header.created_us,
            written_us: header.created_us,
        }
    }

    pub(crate) fn add(&mut self, head: &Head) {
        self.bytes += HEAD_BYTES as u64 + head.body_bytes();
        self.written_us = head.written_us;
        if self.calls == 0 {
            (self.from_us, self.to_us) = (head.from_us, head.to_us);
        }
        self.from_us = self.from_us.min(head.from_us);
        self.to_us = self.to_us.max(head.to_us);
        self.blocks += 1;
        self.calls += u64::from(head.calls);
        self.next = head.next();
    }
}

/// How much of a segment is read to summarize it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The heads of its blocks.
    Heads,
    /// The blocks are compared with their checksums.
    Checksums,
    /// They are decoded too.
    Whole,
}

/// Summarizes a segment; also returns why it cannot be read to its end, if it cannot.
///
/// # Errors
/// Fails if its beginning is damaged or cannot be read.
pub fn summarize(named: &Named, depth: Depth) -> Result<(Summary, Option<ReadError>), ReadError> {
    let mut segment = Segment::open(&named.path)?;
    let mut summary = Summary::new(named.clone(), segment.header);
    let mut calls = Vec::new();
    loop {
        let head = match depth {
            Depth::Heads => segment.next_head(),
            Depth::Checksums => segment.next_block().map(|it| it.map(|it| *it.head())),
            Depth::Whole => segment.next_block().and_then(|block| {
                let Some(block) = block else {
                    return Ok(None);
                };
                calls.clear();
                block.read(&mut calls)?;
                Ok(Some(*block.head()))
            }),
        };
        match head {
            Ok(Some(head)) => summary.add(&head),
            Ok(None) => return Ok((summary, None)),
            Err(error) => return Ok((summary, Some(error))),
        }
    }
}
