//! Large arrays: threads with the default stack size pass, raise and hold structs with them, also
//! in unoptimized programs.

use armilla::{Any, Error, SystemException};
use armilla_tests::frames::camera::EchoRaises;
use armilla_tests::frames::*;
use armilla_tests::orbs::{client, listening, travel};

struct Mirror;

impl Camera for Mirror {
    fn echo(&self, given: &Frame) -> Result<Frame, Error<EchoRaises>> {
        match given.first[0] {
            0 => Ok(given.clone()),
            _ => Err(Torn { seen: given.clone() }.into()),
        }
    }

    fn echo_content(&self, given: &Content) -> Result<Content, SystemException> {
        Ok(given.clone())
    }
}

fn frame() -> Box<Frame> {
    let mut pixels = armilla::codegen::LargeArray::filled(7);
    pixels[59_999] = 9;
    let row = armilla::codegen::LargeArray::filled(0.5);
    Box::new(Frame { first: [0; 8192], pixels, samples: [row.clone(), row], last: [3; 8192] })
}

#[test]
fn large_arrays_are_passed_and_raised_without_a_stack_for_them() {
    let server = listening();
    let near: CameraRef = server.root_poa().activate(camera::tie(Mirror)).unwrap();
    let far = travel(&near, &client());
    let mut given = frame();
    assert!(far.echo(&given).unwrap() == *given);
    given.first[0] = 1;
    let raised = far.echo(&given).unwrap_err();
    assert!(matches!(&raised, Error::User(EchoRaises::Torn(torn)) if torn.seen == *given));
    let content = Content::Whole(*given);
    assert!(far.echo_content(&content).unwrap() == content);
    server.shutdown();
}

#[test]
fn large_arrays_go_into_anys_and_come_out_of_them() {
    let given = frame();
    let any = Any::new(&*given).unwrap();
    assert!(any.get::<Frame>().unwrap() == Some(*given));
}
