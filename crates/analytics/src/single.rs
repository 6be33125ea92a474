//! Single calls of the spool: those that pass a filter, the newest first, and one by its id.

use std::io;
use std::ops::Range;
use std::rc::Rc;
use std::time::Instant;

use tollgate_model::id::UserId;
use tollgate_model::record::request_parts;
use tollgate_spool::{Block, Call, Damage, Named, Place, ReadError, Segment, Spool, list};

use crate::UsageError;
use crate::accepted::Accepted;
use crate::query::Filter;
use crate::sieve::Sieve;

/// Where a call is in the spool. Calls have rising numbers in an epoch, in the order in which they
/// ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallPlace {
    /// The process that recorded it.
    pub epoch: u64,
    /// Its number there.
    pub number: u64,
}

/// A query of single calls.
#[derive(Debug, Clone)]
pub struct CallsQuery {
    /// When they arrived, Unix microseconds.
    pub range_us: Range<i64>,
    /// The calls that are wanted.
    pub filter: Filter,
    /// Only calls before this place: the end of the page before.
    pub before: Option<CallPlace>,
    /// Most calls of a page.
    pub limit: usize,
    /// The user who asks; each reads the calls of one query at a time.
    pub by: Option<UserId>,
}

/// Calls, the newest first.
#[derive(Debug, Default)]
pub struct CallsPage {
    /// The calls.
    pub calls: Vec<Call>,
    /// Before which place the next page begins; `None` after the last one. A page may have fewer
    /// calls than its limit, if many had to be looked at.
    pub next: Option<CallPlace>,
}

/// Reads single calls.
pub(crate) struct Search<'q> {
    pub(crate) spool: &'q Spool,
    pub(crate) query: &'q CallsQuery,
    /// When to end a page, full or not.
    pub(crate) deadline: Instant,
}

impl Search<'_> {
    /// Returns a page.
    ///
    /// # Errors
    /// [`UsageError`] if the spool cannot be read, or no longer has the place where it begins.
    pub(crate) fn run(&self) -> Result<CallsPage, UsageError> {
        let accepted = Accepted::new(&self.query.filter);
        let mut is_begun = self.query.before.is_none();
        let mut calls = Vec::new();
        for named in newest_first(self.spool)? {
            let Some((segment, places)) = opened(self.spool, &named) else {
                continue;
            };
            let epoch = segment.header().epoch;
            let before = self.query.before.filter(|it| it.epoch == epoch);
            is_begun |= before.is_some();
            if !is_begun {
                continue;
            }
            let until = before.map_or(u64::MAX, |it| it.number);
            for place in places.iter().rev().filter(|it| self.is_wanted(it, until)) {
                if Instant::now() >= self.deadline {
                    let number = place.head.next().min(until);
                    let next = Some(CallPlace { epoch, number });
                    return Ok(CallsPage { calls, next });
                }
                let found = segment.block(place);
                let limit = self.query.limit - calls.len();
                let found =
                    found.and_then(|block| Ok(self.passing(&block, &accepted, until, limit)?));
                let found = match found {
                    Ok(found) => found,
                    Err(error) => {
                        report(self.spool, &named, error);
                        break;
                    }
                };
                for (number, call) in found.into_iter().rev() {
                    calls.push(call);
                    if calls.len() == self.query.limit {
                        let next = Some(CallPlace { epoch, number });
                        return Ok(CallsPage { calls, next });
                    }
                }
            }
        }
        match is_begun {
            true => Ok(CallsPage { calls, next: None }),
            false => Err(UsageError::UnknownPlace),
        }
    }

    /// Whether a block may have calls that are wanted.
    fn is_wanted(&self, place: &Place, until: u64) -> bool {
        let (head, range) = (&place.head, &self.query.range_us);
        head.first < until && head.from_us < range.end && head.to_us >= range.start
    }

    /// The last calls of a block that pass, with their numbers.
    fn passing(
        &self,
        block: &Block,
        accepted: &Accepted,
        until: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Call)>, Damage> {
        let needed = self.query.filter.parts();
        let sieve = Sieve::new(block, accepted, |part| needed.contains(&part))?;
        if sieve.is_closed() {
            return Ok(Vec::new());
        }
        let (head, wanted) = (block.head(), &self.query.range_us);
        let count = until.saturating_sub(head.first).min(head.calls.into());
        let mut places: Vec<_> = (0..count as usize).collect();
        places.retain(|at| sieve.values(*at).is_some());
        let is_within = wanted.contains(&head.from_us) && wanted.contains(&head.to_us);
        if !is_within && !places.is_empty() {
            let arrivals = block.arrivals()?;
            places.retain(|at| wanted.contains(&arrivals[*at]));
        }
        let surplus = places.len().saturating_sub(limit);
        let places = places.split_off(surplus);
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let calls = block.pick(&places)?;
        let numbers = places.into_iter().map(|at| head.first + at as u64);
        Ok(numbers.zip(calls).collect())
    }
}

