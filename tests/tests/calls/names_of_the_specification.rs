//! CORBA's own names lead to what does their job: rustdoc finds each of them by an alias.
//!
//! The list has the names of the specification's interfaces (CORBA 3.4 Part 1 unless it says
//! otherwise), each with its place in Armilla, as `name=Owner::item`; `Owner::item` alone has the
//! specification's name. Names that Armilla does not have are listed with the reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// An interface, the section of the specification, and its names with their places.
const NAMES: &[(&str, &str, &str)] = &[
    (
        "CORBA::ORB",
        "8.2, 8.5",
        "ORB=Orb ORB_init=Orb::init Orb::string_to_object Orb::object_to_string \
         get_default_context=Orb::default_context get_next_response=PollableSet::wait \
         poll_next_response=PollableSet::take_ready Orb::create_policy \
         register_value_factory=Orb::register_value \
         unregister_value_factory=Orb::unregister_value lookup_value_factory=Orb::has_value \
         list_initial_services=Orb::list_initial_references Orb::list_initial_references \
         Orb::resolve_initial_references Orb::register_initial_reference Orb::work_pending \
         Orb::perform_work Orb::run Orb::shutdown destroy=Orb::shutdown",
    ),
    (
        "CORBA::Object",
        "8.3",
        "Object get_interface=Object::interface _get_interface=Object::interface \
         Object::is_nil _is_nil=Object::is_nil Object::is_a _is_a=Object::is_a \
         Object::non_existent _non_existent=Object::non_existent Object::is_equivalent \
         _is_equivalent=Object::is_equivalent hash=Object::hash_up_to \
         _hash=Object::hash_up_to Object::repository_id _repository_id=Object::repository_id \
         create_request=Object::request _request=Object::request \
         get_policy=Object::client_policies get_client_policy=Object::client_policies \
         set_policy_overrides=Object::with_policies \
         get_policy_overrides=Object::policy_overrides validate_connection=Object::locate \
         get_component=Object::component _get_component=Object::component get_orb=Object::orb \
         _get_orb=Object::orb _nil=Object::nil _narrow=Object::narrow \
         _unchecked_narrow=Object::assume _this=Orb::this",
    ),
    (
        "CORBA::Policy, PolicyManager, PolicyCurrent",
        "8.9",
        "Policy Policy::policy_type PolicyType PolicyError PolicyManager=Orb::set_policies \
         ORBPolicyManager=Orb::set_policies set_policy_overrides=Orb::set_policies \
         get_policy_overrides=Orb::policies PolicyCurrent \
         set_policy_overrides=PolicyCurrent::set get_policy_overrides=PolicyCurrent::policies \
         BAD_POLICY=PolicyError::BadPolicy UNSUPPORTED_POLICY=PolicyError::UnsupportedPolicy \
         BAD_POLICY_TYPE=PolicyError::BadPolicyType \
         BAD_POLICY_VALUE=PolicyError::BadPolicyValue \
         UNSUPPORTED_POLICY_VALUE=PolicyError::UnsupportedPolicyValue \
         InvalidPolicies=PolicyError",
    ),
    (
        "CORBA::Request, Context, ServerRequest",
        "10, 11",
        "Request add_arg=Request::add Request::set_return_type Request::return_value \
         Request::invoke Request::send_oneway Request::send_deferred \
         get_response=ReplyFuture::wait poll_response=ReplyFuture::is_ready Context \
         context_name=Context::name Context::parent Context::create_child \
         Context::set_one_value Context::set_values Context::get_values \
         Context::delete_values ServerRequest ServerRequest::operation \
         ServerRequest::arguments ctx=ServerRequest::context ServerRequest::set_result \
         ServerRequest::set_exception DynamicImplementation=DynamicServant \
         _primary_interface=DynamicServant::primary_interface",
    ),
    (
        "Messaging, CORBA::PollableSet",
        "17",
        "TRANSPARENT=Rebind::Transparent NO_REBIND=Rebind::NoRebind \
         NO_RECONNECT=Rebind::NoReconnect RebindPolicy=Rebind RebindMode=Rebind \
         SYNC_NONE=SyncScope::None SYNC_WITH_TRANSPORT=SyncScope::WithTransport \
         SYNC_WITH_SERVER=SyncScope::WithServer SYNC_WITH_TARGET=SyncScope::WithTarget \
         SyncScope SyncScopePolicy=SyncScope RequestEndTimePolicy=Policies::request_end \
         ReplyEndTimePolicy=Policies::reply_end \
         RelativeRequestTimeoutPolicy=Policies::request_timeout \
         RelativeRoundtripTimeoutPolicy=Policies::round_trip_timeout Poller=ReplyFuture \
         Pollable=ReplyFuture ReplyFuture::is_ready ReplyHandler=ReplyFuture::on_reply \
         PollableSet create_pollable_set=PollableSet::new add_pollable=PollableSet::add \
         get_ready_pollable=PollableSet::wait_for remove=PollableSet::retain \
         number_left=PollableSet::len",
    ),
    (
        "PortableServer::POA",
        "15.3.9",
        "POA=Poa create_POA=Poa::create_poa find_POA=Poa::find_poa Poa::destroy \
         ThreadPolicy=Threading create_thread_policy=Threading LifespanPolicy=Lifespan \
         create_lifespan_policy=Lifespan IdUniquenessPolicy=IdUniqueness \
         create_id_uniqueness_policy=IdUniqueness IdAssignmentPolicy=IdAssignment \
         create_id_assignment_policy=IdAssignment ImplicitActivationPolicy=ImplicitActivation \
         create_implicit_activation_policy=ImplicitActivation \
         ServantRetentionPolicy=ServantRetention \
         create_servant_retention_policy=ServantRetention \
         RequestProcessingPolicy=RequestProcessing \
         create_request_processing_policy=RequestProcessing BidirectionalPolicy=Bidirectional \
         the_name=Poa::name the_parent=Poa::parent the_children=Poa::children \
         the_POAManager=Poa::manager the_activator=Poa::activator \
         the_activator=Poa::set_activator get_servant_manager=Poa::servant_manager \
         Poa::set_servant_manager get_servant=Poa::default_servant \
         set_servant=Poa::set_default_servant activate_object=Poa::activate \
         activate_object_with_id=Poa::activate_with_id deactivate_object=Poa::deactivate \
         Poa::create_reference Poa::create_reference_with_id Poa::servant_to_id \
         Poa::servant_to_reference Poa::reference_to_servant Poa::reference_to_id \
         Poa::id_to_servant Poa::id_to_reference id=Poa::adapter_id ObjectId \
         PoaError::AdapterAlreadyExists PoaError::AdapterNonExistent PoaError::InvalidPolicy \
         PoaError::NoServant PoaError::ObjectAlreadyActive PoaError::ObjectNotActive \
         PoaError::ServantAlreadyActive PoaError::ServantNotActive PoaError::WrongAdapter \
         PoaError::WrongPolicy",
    ),
    (
        "PortableServer policies, values",
        "15.3.8",
        "ORB_CTRL_MODEL=Threading::OrbControl SINGLE_THREAD_MODEL=Threading::SingleThread \
         MAIN_THREAD_MODEL=Threading::MainThread TRANSIENT=Lifespan::Transient \
         PERSISTENT=Lifespan::Persistent UNIQUE_ID=IdUniqueness::Unique \
         MULTIPLE_ID=IdUniqueness::Multiple SYSTEM_ID=IdAssignment::System \
         USER_ID=IdAssignment::User NO_IMPLICIT_ACTIVATION=ImplicitActivation::Off \
         IMPLICIT_ACTIVATION=ImplicitActivation::On RETAIN=ServantRetention::Retain \
         NON_RETAIN=ServantRetention::NonRetain \
         USE_ACTIVE_OBJECT_MAP_ONLY=RequestProcessing::ActiveObjectMapOnly \
         USE_DEFAULT_SERVANT=RequestProcessing::DefaultServant \
         USE_SERVANT_MANAGER=RequestProcessing::ServantManager NORMAL=Bidirectional::Normal \
         BOTH=Bidirectional::Both",
    ),
    (
        "PortableServer::POAManager, POAManagerFactory",
        "15.3.2, 15.3.3",
        "POAManager=PoaManager PoaManager::activate PoaManager::hold_requests \
         PoaManager::discard_requests PoaManager::deactivate get_state=PoaManager::state \
         get_id=PoaManager::id HOLDING=ManagerState::Holding ACTIVE=ManagerState::Active \
         DISCARDING=ManagerState::Discarding INACTIVE=ManagerState::Inactive \
         PoaError::AdapterInactive POAManagerFactory=Orb::create_poa_manager \
         the_POAManagerFactory=Orb::create_poa_manager \
         create_POAManager=Orb::create_poa_manager list=Orb::poa_managers \
         find=Orb::find_poa_manager PoaError::ManagerAlreadyExists",
    ),
    (
        "PortableServer::AdapterActivator, ServantManager, Current",
        "15.3.4 to 15.3.7, 15.3.10",
        "AdapterActivator AdapterActivator::unknown_adapter ServantManager ServantActivator \
         ServantActivator::incarnate ServantActivator::etherealize ServantLocator \
         ServantLocator::preinvoke ServantLocator::postinvoke Cookie \
         ForwardRequest=ServantManagerError::Forward Current POACurrent=Orb::poa_current \
         get_POA=Current::poa get_object_id=Current::object_id \
         get_reference=Current::reference get_servant=Current::servant PoaError::NoContext \
         ServantBase _default_POA=ServantBase::default_poa _is_a=ServantBase::is_a \
         _non_existent=ServantBase::non_existent _get_interface=ServantBase::interface \
         _get_component=ServantBase::component _repository_id=ServantBase::repository_id",
    ),
    (
        "PortableInterceptor::ClientRequestInterceptor, ClientRequestInfo",
        "16.3",
        "ClientRequestInterceptor=ClientInterceptor ClientInterceptor::name \
         ClientInterceptor::destroy ClientInterceptor::send_request \
         ClientInterceptor::receive_reply ClientInterceptor::receive_exception \
         ClientInterceptor::receive_other ForwardRequest=Interruption::Forward \
         ClientRequestInfo ClientRequestInfo::request_id ClientRequestInfo::operation \
         ClientRequestInfo::arguments ClientRequestInfo::exceptions \
         ClientRequestInfo::contexts ClientRequestInfo::operation_context \
         ClientRequestInfo::result ClientRequestInfo::response_expected \
         ClientRequestInfo::sync_scope ClientRequestInfo::reply_status \
         ClientRequestInfo::forward_reference get_slot=ClientRequestInfo::slot \
         get_request_service_context=ClientRequestInfo::request_service_contexts \
         get_reply_service_context=ClientRequestInfo::reply_service_contexts \
         ClientRequestInfo::target ClientRequestInfo::effective_target \
         ClientRequestInfo::effective_profile ClientRequestInfo::received_exception \
         ClientRequestInfo::received_exception_id \
         get_effective_component=ClientRequestInfo::effective_component \
         get_effective_components=ClientRequestInfo::effective_components \
         get_request_policy=ClientRequestInfo::policies \
         ClientRequestInfo::add_request_service_context SUCCESSFUL=ReplyStatus::Successful \
         SYSTEM_EXCEPTION=ReplyStatus::SystemException \
         USER_EXCEPTION=ReplyStatus::UserException \
         LOCATION_FORWARD=ReplyStatus::LocationForward \
         TRANSPORT_RETRY=ReplyStatus::TransportRetry UNKNOWN=ReplyStatus::Unknown",
    ),
    (
        "PortableInterceptor::ServerRequestInterceptor, ServerRequestInfo",
        "16.3",
        "ServerRequestInterceptor=ServerInterceptor ServerInterceptor::name \
         ServerInterceptor::destroy ServerInterceptor::receive_request_service_contexts \
         ServerInterceptor::receive_request ServerInterceptor::send_reply \
         ServerInterceptor::send_exception ServerInterceptor::send_other ServerRequestInfo \
         ServerRequestInfo::request_id ServerRequestInfo::operation \
         ServerRequestInfo::arguments ServerRequestInfo::exceptions \
         ServerRequestInfo::contexts ServerRequestInfo::operation_context \
         ServerRequestInfo::result ServerRequestInfo::response_expected \
         ServerRequestInfo::sync_scope ServerRequestInfo::reply_status \
         ServerRequestInfo::forward_reference get_slot=ServerRequestInfo::slot \
         ServerRequestInfo::set_slot \
         get_request_service_context=ServerRequestInfo::request_service_contexts \
         get_reply_service_context=ServerRequestInfo::reply_service_contexts \
         ServerRequestInfo::add_reply_service_context ServerRequestInfo::sending_exception \
         ServerRequestInfo::server_id ServerRequestInfo::orb_id \
         ServerRequestInfo::adapter_name ServerRequestInfo::adapter_id \
         ServerRequestInfo::object_id ServerRequestInfo::target_most_derived_interface \
         ServerRequestInfo::target_is_a get_server_policy=ServerRequestInfo::policy",
    ),
    (
        "PortableInterceptor::IORInterceptor, IORInfo",
        "16.5",
        "IORInterceptor=IorInterceptor IORInterceptor_3_0=IorInterceptor \
         IorInterceptor::establish_components IorInterceptor::components_established \
         adapter_manager_state_changed=IorInterceptor::manager_state_changed \
         adapter_state_changed=IorInterceptor::adapter_destroyed IORInfo=IorInfo \
         get_effective_policy=IorInfo::policy add_ior_component=IorInfo::add_component \
         add_ior_component_to_profile=IorInfo::add_component_to_profile IorInfo::manager_id \
         IorInfo::state IorInfo::adapter_template IorInfo::current_factory \
         current_factory=IorInfo::set_current_factory ObjectReferenceFactory \
         ObjectReferenceFactory::make_object ObjectReferenceTemplate \
         ObjectReferenceTemplate::server_id ObjectReferenceTemplate::orb_id \
         ObjectReferenceTemplate::adapter_name",
    ),
    (
        "PortableInterceptor::Current, ORBInitializer, ORBInitInfo",
        "16.4, 16.7",
        "PICurrent=PiCurrent SlotId get_slot=PiCurrent::slot PiCurrent::set_slot \
         ORBInitializer=OrbInitializer register_orb_initializer=OrbBuilder::initializer \
         OrbInitializer::pre_init OrbInitializer::post_init ORBInitInfo=OrbInitInfo \
         OrbInitInfo::arguments OrbInitInfo::orb_id codec_factory=OrbInitInfo::codec \
         OrbInitInfo::register_initial_reference \
         resolve_initial_references=OrbInitInfo::resolve_initial_reference \
         add_client_request_interceptor=OrbInitInfo::add_client_interceptor \
         add_server_request_interceptor=OrbInitInfo::add_server_interceptor \
         OrbInitInfo::add_ior_interceptor allocate_slot_id=OrbInitInfo::allocate_slot \
         OrbInitInfo::register_policy_factory PolicyFactory PolicyFactory::create_policy \
         ProcessingModePolicy=ProcessingMode LOCAL_AND_REMOTE=ProcessingMode::LocalAndRemote \
         REMOTE_ONLY=ProcessingMode::RemoteOnly LOCAL_ONLY=ProcessingMode::LocalOnly",
    ),
    (
        "IOP::Codec, CodecFactory",
        "13.7",
        "Codec create_codec=Codec::new create_codec_with_codesets=Codec::with_code_sets \
         Codec::encode Codec::decode Codec::encode_value Codec::decode_value",
    ),
    (
        "DynamicAny::DynAny, DynAnyFactory",
        "9.2.1 to 9.2.3",
        "DynAny create_dyn_any=DynAny::from_any create_dyn_any_from_type_code=DynAny::new \
         create_dyn_any_without_truncation=DynAny::from_any_without_truncation \
         DynAnyError::MustTruncate DynAnyError::InconsistentTypeCode \
         DynAnyError::InvalidValue DynAnyError::TypeMismatch type=DynAny::type_code \
         DynAny::assign from_any=DynAny::set_any DynAny::to_any DynAny::copy \
         DynAny::insert_string DynAny::get_string DynAny::insert_wstring DynAny::get_wstring \
         DynAny::insert_any DynAny::get_any DynAny::insert_dyn_any DynAny::get_dyn_any \
         DynAny::insert_reference DynAny::get_reference DynAny::insert_val DynAny::get_val \
         insert_abstract=DynAny::insert_val get_abstract=DynAny::get_val DynAny::seek \
         DynAny::rewind DynAny::next DynAny::component_count DynAny::current_component \
         DynAny::insert_boolean DynAny::get_boolean DynAny::insert_octet DynAny::get_octet \
         DynAny::insert_char DynAny::get_char DynAny::insert_short DynAny::get_short \
         DynAny::insert_ushort DynAny::get_ushort DynAny::insert_long DynAny::get_long \
         DynAny::insert_ulong DynAny::get_ulong DynAny::insert_longlong DynAny::get_longlong \
         DynAny::insert_ulonglong DynAny::get_ulonglong DynAny::insert_float \
         DynAny::get_float DynAny::insert_double DynAny::get_double DynAny::insert_longdouble \
         DynAny::get_longdouble DynAny::insert_wchar DynAny::get_wchar \
         DynAny::insert_typecode DynAny::get_typecode DynAny::insert_boolean_seq \
         DynAny::get_boolean_seq DynAny::insert_octet_seq DynAny::get_octet_seq \
         DynAny::insert_char_seq DynAny::get_char_seq DynAny::insert_short_seq \
         DynAny::get_short_seq DynAny::insert_ushort_seq DynAny::get_ushort_seq \
         DynAny::insert_long_seq DynAny::get_long_seq DynAny::insert_ulong_seq \
         DynAny::get_ulong_seq DynAny::insert_longlong_seq DynAny::get_longlong_seq \
         DynAny::insert_ulonglong_seq DynAny::get_ulonglong_seq DynAny::insert_float_seq \
         DynAny::get_float_seq DynAny::insert_double_seq DynAny::get_double_seq \
         DynAny::insert_longdouble_seq DynAny::get_longdouble_seq DynAny::insert_wchar_seq \
         DynAny::get_wchar_seq",
    ),
    (
        "DynamicAny: the views",
        "9.2.4 to 9.2.11",
        "DynFixed get_value=DynFixed::value DynFixed::set_value DynEnum \
         get_as_string=DynEnum::name set_as_string=DynEnum::set_name \
         get_as_ulong=DynEnum::number set_as_ulong=DynEnum::set_number DynStruct \
         DynStruct::current_member_name DynStruct::current_member_kind \
         get_members=DynStruct::members DynStruct::set_members \
         get_members_as_dyn_any=DynStruct::members DynStruct::set_members_as_dyn_any DynUnion \
         get_discriminator=DynUnion::discriminator DynUnion::set_discriminator \
         DynUnion::set_to_default_member DynUnion::set_to_no_active_member \
         DynUnion::has_no_active_member DynUnion::discriminator_kind DynUnion::member \
         DynUnion::member_name DynUnion::member_kind DynSequence \
         get_length=DynSequence::length DynSequence::set_length \
         get_elements=DynSequence::elements DynSequence::set_elements \
         get_elements_as_dyn_any=DynSequence::elements DynSequence::set_elements_as_dyn_any \
         DynArray get_elements=DynArray::elements DynArray::set_elements \
         get_elements_as_dyn_any=DynArray::elements DynArray::set_elements_as_dyn_any \
         DynValue DynValue::is_null DynValue::set_to_null DynValue::set_to_value \
         DynValue::current_member_name DynValue::current_member_kind \
         get_members=DynValue::members DynValue::set_members \
         get_members_as_dyn_any=DynValue::members DynValue::set_members_as_dyn_any \
         DynValueBox=DynValue get_boxed_value=DynValue::boxed \
         set_boxed_value=DynValue::set_boxed get_boxed_value_as_dyn_any=DynValue::boxed \
         set_boxed_value_as_dyn_any=DynValue::set_boxed_as_dyn_any",
    ),
    (
        "RTCORBA, RTPortableServer",
        "RT CORBA 1.2, 5",
        "RTORB=RtOrb RtOrb::create_threadpool \
         create_threadpool_with_lanes=ThreadpoolOptions::with_lanes \
         destroy_threadpool=Threadpool::destroy PriorityModelPolicy=RtPolicy::PriorityModel \
         create_priority_model_policy=RtPolicy::PriorityModel \
         ThreadpoolPolicy=RtPolicy::Threadpool create_threadpool_policy=RtPolicy::Threadpool \
         ServerProtocolPolicy=RtPolicy::ServerProtocol \
         create_server_protocol_policy=RtPolicy::ServerProtocol \
         ClientProtocolPolicy=RtPolicy::ClientProtocol \
         create_client_protocol_policy=RtPolicy::ClientProtocol \
         PrivateConnectionPolicy=RtPolicy::PrivateConnection \
         create_private_connection_policy=RtPolicy::PrivateConnection \
         PriorityBandedConnectionPolicy=RtPolicy::PriorityBandedConnection \
         create_priority_banded_connection_policy=RtPolicy::PriorityBandedConnection \
         CLIENT_PROPAGATED=PriorityModel::ClientPropagated \
         SERVER_DECLARED=PriorityModel::ServerDeclared RTCurrent=RtCurrent \
         the_priority=RtCurrent::priority the_priority=RtCurrent::set_priority \
         PriorityMapping PriorityMapping::to_native to_CORBA=PriorityMapping::to_corba \
         PriorityTransform PriorityTransform::inbound PriorityTransform::outbound \
         RtPoa::create_reference_with_priority RtPoa::create_reference_with_id_and_priority \
         activate_object_with_priority=RtPoa::activate_with_priority \
         activate_object_with_id_and_priority=RtPoa::activate_with_id_and_priority \
         RtOrb::validate_connection",
    ),
];

