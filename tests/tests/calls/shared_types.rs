//! IDL of two crates: the types come from the generated code of the test library.

mod idl {
    armilla::include_idl!("gallery");
}

use armilla::codegen::{SharedOctets, SharedStrings};
use armilla::{Error, ResponseHandler, SystemException, Value};
use armilla_tests::orbs::{client, listening};
use armilla_tests::shared::shapes;
use idl::gallery::carved::CarveRaises;
use idl::gallery::room::HangRaises;
use idl::gallery::{
    AmhRoom, Carved, CarvedFactory, CarvedOperations, Picture, Room, RoomRef, room,
};
use idl::shapes::Line;
use shapes::{AmhNamed, Fill, Frame, FrameRef, Named, NamedRef, Pixels, Point, Refused};
use std::thread;

struct Hall;

impl Named for Hall {
    fn name(&self) -> Result<String, SystemException> {
        Ok("hall".to_owned())
    }
}

impl Room for Hall {
    fn hang(
        &self,
        what: &Picture,
        place: &Point,
        pixels: &mut Pixels,
    ) -> Result<Picture, Error<HangRaises>> {
        if place.x < 0.0 {
            return Err(Refused { why: "no wall".to_owned() }.into());
        }
        *pixels = what.pixels.clone();
        Ok(what.clone())
    }

    fn keeper(&self) -> Result<NamedRef, SystemException> {
        Ok(NamedRef::nil())
    }

    fn annotate(
        &self,
        notes: &SharedStrings,
        others: &mut SharedStrings,
    ) -> Result<SharedStrings, SystemException> {
        *others = notes.clone();
        Ok(notes.slice(1..2))
    }
}

fn picture() -> Picture {
    let base = Frame { width: 3 };
    let carved = Value::new(Carved { base, ornament: "leaves".to_owned() });
    Picture {
        edge: Line { from: Point { x: 0.0, y: 0.0 }, to: Point { x: 4.0, y: 3.0 } },
        fill: Fill::Centre(Point { x: 1.0, y: 1.0 }),
        pixels: vec![7; 100_000].into(),
        thumbnail: SharedOctets::from(vec![1, 2, 3]),
        notes: ["early", "größer"].into_iter().collect(),
        around: Some(carved.upcast()),
    }
}

#[test]
fn types_exceptions_and_interfaces_of_another_crate_are_used_as_they_are() {
    let orb = listening();
    let room: RoomRef = orb.root_poa().activate(room::tie(Hall)).unwrap();
    let far = client();
    // The crate of `Frame` cannot know what is made of it elsewhere.
    [&orb, &far].into_iter().for_each(|orb| orb.register_value::<Carved>());
    let url = orb.object_to_string(room.object()).unwrap();
    let remote: RoomRef = far.resolve(&url).unwrap();
    for room in [room, remote] {
        let sent = picture();
        let mut pixels = Pixels::default();
        let hung = room.hang(&sent, &Point { x: 1.0, y: 1.0 }, &mut pixels).unwrap();
        assert_eq!((&hung.edge, &hung.fill), (&sent.edge, &sent.fill));
        assert_eq!((&hung.pixels, &hung.thumbnail), (&sent.pixels, &sent.thumbnail));
        assert_eq!(hung.notes, sent.notes);
        let (notes, mut others) = (sent.notes.clone(), SharedStrings::default());
        assert_eq!(room.annotate(&notes, &mut others).unwrap(), notes.slice(1..2));
        assert_eq!(others, notes);
        assert_eq!(pixels, sent.pixels);
        assert_eq!(width_and_ornament(hung.around), (3, "leaves".to_owned()));
        assert_eq!(room.name().unwrap(), "hall");
        assert_eq!(room.upcast::<dyn Named>().name().unwrap(), "hall");
        assert!(room.keeper().unwrap().is_nil());

        let refused = room.hang(&sent, &Point { x: -1.0, y: 0.0 }, &mut pixels).unwrap_err();
        let why = Refused { why: "no wall".to_owned() };
        assert_eq!(refused, Error::User(HangRaises::Refused(why)));
    }
}

fn width_and_ornament(frame: FrameRef) -> (i32, String) {
    let carved: Value<Carved> = frame.unwrap().downcast().unwrap();
    let state = carved.get();
    (state.base.width, state.ornament.clone())
}

