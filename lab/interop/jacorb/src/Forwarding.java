package peer;

import Interop.Echo;
import Interop.EchoHelper;
import java.util.Arrays;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableInterceptor.ForwardRequest;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.IdUniquenessPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.RequestProcessingPolicyValue;

/**
 * An object that forwards to another one by LOCATION_FORWARD. An interceptor does this, because in
 * JacORB 3.9 a ForwardRequest of a servant manager ends the serving thread without a reply.
 */
public final class Forwarding extends LocalObject implements ORBInitializer, ServerRequestInterceptor {
  /** The initializer that the ORB needs. */
  static final String PROPERTY = "org.omg.PortableInterceptor.ORBInitializerClass." + Forwarding.class.getName() + "=";

  private static final byte[] MOVED = "moved".getBytes();
  private static final long serialVersionUID = 1;

  private static volatile Echo target;

  /** The reference of the object that forwards to `to`. */
  static String start(ORB orb, POA root, Echo to) throws Exception {
    POA poa = root.create_POA("forwarding", root.the_POAManager(), new Policy[] {
        root.create_request_processing_policy(RequestProcessingPolicyValue.USE_DEFAULT_SERVANT),
        root.create_id_uniqueness_policy(IdUniquenessPolicyValue.MULTIPLE_ID),
        root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)});
    // Never called, but the object needs a servant.
    poa.set_servant(new EchoServant(orb, root).tie());
    target = to;
    return orb.object_to_string(poa.create_reference_with_id(MOVED, EchoHelper.id()));
  }

  @Override public void pre_init(ORBInitInfo info) {}

  @Override public void post_init(ORBInitInfo info) {
    try {
      info.add_server_request_interceptor(this);
    } catch (org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName twice) {
      throw new IllegalStateException(twice);
    }
  }

  @Override public void receive_request(ServerRequestInfo info) throws ForwardRequest {
    if (Arrays.equals(info.object_id(), MOVED)) throw new ForwardRequest(target);
  }

  @Override public String name() {
    return "forwarding";
  }

  @Override public void receive_request_service_contexts(ServerRequestInfo info) {}
  @Override public void send_reply(ServerRequestInfo info) {}
  @Override public void send_exception(ServerRequestInfo info) {}
  @Override public void send_other(ServerRequestInfo info) {}
  @Override public void destroy() {}
}
