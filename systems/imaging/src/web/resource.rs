//! The paths of DICOMweb (PS3.18, table 10.1-1 and sections 10.4 to 10.6): what a request is about.

use super::Problem;
use crate::dicom::is_uid;
use crate::idl::{Image, Level};

/// What a request is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) study: String,
    pub(super) series: String,
    pub(super) instance: String,
    /// From 1 on.
    pub(super) frames: Vec<u32>,
}

impl Target {
    /// Whether an image has pixels, and the frames that are asked for.
    pub(super) fn check_frames(&self, image: &Image) -> Result<(), Problem> {
        if image.rows == 0 {
            return Err(Problem::not_found("this object has no pixels"));
        }
        match self.frames.iter().find(|frame| **frame > image.frames) {
            Some(frame) => {
                let what = format!("there is no frame {frame}; the last one is {}", image.frames);
                Err(Problem::not_found(what))
            }
            None => Ok(()),
        }
    }
}

/// What is wanted of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    /// What is in it, as JSON.
    Search(Level),
    /// Its files.
    Files,
    Metadata,
    /// The pixels of frames.
    Frames,
    Rendered,
    Thumbnail,
}

/// The most frames that one request names.
const MOST_FRAMES: usize = 10_000;

/// Reads a path below `/dicomweb/`.
pub(super) fn parse(path: &str) -> Result<(Target, Resource), Problem> {
    let unknown = || Problem::not_found(format!("{path:?} is no resource of DICOMweb"));
    let words: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let mut target = Target::default();
    let mut rest = &words[..];
    let levels =
        [("studies", Level::Studies), ("series", Level::Series), ("instances", Level::Instances)];
    let mut lowest = None;
    for (name, level) in levels {
        let [first, more @ ..] = rest else { break };
        // `series` and `instances` may be searched in all that stands above them.
        if first != &name {
            if level == Level::Instances || !levels.iter().any(|(name, _)| name == first) {
                break;
            }
            continue;
        }
        let [uid, more @ ..] = more else { return Ok((target, Resource::Search(level))) };
        if level != Level::Studies && lowest != above(level) {
            return Err(unknown());
        }
        if !is_uid(uid) {
            return Err(Problem::bad(format!("{uid:?} is no UID")));
        }
        let place = match level {
            Level::Studies => &mut target.study,
            Level::Series => &mut target.series,
            Level::Instances => &mut target.instance,
        };
        (*uid).clone_into(place);
        lowest = Some(level);
        rest = more;
    }
    let Some(lowest) = lowest else { return Err(unknown()) };
    let resource = match (lowest, rest) {
        (_, []) => Resource::Files,
        (_, ["metadata"]) => Resource::Metadata,
        (_, ["thumbnail"]) => Resource::Thumbnail,
        (_, ["rendered"]) => Resource::Rendered,
        (Level::Instances, ["frames", list, more @ ..]) => {
            target.frames = frames(list)?;
            match more {
                [] => Resource::Frames,
                ["rendered"] => Resource::Rendered,
                ["thumbnail"] => Resource::Thumbnail,
                _ => return Err(unknown()),
            }
        }
        _ => return Err(unknown()),
    };
    Ok((target, resource))
}

const fn above(level: Level) -> Option<Level> {
    match level {
        Level::Studies => None,
        Level::Series => Some(Level::Studies),
        Level::Instances => Some(Level::Series),
    }
}

fn frames(list: &str) -> Result<Vec<u32>, Problem> {
    let number = |text: &str| match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err(Problem::bad(format!("{text:?} is no number of a frame; the first one is 1"))),
    };
    let list: Vec<_> = list.split(',').take(MOST_FRAMES + 1).collect();
    match list.len() <= MOST_FRAMES {
        true => list.into_iter().map(number).collect(),
        false => Err(Problem::bad(format!("a request names {MOST_FRAMES} frames at most"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_what_they_name() {
        let read = |path: &str| {
            let (target, resource) = parse(path).unwrap();
            let frames = target.frames.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            let shown = [target.study, target.series, target.instance, frames].join("|");
            (shown, resource)
        };
        for (path, shown, resource) in [
            ("studies", "|||", Resource::Search(Level::Studies)),
            ("series", "|||", Resource::Search(Level::Series)),
            ("instances/", "|||", Resource::Search(Level::Instances)),
            ("studies/1/series", "1|||", Resource::Search(Level::Series)),
            ("studies/1/instances", "1|||", Resource::Search(Level::Instances)),
            ("studies/1/series/2/instances", "1|2||", Resource::Search(Level::Instances)),
            ("studies/1", "1|||", Resource::Files),
            ("studies/1/metadata", "1|||", Resource::Metadata),
            ("studies/1/series/2/thumbnail", "1|2||", Resource::Thumbnail),
            ("studies/1/series/2/instances/3", "1|2|3|", Resource::Files),
            ("studies/1/series/2/instances/3/rendered", "1|2|3|", Resource::Rendered),
            ("studies/1/series/2/instances/3/frames/4,1", "1|2|3|4,1", Resource::Frames),
            ("studies/1/series/2/instances/3/frames/4/rendered", "1|2|3|4", Resource::Rendered),
        ] {
            assert_eq!(read(path), (shown.to_owned(), resource), "{path}");
        }
    }

    #[test]
    fn paths_that_name_nothing_are_refused() {
        for path in [
            "",
            "patients",
            "series/1",
            "instances/3",
            "studies/1/instances/3",
            "studies/..",
            "studies/1/series/2/frames/1",
            "studies/1/series/2/instances/3/frames/0",
            "studies/1/series/2/instances/3/frames/1,x",
            "studies/1/series/2/instances/3/bulkdata/7",
        ] {
            assert!(parse(path).is_err(), "{path}");
        }
    }
}
