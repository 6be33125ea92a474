use tempfile::TempDir;
use tollgate_model::record::Record;

use super::*;
use crate::block::Encoder;
use crate::call::Call;
use crate::segment::{Header, Named, name};

/// Writes a segment with these blocks: of each call its worker and its number there.
fn segment(folder: &TempDir, blocks: &[&[(u64, u64)]]) -> Named {
    let header = Header {
        source: 0,
        epoch: 1,
        first: 0,
        created_us: 0,
    };
    let (mut bytes, mut encoder) = (header.to_bytes().to_vec(), Encoder::new().unwrap());
    let mut first = 0;
    for block in blocks {
        let calls = block.iter().map(|&(worker, number)| {
            let record = Record {
                number,
                ..Record::default()
            };
            Call { worker, record }
        });
        let calls: Vec<_> = calls.collect();
        encoder.encode(&calls, first, 0, &mut bytes).unwrap();
        first += calls.len() as u64;
    }
    let path = folder.path().join(name(1));
    std::fs::write(&path, bytes).unwrap();
    Named { sequence: 1, path }
}

#[test]
fn a_call_is_found_by_its_number_in_its_worker() {
    let folder = TempDir::new().unwrap();
    let blocks: [&[(u64, u64)]; 3] = [
        &[(7, 1), (8, 1), (7, 3)],
        &[(8, 2), (8, 3)],
        // It began before the others.
        &[(7, 2), (7, 4)],
    ];
    let named = segment(&folder, &blocks);
    let mut segment = Segment::open(&named.path).unwrap();
    let places = segment.places().unwrap();
    assert_eq!(places.len(), 3);
    let look_for = |block: usize, worker, number| {
        let found = segment.look_for(&places[block], worker, number).unwrap();
        found.map(|it| (it.first, it.place))
    };
    assert_eq!(look_for(0, 7, 3), Some((1, Some(2))));
    assert_eq!(look_for(0, 7, 2), Some((1, None)));
    assert_eq!(look_for(1, 7, 2), None);
    assert_eq!(look_for(2, 7, 2), Some((2, Some(0))));
    assert!(!segment.has_worker(&places[1], 7).unwrap());
    for (place, block) in places.iter().zip(blocks) {
        let mut calls = Vec::new();
        segment.block(place).unwrap().read(&mut calls).unwrap();
        let numbers = calls.iter().map(|it| (it.worker, it.record.number));
        assert_eq!(numbers.collect::<Vec<_>>(), block);
    }
}

#[test]
fn a_block_that_is_being_written_is_left_out() {
    let folder = TempDir::new().unwrap();
    let named = segment(&folder, &[&[(1, 1)], &[(1, 2)]]);
    let bytes = std::fs::read(&named.path).unwrap();
    std::fs::write(&named.path, &bytes[..bytes.len() - 1]).unwrap();
    let mut segment = Segment::open(&named.path).unwrap();
    assert_eq!(segment.places().unwrap().len(), 1);
}
