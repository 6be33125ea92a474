//! Rows of a cube as bytes, in columns: a query reads those that it needs. A page has two parts.
//!
//! `sums` has the number of rows; for each dimension of the cube its different values, in rising
//! order, and the places of the rows' values among them; then the number of measures and the column
//! of each, in the order of [`MEASURES`]: its length in bytes and, unless all are
//! 0, the rows' values. Measures that a later release appends are 0 in earlier pages.
//!
//! `sketches` has a column for each time of the cube, after its length in bytes: for each row the
//! length of a sketch in bytes, and the sketch.
//!
//! Before `sums` and before each column of `sketches` are a CRC-32 of what follows, and how it is
//! packed: 0 as it is, 1 with zstd after its length.

use std::borrow::Cow;
use std::io;

use zstd::bulk::{Compressor, Decompressor};

use crate::cube::{Cube, Key, Time};
use crate::measures::{self, MEASURES, Measures};
use crate::rows::{Row, Rows};
use crate::sketch::Sketch;
use crate::varint::{push, take, take_bytes};

/// Most rows of a page.
const PAGE_ROWS_MAX: usize = 512;
/// Most bytes that are unpacked: sketches that have a call in each bucket.
const BYTES_MAX: u64 = 32 << 20;
/// The least bytes that are compressed.
const COMPRESSED_MIN: usize = 200;
/// Bytes of a checksum.
const CHECKSUM: usize = 4;
const PLAIN: u8 = 0;
const COMPRESSED: u8 = 1;
/// Up to this many values of a dimension, places are a byte each, else two, the low one first.
const BYTE_PLACES: usize = 1 << u8::BITS;

/// Rows of a cube.
#[derive(Debug)]
pub(crate) struct Page {
    /// The first value of the first dimension.
    pub(crate) low: i64,
    /// Its last one.
    pub(crate) high: i64,
    /// Values of dimensions and measures.
    pub(crate) sums: Vec<u8>,
    /// `None` without times.
    pub(crate) sketches: Option<Vec<u8>>,
}

/// Divides rows into pages, in the order of their keys.
///
/// # Errors
/// Fails if there is no memory to compress them.
pub(crate) fn divide(rows: &Rows) -> io::Result<Vec<Page>> {
    let cube = rows.cube();
    let sorted = rows.sorted();
    let mut compressor = Compressor::new(1)?;
    let chunks = sorted.chunks(PAGE_ROWS_MAX);
    let pages = chunks.map(|rows| {
        Ok(Page {
            low: rows.first().map_or(0, |row| row.key.0[0]),
            high: rows.last().map_or(0, |row| row.key.0[0]),
            sums: pack(&sums_of(cube, rows), &mut compressor)?,
            sketches: sketches_of(cube, rows, &mut compressor)?,
        })
    });
    pages.collect()
}

