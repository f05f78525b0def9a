//! Media types and what a client accepts (RFC 9110, sections 8.3.1 and 12.5.1).

/// A media type with its parameters, whose names are in small letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType {
    /// Type and subtype in small letters, such as `image/png`; a star stands for any.
    pub name: String,
    parameters: Vec<(String, String)>,
}

/// The most media types that a client may list.
const MOST: usize = 64;

impl MediaType {
    /// Reads one media type; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut fields = split(text, ';');
        let name = fields.next()?.trim().to_ascii_lowercase();
        let (kind, of) = name.split_once('/')?;
        if kind.is_empty() || of.is_empty() || name.contains(char::is_whitespace) {
            return None;
        }
        let parameters = fields.filter_map(|field| {
            let (name, value) = field.split_once('=')?;
            Some((name.trim().to_ascii_lowercase(), unquoted(value.trim())))
        });
        let parameters = parameters.collect();
        Some(Self { name, parameters })
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// What it is in the end: of `multipart/related` the type of its parts, else itself.
    pub fn content(&self) -> String {
        match self.name.as_str() {
            "multipart/related" => self.parameter("type").unwrap_or("*/*").to_ascii_lowercase(),
            name => name.to_owned(),
        }
    }

    /// Whether several parts are wanted: it does not say that there is one.
    pub fn takes_parts(&self) -> bool {
        ["multipart/related", "multipart/*", "*/*"].contains(&self.name.as_str())
    }

    /// Whether something of this type is what it names.
    pub fn includes(&self, name: &str) -> bool {
        let content = self.content();
        let kind = |name: &str| name.split('/').next().map(str::to_owned);
        content == "*/*"
            || content == name
            || content.ends_with("/*") && kind(&content) == kind(name)
    }
}

/// What a client accepts, the dearest first. One that says nothing takes anything.
pub fn accepted(header: Option<&str>) -> Vec<MediaType> {
    let all = split(header.unwrap_or("*/*"), ',').take(MOST);
    let mut all: Vec<_> = all.filter_map(MediaType::parse).collect();
    let weight = |media: &MediaType| {
        let weight = media.parameter("q").and_then(|weight| weight.parse::<f32>().ok());
        (weight.unwrap_or(1.0).clamp(0.0, 1.0) * 1000.0) as u32
    };
    all.retain(|media| weight(media) > 0);
    // Those of the same weight stay in their order.
    all.sort_by_key(|media| std::cmp::Reverse(weight(media)));
    all
}

/// Splits a text where a separator stands outside quotes.
fn split(text: &str, at: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c| {
        let literal = std::mem::take(&mut escaped);
        match c {
            '"' if !literal => quoted = !quoted,
            '\\' if quoted && !literal => escaped = true,
            _ => {}
        }
        c == at && !quoted
    })
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut escaped = false;
    let keep = |c: &char| {
        escaped = *c == '\\' && !escaped;
        !escaped
    };
    inner.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_may_be_quoted() {
        let read =
            MediaType::parse(r#"Multipart/Related; Type="application/dicom"; boundary="a;\"b""#);
        let read = read.unwrap();
        assert_eq!(
            (read.name.as_str(), read.content().as_str()),
            ("multipart/related", "application/dicom")
        );
        assert_eq!(read.parameter("boundary"), Some("a;\"b"));
        for wrong in ["", "image", "/png", "image/", "image /png"] {
            assert_eq!(MediaType::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_dearest_comes_first_and_what_is_worth_nothing_not_at_all() {
        let names = |header| {
            accepted(header).into_iter().map(|media| media.name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(None), "*/*");
        assert_eq!(names(Some("a/b;q=0.5, c/d, e/f;q=0, g/h;q=0.7")), "c/d g/h a/b");
        assert_eq!(names(Some(r#"a/b;x=",", nonsense"#)), "a/b");
    }

    #[test]
    fn stars_include_others() {
        let includes = |range: &str, name| MediaType::parse(range).unwrap().includes(name);
        assert!(includes("*/*", "image/png") && includes("image/*", "image/png"));
        assert!(!includes("image/*", "text/png") && !includes("image/png", "image/jpeg"));
        assert!(includes(r#"multipart/related; type="image/jpeg""#, "image/jpeg"));
    }
}
