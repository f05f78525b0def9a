//! Which of several names was probably meant.

use strsim::osa_distance;

/// The name that is most similar to `wanted`, if one is similar at all.
pub fn most_similar<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = comparable(wanted);
    let limit = (wanted.chars().count() / 3).max(1);
    names
        .into_iter()
        .map(|name| (osa_distance(&wanted, &comparable(name)), name))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, name)| name)
}

/// Longer names are compared up to here.
const MAX_NAME: usize = 64;

/// The beginning of a name, without its case.
fn comparable(name: &str) -> String {
    name.chars().take(MAX_NAME).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_keyboard_are_recognized() {
        let names = ["price", "location", "isColour", "pages_per_minute"];
        for (slip, meant) in [
            ("pirce", Some("price")),
            ("Price", Some("price")),
            ("locatoin", Some("location")),
            ("iscolor", Some("isColour")),
            ("pagesPerMinute", Some("pages_per_minute")),
            ("weight", None),
        ] {
            assert_eq!(most_similar(slip, names), meant, "{slip}");
        }
    }
}
