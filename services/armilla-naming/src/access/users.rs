//! The users of this host.

use std::fs;

/// The number of a user, from `/etc/passwd`. Users that another directory has are known by their
/// numbers only.
pub(super) fn number(name: &str) -> Option<u32> {
    number_in(&fs::read_to_string("/etc/passwd").ok()?, name)
}

fn number_in(table: &str, name: &str) -> Option<u32> {
    table.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (known, number) = (fields.next()?, fields.nth(1)?);
        (known == name).then(|| number.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::number_in;

    #[test]
    fn users_are_known_by_their_lines() {
        let table = "root:x:0:0:root:/root:/bin/sh\n\nodd\nobserver:x:1000:1000::/home/o:/bin/sh\n";
        assert_eq!(number_in(table, "root"), Some(0));
        assert_eq!(number_in(table, "observer"), Some(1000));
        assert_eq!(number_in(table, "obs"), None);
        assert_eq!(number_in("broken:x:number:0", "broken"), None);
    }
}