/// Names without a place: the interface, the names, and why.
const WITHOUT_A_PLACE: &[(&str, &str, &str)] = &[
    (
        "CORBA::ORB",
        "create_list create_operation_list create_named_value create_exception_list \
         create_context_list create_environment",
        "`Request` takes arguments, exceptions and the context by its methods",
    ),
    (
        "CORBA::ORB",
        "send_multiple_requests_oneway send_multiple_requests_deferred",
        "each `Request` is sent by itself; a `PollableSet` waits for several",
    ),
    ("CORBA::ORB", "get_service_information", "there are no optional services to ask for"),
    ("CORBA::ORB", "id", "the field `orb_id` of `Orb::settings`"),
    (
        "CORBA::ORB",
        "create_struct_tc create_union_tc create_enum_tc create_alias_tc create_exception_tc \
         create_interface_tc create_fixed_tc create_sequence_tc create_array_tc create_value_tc \
         create_value_box_tc create_native_tc create_recursive_tc create_abstract_interface_tc \
         create_local_interface_tc create_event_tc create_string_tc create_wstring_tc",
        "methods of these names, or kinds, of `TypeCodeFactory` and `TypeCode` in armilla-cdr",
    ),
    ("CORBA::Object", "duplicate release", "`Clone` and dropping"),
    ("CORBA::Object", "get_domain_managers", "there are no security domains"),
    ("CORBA::Policy", "copy destroy", "`Clone` and dropping"),
    ("CORBA::Request", "prepare sendp sendc delete", "`send_deferred`, callbacks and dropping"),
    (
        "Messaging",
        "RequestStartTimePolicy ReplyStartTimePolicy RequestPriorityPolicy ReplyPriorityPolicy \
         RoutingPolicy MaxHopsPolicy QueueOrderPolicy",
        "they are for routers of time-independent invocations",
    ),
    (
        "Messaging",
        "ExceptionHolder raise_exception is_from_poller associated_handler create_dii_pollable",
        "a reply is a `Result`, wherever it arrives",
    ),
    ("PortableInterceptor", "send_poll", "no call is polled through a reference"),
    (
        "PortableInterceptor",
        "add_client_request_interceptor_with_policy add_server_request_interceptor_with_policy \
         add_ior_interceptor_with_policy",
        "an interceptor says its `processing_mode` itself",
    ),
    (
        "PortableInterceptor",
        "DuplicateName InvalidSlot",
        "`BAD_PARAM`: wrong uses of this kind are errors of the program",
    ),
    (
        "DynamicAny",
        "equal destroy create_multiple_dyn_anys create_multiple_anys",
        "`PartialEq` and dropping; each `DynAny` is created by itself",
    ),
    (
        "RTCORBA",
        "create_mutex destroy_mutex create_named_mutex open_named_mutex lock unlock try_lock",
        "generated traits of `armilla_rt::rtcorba`, with these names",
    ),
];