fn sums_of(cube: &Cube, rows: &[Row<'_>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(rows.len() * 40);
    push(&mut bytes, rows.len() as u64);
    for place in 0..cube.dimensions.len() {
        push_dimension(&mut bytes, rows, place);
    }
    let values: Vec<_> = rows.iter().map(|row| row.measures.values()).collect();
    push(&mut bytes, measures::COUNT as u64);
    let mut column = Vec::new();
    for at in 0..measures::COUNT {
        column.clear();
        if values.iter().any(|values| values[at] > 0) {
            values
                .iter()
                .for_each(|values| push(&mut column, values[at]));
        }
        push(&mut bytes, column.len() as u64);
        bytes.extend_from_slice(&column);
    }
    bytes
}

/// Appends the values of the dimension at this place of the keys.
fn push_dimension(bytes: &mut Vec<u8>, rows: &[Row<'_>], place: usize) {
    let mut values: Vec<_> = rows.iter().map(|row| row.key.0[place]).collect();
    values.sort_unstable();
    values.dedup();
    push(bytes, values.len() as u64);
    let mut before = 0;
    for value in &values {
        push(bytes, value.wrapping_sub(before).cast_unsigned());
        before = *value;
    }
    if values.len() == 1 {
        return;
    }
    for row in rows {
        let at = values.partition_point(|value| *value < row.key.0[place]);
        let [low, high, ..] = at.to_le_bytes();
        bytes.push(low);
        if values.len() > BYTE_PLACES {
            bytes.push(high);
        }
    }
}

fn sketches_of(
    cube: &Cube,
    rows: &[Row<'_>],
    compressor: &mut Compressor<'_>,
) -> io::Result<Option<Vec<u8>>> {
    let is_empty = |row: &Row<'_>, time| row.sketch(time).is_none_or(Sketch::is_empty);
    let mut times = cube.percentiles.iter();
    if times.all(|time| rows.iter().all(|row| is_empty(row, *time))) {
        return Ok(None);
    }
    let (mut bytes, mut column, mut sketch) = (Vec::new(), Vec::new(), Vec::new());
    for time in cube.percentiles {
        column.clear();
        for row in rows {
            sketch.clear();
            if let Some(times) = row.sketch(*time) {
                times.push_to(&mut sketch);
            }
            push(&mut column, sketch.len() as u64);
            column.extend_from_slice(&sketch);
        }
        let packed = pack(&column, compressor)?;
        push(&mut bytes, packed.len() as u64);
        bytes.extend_from_slice(&packed);
    }
    Ok(Some(bytes))
}

fn pack(bytes: &[u8], compressor: &mut Compressor<'_>) -> io::Result<Vec<u8>> {
    let mut packed = vec![0; CHECKSUM];
    if bytes.len() >= COMPRESSED_MIN {
        packed.push(COMPRESSED);
        push(&mut packed, bytes.len() as u64);
        packed.extend_from_slice(&compressor.compress(bytes)?);
    } else {
        packed.push(PLAIN);
        packed.extend_from_slice(bytes);
    }
    let checksum = crc32fast::hash(&packed[CHECKSUM..]);
    packed[..CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    Ok(packed)
}

/// A page that cannot be read.
#[derive(Debug)]
pub(crate) struct Unreadable;

/// Unpacks pages.
pub(crate) struct Unpacker(Decompressor<'static>);

impl Unpacker {
    /// # Errors
    /// Fails without memory.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(Decompressor::new()?))
    }

    pub(crate) fn unpack<'b>(&mut self, packed: &'b [u8]) -> Result<Cow<'b, [u8]>, Unreadable> {
        let (checksum, packed) = packed.split_first_chunk().ok_or(Unreadable)?;
        if u32::from_le_bytes(*checksum) != crc32fast::hash(packed) {
            return Err(Unreadable);
        }
        let (kind, mut rest) = packed.split_first().ok_or(Unreadable)?;
        if *kind == PLAIN {
            return Ok(Cow::Borrowed(rest));
        }
        let bytes = take(&mut rest).filter(|it| *kind == COMPRESSED && *it <= BYTES_MAX);
        let bytes = usize::try_from(bytes.ok_or(Unreadable)?).map_err(|_| Unreadable)?;
        let unpacked = self.0.decompress(rest, bytes);
        let unpacked = unpacked.ok().filter(|it| it.len() == bytes);
        unpacked.map(Cow::Owned).ok_or(Unreadable)
    }
}

/// The unpacked `sums` of a page, by columns.
pub(crate) struct Columns<'b> {
    pub(crate) rows: usize,
    /// In the order of the cube.
    pub(crate) dimensions: Vec<Column<'b>>,
    measures: Vec<&'b [u8]>,
}

/// The values of a dimension.
pub(crate) struct Column<'b> {
    /// The different ones, in rising order.
    pub(crate) distinct: Vec<i64>,
    places: Places<'b>,
}

enum Places<'b> {
    /// All rows have the same value.
    First,
    Bytes(&'b [u8]),
    Words(&'b [[u8; 2]]),
}

impl Column<'_> {
    /// Returns the place of a row's value among the different ones.
    pub(crate) fn place(&self, row: usize) -> usize {
        match self.places {
            Places::First => 0,
            Places::Bytes(bytes) => bytes[row].into(),
            Places::Words(words) => u16::from_le_bytes(words[row]).into(),
        }
    }

    /// Returns the value of a row.
    pub(crate) fn value(&self, row: usize) -> i64 {
        self.distinct[self.place(row)]
    }
}

impl<'b> Columns<'b> {
    pub(crate) fn read(cube: &Cube, mut bytes: &'b [u8]) -> Result<Self, Unreadable> {
        Self::try_read(cube, &mut bytes).ok_or(Unreadable)
    }

