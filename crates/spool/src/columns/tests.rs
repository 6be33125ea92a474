use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn columns_are_read_as_they_were_written(
        columns in prop::collection::vec(prop::collection::vec(any::<u64>(), 7), 0..4),
        shift in 0..64_u32,
    ) {
        let columns: Vec<Vec<u64>> = columns.into_iter()
            .map(|column| column.into_iter().map(|number| number >> shift).collect())
            .collect();
        let mut bytes = Vec::new();
        for column in &columns {
            push(column, &mut bytes);
        }
        let mut reader = Reader::new(&bytes);
        for column in columns {
            let planes = reader.column(7).unwrap();
            prop_assert_eq!(planes.some(&[6, 0, 3]), Some(vec![column[6], column[0], column[3]]));
            prop_assert_eq!(planes.some(&[]), Some(Vec::new()));
            let narrow: Option<Vec<u16>> =
                column.iter().map(|number| (*number).try_into().ok()).collect();
            prop_assert_eq!(planes.narrow(), narrow);
            prop_assert_eq!(planes.all(), column);
        }
        prop_assert!(reader.is_at_end());
        prop_assert!(reader.column(7).is_none());
    }

    #[test]
    fn differences_are_unfolded_to_what_they_were(difference in any::<i64>()) {
        prop_assert_eq!(unfolded(folded(difference)), difference);
    }
}

#[test]
fn a_column_is_as_wide_as_its_largest_number() {
    for (numbers, bytes) in [
        ([0, 0], 1),
        ([1, 255], 3),
        ([0, 256], 5),
        ([u64::MAX, 0], 17),
    ] {
        let mut out = Vec::new();
        push(&numbers, &mut out);
        assert_eq!(out.len(), bytes, "{numbers:?}");
        assert!(out.len() <= bytes_max(numbers.len()));
    }
    assert!(Reader::new(&[9, 0, 0]).column(1).is_none());
    assert!(Reader::new(&[2, 0, 0]).column(2).is_none());
}
