//! Variations of the measured ORB: the words among its options.

use super::many::Strategy;
use armilla::Collocation;

/// The kind of invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Invocation {
    /// By generated stubs.
    #[default]
    Static,
    /// By reused requests of the dynamic invocation interface.
    Dynamic,
    /// By a new request of the dynamic invocation interface for every call.
    DynamicNew,
    /// By stubs with a new operation name each time, so that no header template fits.
    NewHeaders,
}

/// All variations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Variation {
    pub(super) invocation: Invocation,
    /// Whether a dynamic skeleton serves the calls.
    pub(super) dynamic_servant: bool,
    /// Whether the servant copies its borrowed argument.
    pub(super) copying_servant: bool,
    /// The lookup strategy of the adapter.
    pub(super) lookup: Option<Strategy>,
    /// The collocation of client and objects, if they are in one process.
    pub(super) near: Option<Collocation>,
}

impl Variation {
    /// Parses `options`; ignores those of the ORB.
    ///
    /// # Errors
    /// The unknown word.
    pub(super) fn parse(options: &[String]) -> Result<Self, String> {
        let mut variation = Self::default();
        let mut words = options.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                option if option.starts_with("-ORB") => drop(words.next()),
                "dii" => variation.invocation = Invocation::Dynamic,
                "dii-new" => variation.invocation = Invocation::DynamicNew,
                "new-headers" => variation.invocation = Invocation::NewHeaders,
                "dsi" => variation.dynamic_servant = true,
                "copying" => variation.copying_servant = true,
                "near-direct" => variation.near = Some(Collocation::Direct),
                "near-poa" => variation.near = Some(Collocation::ThroughPoa),
                "near-remote" => variation.near = Some(Collocation::Remote),
                other => {
                    let lookup = other.strip_prefix("lookup-").and_then(Strategy::parse);
                    variation.lookup = Some(lookup.ok_or_else(|| format!("{other:?}?"))?);
                }
            }
        }
        Ok(variation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_nothing_are_refused() {
        let parse = |words: &[&str]| {
            Variation::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(parse(&["-ORBConnectionPolicy", "multiplexed"]), Ok(Variation::default()));
        let linear = Variation { lookup: Some(Strategy::Linear), ..Variation::default() };
        assert_eq!(parse(&["lookup-linear"]), Ok(linear));
        assert!(parse(&["lookup-hopeful"]).is_err() && parse(&["faster"]).is_err());
    }
}
