//! Views: who belongs to a group, and who is its primary. The registry has the latest one.

use serde::{Deserialize, Serialize};

/// A member, as others find it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberInfo {
    /// Its name, which no other member of the group has; the location of the member.
    pub name: String,
    /// The reference to its object, as text.
    pub object: String,
    /// The reference by which other members call it, as text.
    pub peer: String,
}

/// A version of the membership of a group.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct View {
    /// The version, from 1 on; each view that takes the place of another one has the next.
    pub version: u32,
    /// The members. The first is the primary.
    pub members: Vec<MemberInfo>,
}

impl View {
    /// The primary; `None` if there is no member.
    pub fn primary(&self) -> Option<&MemberInfo> {
        self.members.first()
    }

    /// The member with this name.
    pub fn member(&self, name: &str) -> Option<&MemberInfo> {
        self.members.iter().find(|member| member.name == name)
    }

    /// The place of the member with this name: 0 for the primary.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name == name)
    }

    /// The next view, with another member, or with a member at another address.
    #[must_use]
    pub fn with(&self, member: MemberInfo) -> Self {
        let mut next = self.without(&member.name);
        next.members.push(member);
        next
    }

    /// The next view, without a member.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let members = self.members.iter().filter(|member| member.name != name).cloned();
        Self { version: self.version.wrapping_add(1), members: members.collect() }
    }

    /// The next view, in which a backup has taken the place of the primary, which is gone.
    #[must_use]
    pub fn taken_over_by(&self, name: &str) -> Self {
        let mut members = self.members.clone();
        if !members.is_empty() {
            members.remove(0);
        }
        if let Some(place) = members.iter().position(|member| member.name == name) {
            members[..=place].rotate_right(1);
        }
        Self { version: self.version.wrapping_add(1), members }
    }

    /// The next view, in which a member has become the primary by the will of the old one,
    /// which stays.
    #[must_use]
    pub fn led_by(&self, name: &str) -> Self {
        let mut members = self.members.clone();
        if let Some(place) = self.place(name) {
            members[..=place].rotate_right(1);
        }
        Self { version: self.version.wrapping_add(1), members }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(names: &[&str]) -> View {
        let member = |name: &&str| MemberInfo {
            name: (*name).into(),
            object: String::new(),
            peer: String::new(),
        };
        View { version: 7, members: names.iter().map(member).collect() }
    }

    #[test]
    fn views_follow_each_other() {
        let names = |view: &View| -> Vec<_> {
            view.members.iter().map(|member| member.name.clone()).collect()
        };
        let first = view(&["a", "b", "c"]);
        let next = first.taken_over_by("c");
        assert_eq!((next.version, names(&next)), (8, vec!["c".to_owned(), "b".into()]));
        assert_eq!(names(&first.led_by("c")), ["c", "a", "b"]);
        let next = next.without("b").with(first.members[0].clone());
        assert_eq!((next.version, names(&next)), (10, vec!["c".to_owned(), "a".into()]));
        assert_eq!(View::default().taken_over_by("a").members, []);
    }
}