/// Looks for a call by its request id.
pub(crate) struct Lookup<'s> {
    spool: &'s Spool,
    worker: u64,
    number: u64,
}

/// A segment that stays open: a merge of small blocks may replace its file meanwhile.
struct Opened {
    named: Named,
    segment: Segment,
}

/// A block that has calls of the worker.
struct Candidate {
    opened: Rc<Opened>,
    place: Place,
}

/// What was found in a block.
enum Found {
    Call(Call),
    /// The number of the worker's first call in it.
    First(u64),
    Nothing,
}

impl<'s> Lookup<'s> {
    pub(crate) fn new(spool: &'s Spool, request_id: u128) -> Self {
        let (worker, number) = request_parts(request_id);
        Self {
            spool,
            worker,
            number,
        }
    }

    /// Returns the call, if the spool has it.
    ///
    /// # Errors
    /// [`UsageError`] if the spool cannot be read.
    pub(crate) fn run(&self) -> Result<Option<Call>, UsageError> {
        let candidates = self.candidates()?;
        let mut is_tried = vec![false; candidates.len()];
        // Numbers rise as calls begin, and a call is where it ended: mostly in the last block that
        // begins with a smaller number, or soon after.
        let (mut low, mut high) = (0, candidates.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            is_tried[middle] = true;
            match self.look(&candidates[middle]) {
                Found::Call(call) => return Ok(Some(call)),
                Found::First(first) if first <= self.number => low = middle + 1,
                Found::First(_) | Found::Nothing => high = middle,
            }
        }
        let others = (low..candidates.len()).chain((0..low).rev());
        for at in others.filter(|at| !is_tried[*at]) {
            if let Found::Call(call) = self.look(&candidates[at]) {
                return Ok(Some(call));
            }
        }
        Ok(None)
    }

    /// The blocks that have calls of the worker, the oldest first.
    fn candidates(&self) -> Result<Vec<Candidate>, UsageError> {
        let mut candidates = Vec::new();
        for named in newest_first(self.spool)? {
            let Some((segment, places)) = opened(self.spool, &named) else {
                continue;
            };
            let opened = Rc::new(Opened { named, segment });
            for place in places.into_iter().rev() {
                // What is damaged is noticed once its calls are read.
                let has_worker = opened.segment.has_worker(&place, self.worker);
                if has_worker.unwrap_or(false) {
                    let opened = Rc::clone(&opened);
                    candidates.push(Candidate { opened, place });
                }
            }
        }
        candidates.reverse();
        Ok(candidates)
    }

    fn look(&self, candidate: &Candidate) -> Found {
        match self.try_look(candidate) {
            Ok(found) => found,
            Err(error) => {
                report(self.spool, &candidate.opened.named, error);
                Found::Nothing
            }
        }
    }

    fn try_look(&self, Candidate { opened, place }: &Candidate) -> Result<Found, ReadError> {
        let segment = &opened.segment;
        let Some(found) = segment.look_for(place, self.worker, self.number)? else {
            return Ok(Found::Nothing);
        };
        let Some(at) = found.place else {
            return Ok(Found::First(found.first));
        };
        let calls = segment.block(place)?.pick(&[at])?;
        let call = *calls.first().ok_or(Damage::Undecodable)?;
        Ok(Found::Call(call))
    }
}

fn newest_first(spool: &Spool) -> Result<Vec<Named>, UsageError> {
    let mut segments = list(spool.folder()).map_err(|error| UsageError::Other(error.into()))?;
    segments.reverse();
    Ok(segments)
}

/// Opens a segment; `None` if it cannot be read.
fn opened(spool: &Spool, named: &Named) -> Option<(Segment, Vec<Place>)> {
    let opened = Segment::open(&named.path).and_then(|mut segment| {
        let places = segment.places()?;
        Ok((segment, places))
    });
    opened.map_err(|error| report(spool, named, error)).ok()
}

/// Notes why a segment could not be read, unless its time has come or somebody writes it.
fn report(spool: &Spool, named: &Named, error: ReadError) {
    match error {
        ReadError::Damaged(Damage::Cut) => {}
        ReadError::Damaged(damage) => spool.report_damaged(named, damage),
        ReadError::Io(error) if error.kind() == io::ErrorKind::NotFound => {}
        ReadError::Io(error) => {
            let path = named.path.display();
            tracing::warn!(%path, %error, "calls of {path} could not be read");
        }
    }
}

#[cfg(test)]
mod tests;