/// A declaration: what it stands in, its name, its aliases.
struct Item {
    place: String,
    name: String,
    aliases: Vec<String>,
}

impl Item {
    fn is(&self, place: &str, name: &str) -> bool {
        let (owner, item) = place.rsplit_once("::").unwrap_or(("", place));
        let is_there = owner.is_empty()
            || self.place.ends_with("! {")
            || words(&self.place).any(|word| word == owner);
        let is_named = item == name || self.aliases.iter().any(|alias| alias == name);
        self.name == item && is_there && is_named
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c != '_' && !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// What a line declares in `place`; a row of a macro may declare two methods.
fn declared<'l>(line: &'l str, place: &str) -> Vec<&'l str> {
    const KEYWORDS: [&str; 8] = ["pub", "const", "async", "fn", "struct", "enum", "trait", "type"];
    let is_public = line.starts_with("pub ")
        || place.starts_with("pub ")
        || (place.ends_with('{') && !place.contains(['(', '=']));
    let count = if place.ends_with("! {") { 2 } else { 1 };
    let names = words(line).skip_while(|word| KEYWORDS.contains(word));
    names.take(if is_public { count } else { 0 }).collect()
}

/// The declarations of a file, with what they stand in by their indentation.
fn items(source: &str) -> Vec<Item> {
    let (mut items, mut around, mut aliases) = (Vec::new(), Vec::new(), Vec::new());
    for line in source.lines() {
        let text = line.trim_start();
        let indentation = line.len() - text.len();
        if text.is_empty() || text.starts_with("//") {
            continue;
        }
        if text.starts_with("#[") {
            let alias = text.strip_prefix("#[doc(alias = \"");
            aliases.extend(alias.and_then(|it| it.strip_suffix("\")]")).map(str::to_owned));
            continue;
        }
        around.retain(|(outer, _)| *outer < indentation);
        let place = around.last().map_or("", |(_, place): &(usize, &str)| *place);
        for name in declared(text, place) {
            let (place, name) = (place.to_owned(), name.to_owned());
            items.push(Item { place, name, aliases: aliases.clone() });
        }
        aliases.clear();
        let opens = ["impl", "pub trait", "pub struct", "pub enum"];
        if text != "{" && (text.ends_with('{') || opens.iter().any(|it| text.starts_with(it))) {
            around.push((indentation, text));
        }
    }
    items
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn rustdoc_finds_every_name_of_the_specification() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut paths = Vec::new();
    for name in ["armilla", "armilla-core", "armilla-rt"] {
        files(&crates.join(name).join("src"), &mut paths);
    }
    let items: Vec<Item> =
        paths.iter().flat_map(|path| items(&fs::read_to_string(path).unwrap())).collect();
    let (mut missing, mut count) = (Vec::new(), 0);
    for (interface, section, names) in NAMES {
        for entry in names.split_whitespace() {
            let own = entry.rsplit("::").next().unwrap_or(entry);
            let (name, place) = entry.split_once('=').unwrap_or((own, entry));
            count += 1;
            if !items.iter().any(|item| item.is(place, name)) {
                missing.push(format!("{interface} ({section}): {name} at {place}"));
            }
        }
    }
    assert!(count > 300, "{count}");
    assert!(missing.is_empty(), "#[doc(alias)] is missing:\n{}", missing.join("\n"));
}

#[test]
fn a_name_without_a_place_has_a_reason_and_no_place() {
    let placed: BTreeSet<(&str, &str)> = NAMES
        .iter()
        .flat_map(|(interface, _, names)| {
            let entries = names.split_whitespace().filter_map(|entry| entry.split_once('='));
            entries.map(move |(name, _)| (*interface, name))
        })
        .collect();
    for (interface, names, reason) in WITHOUT_A_PLACE {
        assert!(!reason.is_empty(), "{interface}: {names}");
        for name in names.split_whitespace().filter(|name| *name != "destroy") {
            assert!(!placed.contains(&(*interface, name)), "{interface}::{name} has a place");
        }
    }
}
