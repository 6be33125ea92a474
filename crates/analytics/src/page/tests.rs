use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::*;
use crate::cube::{CUBES, TIMES};
use fuzzing::{Random, fuzz};

#[path = "../../../soap/tests/support/fuzzing.rs"]
mod fuzzing;

/// Values of a dimension: few of them, small and large.
fn value() -> impl Strategy<Value = i64> {
    prop_oneof![0..3_i64, -2..600_i64, any::<i64>()]
}

fn sums() -> impl Strategy<Value = (Measures, [Sketch; TIMES])> {
    let measures = vec((any::<u64>(), 0..=64_u32), measures::COUNT);
    let times = vec(vec(any::<u32>(), 0..40), TIMES);
    (measures, times).prop_map(|(measures, times)| {
        let mut values = [0; measures::COUNT];
        for (value, (bits, shift)) in values.iter_mut().zip(measures) {
            *value = bits.checked_shr(shift).unwrap_or(0);
        }
        let mut sketches = <[Sketch; TIMES]>::default();
        for (sketch, times) in sketches.iter_mut().zip(times) {
            times.into_iter().for_each(|us| sketch.add(us));
        }
        (Measures::from_values(values), sketches)
    })
}

fn rows(cube: &'static Cube) -> impl Strategy<Value = Rows> {
    let key = vec(value(), cube.dimensions.len());
    btree_map(key, sums(), 0..700).prop_map(move |sums| {
        let mut rows = Rows::new(cube);
        for (key, (measures, sketches)) in sums {
            let at = |dimension| cube.dimensions.iter().position(|it| *it == dimension);
            let key = cube.key(|dimension| at(dimension).map_or(0, |at| key[at]));
            let place = rows.add_measures(&key, &measures);
            for &time in cube.percentiles {
                let sums = &mut rows.sketches_mut(place).unwrap()[time as usize];
                sums.merge(&sketches[time as usize]);
            }
        }
        rows
    })
}

fn read(cube: &'static Cube, pages: &[Page]) -> Result<Rows, Unreadable> {
    let mut unpacker = Unpacker::new().unwrap();
    let mut read = Rows::new(cube);
    for page in pages {
        merge(
            &mut read,
            &page.sums,
            page.sketches.as_deref(),
            &mut unpacker,
        )?;
    }
    Ok(read)
}

fn with_checksum(packed: &[u8]) -> Vec<u8> {
    let checksum = crc32fast::hash(packed).to_le_bytes();
    [checksum.as_slice(), packed].concat()
}

fn assert_same(rows: &Rows, others: &Rows) {
    for (row, other) in rows.sorted().iter().zip(others.sorted()) {
        assert_eq!(row.key, other.key);
        assert_eq!(row.measures, other.measures);
        assert!(row.sketches == other.sketches);
    }
    assert_eq!(rows.iter().count(), others.iter().count());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn rows_come_back_from_pages(
        (cube, rows) in prop::sample::select(CUBES.iter().collect::<Vec<_>>())
            .prop_flat_map(|cube| (Just(cube), rows(cube))),
    ) {
        let pages = divide(&rows).unwrap();
        prop_assert_eq!(pages.len(), rows.iter().count().div_ceil(PAGE_ROWS_MAX));
        for first in rows.iter().map(|row| row.key.0[0]) {
            prop_assert!(pages.iter().any(|it| it.low <= first && it.high >= first));
        }
        assert_same(&read(cube, &pages).unwrap(), &rows);
    }

    #[test]
    fn a_changed_page_is_unreadable_and_with_its_checksum_a_page_or_not(
        rows in rows(&CUBES[5]),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut pages = divide(&rows).unwrap();
        for page in &mut pages {
            let at = CHECKSUM + at.index(page.sums.len() - CHECKSUM);
            let is_same = page.sums[at] == byte;
            page.sums[at] = byte;
            let changed = read(&CUBES[5], std::slice::from_ref(page));
            prop_assert_eq!(changed.is_ok(), is_same);
            page.sums = with_checksum(&page.sums[CHECKSUM..]);
        }
        let _ = read(&CUBES[5], &pages);
    }
}

/// A row for each of 1 to 40 keys, with few measures and times.
fn random_rows(cube: &'static Cube, random: &mut Random) -> Rows {
    let mut rows = Rows::new(cube);
    for _ in 0..=random.below(40) {
        let mut key = Key::default();
        key.0[..cube.dimensions.len()].fill_with(|| random.below(600) as i64);
        let measures = Measures {
            calls: random.next() >> random.below(64),
            ..Measures::default()
        };
        let place = rows.add_measures(&key, &measures);
        for sketch in rows.sketches_mut(place).into_iter().flatten() {
            sketch.add(random.next() as u32 >> random.below(32));
        }
    }
    rows
}

/// Changes bytes of what was packed. Those who forge a page know the checksum.
fn forged(packed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut packed = packed[CHECKSUM..].to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(packed.len());
        packed[at] = random.next() as u8;
    }
    with_checksum(&packed)
}

#[test]
fn fuzz_forged_pages_are_refused_or_read() {
    fuzz(|random| {
        let cube = &CUBES[random.below(CUBES.len())];
        let page = divide(&random_rows(cube, random)).unwrap().remove(0);
        let sketches = page.sketches.map(|columns| {
            let (mut columns, mut all) = (columns.as_slice(), Vec::new());
            while let Some(length) = take(&mut columns) {
                let column = forged(take_bytes(&mut columns, length).unwrap(), random);
                push(&mut all, column.len() as u64);
                all.extend_from_slice(&column);
            }
            all
        });
        let sums = forged(&page.sums, random);
        let page = Page {
            sums,
            sketches,
            ..page
        };
        read(cube, &[page]).is_ok()
    });
}

#[test]
fn measures_that_an_earlier_release_did_not_have_are_0() {
    let cube = &CUBES[0];
    let mut rows = Rows::new(cube);
    let measures = Measures {
        calls: 7,
        ..Measures::default()
    };
    rows.add_measures(&Key::default(), &measures);
    let page = divide(&rows).unwrap().remove(0);
    let mut sums = page.sums[CHECKSUM..].to_vec();
    // The last ones are columns without bytes.
    sums.truncate(sums.len() - 3);
    let at = sums
        .iter()
        .position(|it| usize::from(*it) == measures::COUNT)
        .unwrap();
    sums[at] -= 3;
    let sums = with_checksum(&sums);
    let page = Page {
        low: 0,
        high: 0,
        sums,
        sketches: None,
    };
    assert_same(&read(cube, &[page]).unwrap(), &rows);
}
