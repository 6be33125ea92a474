//! The texts of a call's head, for the access log. Records have none, so that they stay small; the
//! two are joined by the number of the request.

/// Maximum bytes of the texts of one call together.
pub const TEXT_BYTES_MAX: usize = 512;
/// Maximum bytes of an encoded call's texts.
pub const FRAME_BYTES_MAX: usize = HEAD_BYTES + TEXT_BYTES_MAX;

/// Number, marks, and the length of each part.
const HEAD_BYTES: usize = 8 + 1 + 2 * PARTS;
const PARTS: usize = 6;

/// Marks of an encoded call.
const IS_HTTP_1_0: u8 = 1;
const HAS_QUERY: u8 = 2;
const IS_CUT: u8 = 4;

/// The texts of one call, as the caller sent them: any bytes. A field that the caller did not send
/// is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallText<'a> {
    /// The call's number among the requests of its worker, as in
    /// [`Record::number`](crate::record::Record::number).
    pub number: u64,
    /// The method.
    pub method: &'a [u8],
    /// The path, without a query.
    pub path: &'a [u8],
    /// The query, without its question mark; `None` if there is none, or if it is not kept.
    pub query: Option<&'a [u8]>,
    /// The requested host, with its port.
    pub host: &'a [u8],
    /// `User-Agent`.
    pub agent: &'a [u8],
    /// `Referer`.
    pub referrer: &'a [u8],
    /// Whether the protocol is HTTP/1.0, not HTTP/1.1.
    pub is_http_1_0: bool,
    /// Whether a text was shortened.
    pub is_cut: bool,
}

impl<'a> CallText<'a> {
    /// Appends the encoded texts to `frame`, shortened to [`TEXT_BYTES_MAX`]: agent and referrer
    /// first.
    pub fn encode(&self, frame: &mut Vec<u8>) {
        let parts: [&[u8]; PARTS] = [
            self.method,
            self.path,
            self.query.unwrap_or_default(),
            self.host,
            self.referrer,
            self.agent,
        ];
        let mut room = TEXT_BYTES_MAX;
        let parts = parts.map(|part| {
            let kept = &part[..part.len().min(room)];
            room -= kept.len();
            (kept, kept.len() < part.len())
        });
        let is_cut = self.is_cut || parts.iter().any(|(_, is_cut)| *is_cut);
        let mark = |is_set: bool, mark: u8| if is_set { mark } else { 0 };
        frame.extend_from_slice(&self.number.to_le_bytes());
        frame.push(
            mark(self.is_http_1_0, IS_HTTP_1_0)
                | mark(self.query.is_some(), HAS_QUERY)
                | mark(is_cut, IS_CUT),
        );
        for (part, _) in parts {
            // At most TEXT_BYTES_MAX.
            frame.extend_from_slice(&(part.len() as u16).to_le_bytes());
        }
        for (part, _) in parts {
            frame.extend_from_slice(part);
        }
    }

    /// Decodes what [`Self::encode`] wrote; `None` for anything else.
    #[must_use]
    pub fn decode(frame: &'a [u8]) -> Option<Self> {
        let (head, mut rest) = frame.split_at_checked(HEAD_BYTES)?;
        let (number, head) = head.split_first_chunk::<8>()?;
        let (&marks, mut lengths) = head.split_first()?;
        let mut next = || -> Option<&'a [u8]> {
            let (length, others) = lengths.split_first_chunk::<2>()?;
            let (part, after) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
            (lengths, rest) = (others, after);
            Some(part)
        };
        let method = next()?;
        let path = next()?;
        let query = next()?;
        let host = next()?;
        let referrer = next()?;
        let agent = next()?;
        rest.is_empty().then_some(Self {
            number: u64::from_le_bytes(*number),
            method,
            path,
            query: (marks & HAS_QUERY != 0).then_some(query),
            host,
            agent,
            referrer,
            is_http_1_0: marks & IS_HTTP_1_0 != 0,
            is_cut: marks & IS_CUT != 0,
        })
    }
}

#[cfg(test)]
mod tests;
