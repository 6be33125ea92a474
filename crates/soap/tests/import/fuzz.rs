//! Mutated contracts are refused, or compile to a sound plan, within a bounded time. If the corpus
//! is present, its contracts are mutated too.

use std::fs;
use std::time::{Duration, Instant};

use tollgate_soap::compile::{Choice, compile};
use tollgate_soap::import::{Documents, read};

use crate::fuzzing::{Random, fuzz};
use crate::{corpus, soundness};

/// The maximum time for one contract, on a busy machine and without optimisation.
const TIME_MAX: Duration = Duration::from_secs(20);

/// The files of a contract, the main one first.
type Files = Vec<(String, Vec<u8>)>;

const WORDS: [&str; 44] = [
    "<xs:sequence>",
    "</xs:sequence>",
    "<xs:choice maxOccurs='unbounded'>",
    "</xs:choice>",
    "<xs:all/>",
    "<xs:any/>",
    "<xs:anyAttribute/>",
    "<xs:element ref='t:request'/>",
    "<xs:element name='id' type='xs:int'/>",
    "<xs:element ref='o:head' maxOccurs='2'/>",
    "<xs:element name='x'><xs:complexType/></xs:element>",
    "<xs:group ref='o:group'/>",
    "<xs:attribute name='id'/>",
    "<xs:attributeGroup ref='o:attributes'/>",
    "<xs:include schemaLocation='seed.xsd'/>",
    "<xs:redefine schemaLocation='seed.xsd'/>",
    "<xs:import namespace='urn:t' schemaLocation='seed.wsdl'/>",
    "<xs:enumeration value='&amp;'/>",
    "<xs:pattern value='(a|b'/>",
    "<xs:pattern value='\\i\\c*'/>",
    "<xs:assert/>",
    "<import namespace='urn:t' location='seed.wsdl'/>",
    "<part name='z' type='xs:int'/>",
    "<part name='z' element='t:broken'/>",
    "<soap:header message='t:in' part='body'/>",
    "<!-- -->",
    "<![CDATA[x]]>",
    "<?x y?>",
    "&#x26;",
    "&lt;",
    "<!DOCTYPE x>",
    "<a>",
    "</a>",
    " maxOccurs='0'",
    " minOccurs='99999999999'",
    " abstract='true'",
    " mixed='true'",
    " type='t:First'",
    " base='t:Third'",
    " substitutionGroup='o:other'",
    " nillable='1'",
    " use='encoded'",
    " style='rpc'",
    " xmlns='urn:o'",
];

impl Random {
    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Returns the range of a name or value in the text.
    fn word(&mut self, bytes: &[u8]) -> (usize, usize) {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b":_-#".contains(byte);
        let at = self.below(bytes.len());
        let before = bytes[..at]
            .iter()
            .rev()
            .take_while(|byte| is_word(byte))
            .count();
        let after = bytes[at..].iter().take_while(|byte| is_word(byte)).count();
        (at - before, at + after)
    }

    fn mutated(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.below(4) {
            if bytes.is_empty() {
                return;
            }
            match self.below(8) {
                0 => {
                    let at = self.below(bytes.len());
                    bytes[at] ^= 1 << self.below(8);
                }
                // Replace one name by another: the text stays well-formed.
                1..=3 => {
                    let (from, to) = self.word(bytes);
                    let word = bytes[from..to].to_vec();
                    let (start, end) = self.word(bytes);
                    drop(bytes.splice(start..end, word));
                }
                // Copy a piece between two tags to another place.
                4 | 5 => {
                    let tags = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'<');
                    let tags: Vec<usize> = tags.map(|(at, _)| at).collect();
                    let (from, to) = (*self.one(&tags), *self.one(&tags));
                    let piece = bytes[from.min(to)..from.max(to)].to_vec();
                    if piece.len() < 4_096 {
                        let at = *self.one(&tags);
                        drop(bytes.splice(at..at, piece));
                    }
                }
                _ => {
                    let word = *self.one(&WORDS);
                    let mark = if word.starts_with(' ') { b' ' } else { b'<' };
                    let marks = bytes.iter().enumerate().filter(|(_, byte)| **byte == mark);
                    let marks: Vec<usize> = marks.map(|(at, _)| at).collect();
                    if !marks.is_empty() {
                        let at = *self.one(&marks);
                        drop(bytes.splice(at..at, word.bytes()));
                    }
                }
            }
        }
    }
}

/// Returns the contracts to mutate.
fn contracts() -> Vec<Files> {
    let own = [
        ("seed.wsdl", include_bytes!("seed.wsdl").to_vec()),
        ("seed.xsd", include_bytes!("seed.xsd").to_vec()),
        ("redefined.xsd", include_bytes!("redefined.xsd").to_vec()),
    ];
    let mut contracts = vec![own.map(|(path, bytes)| (path.to_owned(), bytes)).to_vec()];
    let Some(folder) = corpus::corpus() else {
        return contracts;
    };
    let readme = fs::read_to_string(folder.join("README.md")).expect("the README of the corpus");
    for row in corpus::rows(&readme) {
        let Ok(documents) = corpus::collected(&folder, &row.main) else {
            continue;
        };
        let files = documents.reached(&row.main).into_iter();
        let files = files.map(|file| (file.uri.clone(), file.text.clone().into_bytes()));
        contracts.push(files.collect());
    }
    contracts
}

/// Whether the mutated contract has a plan.
fn target(contracts: &[Files], random: &mut Random) -> bool {
    let at = if random.below(2) == 0 {
        0
    } else {
        random.below(contracts.len())
    };
    let mut files = contracts[at].clone();
    let changed = random.below(files.len());
    random.mutated(&mut files[changed].1);
    let start = Instant::now();
    let mut documents = Documents::default();
    for (path, bytes) in &files {
        // A refused file counts as missing.
        let _ = documents.add(path, bytes);
    }
    let compiled = read(&documents, &files[0].0)
        .map(|imported| compile(&imported, &Choice::default()).map(|compiled| compiled.plan));
    assert!(
        start.elapsed() < TIME_MAX,
        "{} took {:?}",
        files[0].0,
        start.elapsed()
    );
    let Ok(Ok(plan)) = compiled else {
        return false;
    };
    soundness::check(&plan);
    true
}

#[test]
fn a_mutated_contract_is_refused_or_has_a_sound_plan() {
    let contracts = contracts();
    assert!(
        target(&contracts[..1], &mut Random(0)),
        "the seed itself has a plan"
    );
    fuzz(|random| target(&contracts, random));
}
