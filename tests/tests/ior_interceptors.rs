//! What an IOR interceptor is told of the POA that makes a reference, and what it adds (CORBA 3.4 Part
//! 1, 16.5).

use armilla::interceptor::{IorInfo, IorInterceptor};
use armilla::{ExceptionKind, Lifespan, Minor, Object, Policy, SystemException};
use armilla_tests::orbs;
use armilla_tests::probe::*;
use std::sync::{Arc, Mutex};

const MARK: u32 = 0x4558_0401;

/// Marks the references of persistent POAs with the name of the adapter, and makes one more of them.
#[derive(Clone, Default)]
struct Surveyor(Arc<Mutex<Vec<Object>>>);

impl IorInterceptor for Surveyor {
    fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException> {
        if !info.policies().contains(&Policy::Lifespan(Lifespan::Persistent)) {
            return Ok(());
        }
        let other = info.add_component_to_profile(1, MARK, Vec::new()).unwrap_err();
        assert_eq!((other.kind(), other.minor()), (ExceptionKind::BadParam, Minor::omg(29)));
        let template = info.adapter_template()?;
        assert_eq!((template.orb_id(), template.server_id()), ("inner", "house"));
        assert_eq!(template.adapter_name(), info.adapter_name());
        let mark = template.adapter_name().join("/").into_bytes();
        info.add_component_to_profile(0, MARK, mark)?;
        let mut made = self.0.lock().unwrap();
        if made.is_empty() {
            // This very interceptor is called for it.
            made.push(Object::nil());
            drop(made);
            let object = template.make_object("IDL:armilla.org/Probe/Listener:1.0", "second")?;
            self.0.lock().unwrap().push(object);
        }
        Ok(())
    }
}

#[test]
fn references_are_marked_by_the_policies_of_their_poa() {
    let surveyor = Surveyor::default();
    let names = ["-ORBid", "inner", "-ORBServerId", "house"].map(str::to_owned);
    let orb = orbs::builder().arguments(names).unwrap().ior_interceptor(surveyor.clone());
    let orb = orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let plain = orb.root_poa().create_reference::<dyn Listener>().unwrap();
    assert_eq!(plain.object().component(MARK), None);
    let poa = orb.root_poa().create_poa("kept").persistent().user_ids().build().unwrap();
    let first = poa.create_reference_with_id::<dyn Listener>("first").unwrap();
    let mark = Some(b"RootPOA/kept".to_vec());
    assert_eq!(first.object().component(MARK), mark);
    let second = surveyor.0.lock().unwrap().pop().unwrap();
    assert_eq!(second.component(MARK), mark);
    let same = poa.create_reference_with_id::<dyn Listener>("second").unwrap();
    assert!(second.is_equivalent(same.object()));
    assert_eq!(poa.policies().len(), 8);
    orb.shutdown();
}
