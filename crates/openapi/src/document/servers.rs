//! The servers of a document.

use url::Url;

use super::Reader;
use crate::model::api::Kind;
use crate::model::upstream::Target;
use crate::tree::{Map, Node};

/// Maximum bytes of a server's URL with variables replaced; an upstream's URL is no longer than
/// that.
const URL_BYTES_MAX: usize = 2_048;
/// Maximum number of servers of a document.
const SERVERS_MAX: usize = 100;

impl Reader<'_> {
    /// Returns the URLs of all servers, and the first that can be an upstream.
    pub(super) fn servers(&mut self) -> (Vec<String>, Option<String>) {
        let mut urls = Vec::new();
        let mut upstream = None;
        let list = match self.root.value("servers") {
            None | Some(Node::Nothing) => return (urls, upstream),
            Some(Node::List(list)) => list,
            Some(_) => {
                self.fault("/servers", "servers must be a list");
                return (urls, upstream);
            }
        };
        if list.len() > SERVERS_MAX {
            let detail = format!("a document has at most {SERVERS_MAX} servers");
            self.fault("/servers", detail);
            return (urls, upstream);
        }
        for (index, server) in list.iter().enumerate() {
            let field = format!("/servers/{index}/url");
            let Some(url) = server.as_map().and_then(server_url) else {
                self.fault(&field, "a server must have a url");
                continue;
            };
            let url = self.absolute(url);
            match Target::at(url.as_str()).address_for(Kind::Rest) {
                Ok(_) if upstream.is_none() => upstream = Some(url.clone()),
                Ok(_) => {
                    let detail = format!("{url}: an earlier server is the proposed upstream");
                    self.notes.add(&field, "openapi.server", detail);
                }
                Err(reason) => {
                    let detail = format!("{url:?} is not proposed as the upstream: {reason}");
                    self.notes.add(&field, "openapi.server", detail);
                }
            }
            urls.push(url);
        }
        (urls, upstream)
    }

    /// Resolves a server's URL against the URL of the document.
    fn absolute(&self, url: String) -> String {
        match (&self.place, Url::parse(&url)) {
            (Some(place), Err(url::ParseError::RelativeUrlWithoutBase)) => {
                place.join(&url).map_or(url, String::from)
            }
            _ => url,
        }
    }
}

/// Returns a server's URL with each variable replaced by its default (OpenAPI 3.1, Server Variable
/// Object); unchanged if the result would be longer than a URL may be.
fn server_url(server: &Map) -> Option<String> {
    let written = server.text("url")?;
    let variables = server.map("variables");
    let default = |name| match variables?.map(name)?.value("default")? {
        Node::Text(text) | Node::Scalar(text) => Some(text.as_str()),
        _ => None,
    };
    let mut url = String::new();
    let mut rest = written;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, behind) = behind.split_once('}')?;
        url = url + before + default(name).unwrap_or_default();
        rest = behind;
        if url.len() > URL_BYTES_MAX {
            return Some(written.to_owned());
        }
    }
    Some(url + rest)
}
