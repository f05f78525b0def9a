//! Suggestions for names that do not exist.

use strsim::osa_distance;

/// The candidate that differs least from `name`, if it differs little.
pub(crate) fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let length = name.chars().take(LONGEST + 1).count();
    if length > LONGEST {
        return None;
    }
    let allowed = (length / 3).max(1);
    candidates
        .into_iter()
        .take(MOST)
        .filter(|candidate| candidate.len().abs_diff(length) <= 4 * allowed)
        .map(|candidate| (osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The longest name and the number of candidates that are looked at: a suggestion is worth no more.
const LONGEST: usize = 100;
const MOST: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_slip_is_found() {
        let names = ["Sensor::read", "Sensor::write", "Hud::draw"];
        assert_eq!(closest("Sensor::raed", names), Some("Sensor::read"));
        assert_eq!(closest("Hud::Draw", names), Some("Hud::draw"));
        assert_eq!(closest("Recorder::store", names), None);
        assert_eq!(closest("", names), None);
    }
}