#[test]
fn collocated_calls_pass_shared_octets_on_without_a_copy() {
    let orb = listening();
    let room: RoomRef = orb.root_poa().activate(room::tie(Hall)).unwrap();
    let sent = picture();
    let mut pixels = Pixels::default();
    room.hang(&sent, &Point { x: 1.0, y: 1.0 }, &mut pixels).unwrap();
    assert_eq!(pixels.as_ptr(), sent.pixels.as_ptr());
}

#[test]
fn traits_are_derived_where_the_members_allow_it() {
    assert!(Point { x: 1.0, y: 2.0 } < Point { x: 1.0, y: 3.0 });
    assert!(Fill::Centre(Point { x: 1.0, y: 2.0 }) < Fill::Centre(Point { x: 2.0, y: 0.0 }));
}

impl CarvedFactory for Carved {
    fn carve(width: i32, ornament: &str) -> Result<Value<Self>, Error<CarveRaises>> {
        if width < 0 {
            return Err(Refused { why: "no frame".to_owned() }.into());
        }
        Ok(Value::new(Carved { base: Frame { width }, ornament: ornament.to_owned() }))
    }
}

impl CarvedOperations for Value<Carved> {
    fn length(&self) -> Result<i32, SystemException> {
        Ok(2 * self.get().base.width)
    }

    fn thickness(&self) -> Result<i32, SystemException> {
        Ok(self.get().ornament.len() as i32)
    }

    fn set_thickness(&self, value: i32) -> Result<(), SystemException> {
        self.update(|carved| carved.ornament = "x".repeat(value as usize));
        Ok(())
    }
}

#[test]
fn what_valuetypes_do_is_what_the_program_makes_of_it() {
    let carved = Carved::carve(4, "rose").unwrap();
    assert_eq!((carved.length().unwrap(), carved.thickness().unwrap()), (8, 4));
    carved.set_thickness(2).unwrap();
    assert_eq!(carved.get().ornament, "xx");
    assert!(matches!(Carved::carve(-1, ""), Err(Error::User(CarveRaises::Refused(_)))));
}

/// Hangs pictures in threads of its own, and says its name as a `Hall` does.
struct Slow;

type Hung = (Picture, Pixels);

impl AmhNamed for Slow {}

impl Named for Slow {
    fn name(&self) -> Result<String, SystemException> {
        Hall.name()
    }
}

impl Room for Slow {
    fn hang(
        &self,
        what: &Picture,
        place: &Point,
        pixels: &mut Pixels,
    ) -> Result<Picture, Error<HangRaises>> {
        let hung = ResponseHandler::wait_for(|reply| self.hang_amh(what, place, pixels, reply));
        hung.map(|(picture, new_pixels)| {
            *pixels = new_pixels;
            picture
        })
    }

    fn keeper(&self) -> Result<NamedRef, SystemException> {
        Hall.keeper()
    }

    fn annotate(
        &self,
        notes: &SharedStrings,
        others: &mut SharedStrings,
    ) -> Result<SharedStrings, SystemException> {
        Hall.annotate(notes, others)
    }
}

impl AmhRoom for Slow {
    fn hang_amh(
        &self,
        what: &Picture,
        place: &Point,
        pixels: &[u8],
        reply: ResponseHandler<Hung, Error<HangRaises>>,
    ) {
        let (what, place, mut pixels) = (what.clone(), *place, pixels.into());
        thread::spawn(move || {
            let hung = Hall.hang(&what, &place, &mut pixels);
            reply.complete(hung.map(|picture| (picture, pixels)));
        });
    }
}

#[test]
fn methods_that_reply_now_and_such_that_reply_later_mix_in_one_servant() {
    let orb = listening();
    let room = orb.root_poa().activate(room::tie_amh(Slow)).unwrap();
    let room: RoomRef = room.upcast();
    let far = client();
    [&orb, &far].into_iter().for_each(|orb| orb.register_value::<Carved>());
    let remote: RoomRef = far.resolve(&orb.object_to_string(room.object()).unwrap()).unwrap();
    for room in [room, remote] {
        let (sent, mut pixels) = (picture(), Pixels::default());
        let hung = room.hang(&sent, &Point { x: 1.0, y: 1.0 }, &mut pixels).unwrap();
        assert_eq!((hung.edge, pixels), (sent.edge, sent.pixels.clone()));
        let refused = room.hang(&sent, &Point { x: -1.0, y: 1.0 }, &mut Pixels::default());
        assert!(matches!(refused, Err(Error::User(HangRaises::Refused(_)))));
        assert_eq!(room.name().unwrap(), "hall");
    }
}
