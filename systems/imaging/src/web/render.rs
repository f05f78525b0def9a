//! Pictures: rendered images and thumbnails (PS3.18, sections 8.3.5 and 10.4.1.1.4).

use super::resource::Target;
use super::sources::Failure;
use super::{Asked, Problem, Web};
use crate::idl::server::PictureRaises;
use crate::idl::{Image, PictureFormat, Server, ServerRef, View, WindowFunction};
use crate::query;
use armilla::Error;
use armilla_service::axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use armilla_service::axum::response::{IntoResponse, Response};

/// The edge of a thumbnail if nothing is said.
const THUMBNAIL: u32 = 128;

/// The quality of JPEG if nothing is said.
const QUALITY: u8 = 90;

/// A frame of an image as a picture.
pub(super) fn rendered(web: &Web, asked: &Asked, target: &Target) -> Result<Response, Problem> {
    if target.instance.is_empty() {
        let what = "single images are rendered; a study or a series has thumbnails";
        return Err(Problem::not_found(what));
    }
    let ([] | [_]) = target.frames[..] else {
        return Err(Problem::not_acceptable("one frame is rendered at a time"));
    };
    let view = view(asked, View { quality: QUALITY, ..View::default() })?;
    let (images, _) = web.sources.images(&target.study, &target.series, &target.instance)?;
    picture(web, &images[0], target, &view)
}

/// A small picture of a study, a series or an image: of the image in the middle of its first series.
pub(super) fn thumbnail(web: &Web, asked: &Asked, target: &Target) -> Result<Response, Problem> {
    let edge = THUMBNAIL;
    let small = View { columns: edge, rows: edge, quality: QUALITY, ..View::default() };
    let view = view(asked, small)?;
    let (mut images, _) = web.sources.images(&target.study, &target.series, &target.instance)?;
    // What is no image has no rows.
    images.retain(|image| image.rows > 0);
    images.sort_by(query::group_order);
    if let Some(series) = images.first().map(|image| image.series.clone()) {
        images.retain(|image| image.series == series);
    }
    match images.get(images.len() / 2) {
        Some(image) => picture(web, image, target, &view),
        None => Err(Problem::not_found("nothing of it can be drawn")),
    }
}

fn picture(web: &Web, image: &Image, target: &Target, view: &View) -> Result<Response, Problem> {
    target.check_frames(image)?;
    let frame = match target.frames.first() {
        Some(frame) => frame - 1,
        None => image.frames / 2 * u32::from(target.instance.is_empty()),
    };
    let drawn = web.sources.at_holder(&image.series, &image.uid, &mut |server: &ServerRef| {
        server.picture(&image.uid, frame, view).map_err(|error| match error {
            Error::User(PictureRaises::Refused(refused)) => {
                Failure::Over(Problem::refused(refused.kind, refused.reason))
            }
            error => Failure::Next(error.to_string()),
        })
    })?;
    let kind = match view.format {
        PictureFormat::Png => "image/png",
        PictureFormat::Jpeg => "image/jpeg",
    };
    let head = [(CONTENT_TYPE, kind), (CACHE_CONTROL, "private, max-age=300")];
    Ok((head, drawn).into_response())
}

/// How a picture is wanted: its media type, and `window`, `viewport` and `quality`.
fn view(asked: &Asked, mut view: View) -> Result<View, Problem> {
    let formats = [("image/jpeg", PictureFormat::Jpeg), ("image/png", PictureFormat::Png)];
    let accepted = asked.accept.iter().find_map(|range| {
        formats.iter().find(|(name, _)| range.includes(name)).map(|(_, format)| *format)
    });
    view.format = accepted
        .ok_or_else(|| Problem::not_acceptable("pictures are given as image/jpeg or image/png"))?;
    for (name, value) in &asked.parameters {
        let wrong = |how: &str| Problem::bad(format!("{name}={value}: {how}"));
        match name.as_str() {
            "quality" => {
                let quality = value.parse().ok().filter(|quality| (1..=100).contains(quality));
                view.quality = quality.ok_or_else(|| wrong("a number from 1 to 100 is needed"))?;
            }
            "viewport" => {
                let how = "width,height in pixels are needed; regions are not cut out";
                (view.columns, view.rows) = viewport(value).ok_or_else(|| wrong(how))?;
            }
            "window" => {
                let how = "centre,width,function are needed, with linear, linear-exact or sigmoid";
                (view.centre, view.width, view.shape) = window(value).ok_or_else(|| wrong(how))?;
            }
            _ => {}
        }
    }
    Ok(view)
}

fn viewport(text: &str) -> Option<(u32, u32)> {
    let (columns, rows) = text.split_once(',')?;
    let edge = |text: &str| text.parse().ok().filter(|edge| (1..=65_535).contains(edge));
    Some((edge(columns)?, edge(rows)?))
}

fn window(text: &str) -> Option<(f64, f64, WindowFunction)> {
    let mut fields = text.split(',');
    let mut number = || fields.next()?.trim().parse::<f64>().ok().filter(|n| n.is_finite());
    let (centre, width) = (number()?, number()?);
    let shape = match fields.next().map(str::trim) {
        None | Some("linear") => WindowFunction::Linear,
        Some("linear-exact") => WindowFunction::LinearExact,
        Some("sigmoid") => WindowFunction::Sigmoid,
        Some(_) => return None,
    };
    (width >= 1.0 && fields.next().is_none()).then_some((centre, width, shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_viewports_are_read() {
        assert_eq!(window("40,400,linear"), Some((40.0, 400.0, WindowFunction::Linear)));
        assert_eq!(window("-4.5,1,sigmoid"), Some((-4.5, 1.0, WindowFunction::Sigmoid)));
        for wrong in ["", "1", "1,0", "1,2,cubic", "1,2,linear,3", "nan,2", "1,inf"] {
            assert_eq!(window(wrong), None, "{wrong}");
        }
        assert_eq!(viewport("10,20"), Some((10, 20)));
        for wrong in ["", "10", "0,1", "1,2,3", "99999,1"] {
            assert_eq!(viewport(wrong), None, "{wrong}");
        }
    }
}
