use super::*;

/// Parts, each with the bytes of its framing and the writes of it, and the bytes of its body.
type Row<'r> = (&'r [(u64, &'r [u64])], u64);

#[test]
fn a_part_that_is_cut_counts_at_most_what_was_written_of_its_body() {
    let rows: [Row<'_>; 8] = [
        (&[], 0),
        // A head of 10 bytes, a body of 5, in one write or in several.
        (&[(10, &[15])], 5),
        (&[(10, &[1, 9, 1, 4])], 5),
        (&[(10, &[9, 3])], 2),
        // Cut within the head, at its end, and one byte later.
        (&[(10, &[9])], 0),
        (&[(10, &[10])], 0),
        (&[(10, &[11])], 1),
        // The head with one chunk, another chunk, and the last one.
        (&[(15, &[20]), (5, &[300, 205]), (5, &[5])], 505),
    ];
    for (parts, expected) in rows {
        let mut answered = Answered::default();
        for (framing, writes) in parts {
            answered.begin_part(*framing);
            writes.iter().for_each(|&count| answered.add(count));
        }
        assert_eq!(answered.bytes(), expected, "{parts:?}");
    }
}