    fn try_read(cube: &Cube, bytes: &mut &'b [u8]) -> Option<Self> {
        let rows = usize::try_from(take(bytes)?).ok()?;
        if rows > PAGE_ROWS_MAX {
            return None;
        }
        let dimensions = cube.dimensions.iter().map(|_| read_dimension(bytes, rows));
        let dimensions = dimensions.collect::<Option<_>>()?;
        let count = take(bytes)?.min(measures::COUNT as u64);
        let measures = (0..count).map(|_| {
            let length = take(bytes)?;
            take_bytes(bytes, length)
        });
        Some(Self {
            rows,
            dimensions,
            measures: measures.collect::<Option<_>>()?,
        })
    }

    /// Passes the value of a measure of each row, unless all are 0.
    pub(crate) fn measure(
        &self,
        at: usize,
        mut pass: impl FnMut(usize, u64),
    ) -> Result<(), Unreadable> {
        let mut column = self.measures.get(at).copied().unwrap_or_default();
        if !column.is_empty() {
            for row in 0..self.rows {
                pass(row, take(&mut column).ok_or(Unreadable)?);
            }
        }
        Ok(())
    }

    /// Returns the key of a row.
    fn key(&self, row: usize) -> Key {
        let mut key = Key::default();
        for (value, values) in key.0.iter_mut().zip(&self.dimensions) {
            *value = values.value(row);
        }
        key
    }
}

fn read_dimension<'b>(bytes: &mut &'b [u8], rows: usize) -> Option<Column<'b>> {
    let count = usize::try_from(take(bytes)?).ok()?;
    if count > rows {
        return None;
    }
    let mut value = 0_i64;
    let mut distinct = Vec::with_capacity(count);
    for _ in 0..count {
        value = value.wrapping_add(take(bytes)?.cast_signed());
        distinct.push(value);
    }
    let places = match count {
        0 => {
            return (rows == 0).then_some(Column {
                distinct,
                places: Places::First,
            });
        }
        1 => Places::First,
        2..=BYTE_PLACES => Places::Bytes(take_bytes(bytes, rows as u64)?),
        _ => Places::Words(take_bytes(bytes, rows as u64 * 2)?.as_chunks::<2>().0),
    };
    let values = Column { distinct, places };
    (0..rows)
        .all(|row| values.place(row) < count)
        .then_some(values)
}

/// Unpacks the column of a time in `sketches`.
pub(crate) fn column_of<'b>(
    cube: &Cube,
    time: Time,
    mut sketches: &'b [u8],
    unpacker: &mut Unpacker,
) -> Result<Cow<'b, [u8]>, Unreadable> {
    for of in cube.percentiles {
        let length = take(&mut sketches).ok_or(Unreadable)?;
        let column = take_bytes(&mut sketches, length).ok_or(Unreadable)?;
        if *of == time {
            return unpacker.unpack(column);
        }
    }
    Err(Unreadable)
}

/// Passes each row's sketch in a column, as bytes.
pub(crate) fn each_sketch<'b>(
    mut column: &'b [u8],
    mut pass: impl FnMut(usize, &'b [u8]) -> Option<()>,
) -> Result<(), Unreadable> {
    for row in 0.. {
        if column.is_empty() {
            break;
        }
        let length = take(&mut column).ok_or(Unreadable)?;
        let sketch = take_bytes(&mut column, length).ok_or(Unreadable)?;
        pass(row, sketch).ok_or(Unreadable)?;
    }
    Ok(())
}

/// Adds the rows of a page, `sums` and `sketches`, to others.
pub(crate) fn merge(
    rows: &mut Rows,
    sums: &[u8],
    sketches: Option<&[u8]>,
    unpacker: &mut Unpacker,
) -> Result<(), Unreadable> {
    let cube = rows.cube();
    let sums = unpacker.unpack(sums)?;
    let columns = Columns::read(cube, &sums)?;
    let mut values = vec![[0; measures::COUNT]; columns.rows];
    for (at, _) in MEASURES.iter().enumerate() {
        columns.measure(at, |row, value| values[row][at] = value)?;
    }
    let places = values
        .into_iter()
        .enumerate()
        .map(|(row, values)| rows.add_measures(&columns.key(row), &Measures::from_values(values)));
    let places: Vec<_> = places.collect();
    let Some(sketches) = sketches else {
        return Ok(());
    };
    for &time in cube.percentiles {
        let column = column_of(cube, time, sketches, unpacker)?;
        each_sketch(&column, |row, sketch| {
            let sketches = rows.sketches_mut(*places.get(row)?)?;
            sketches[time as usize].merge_bytes(sketch)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
