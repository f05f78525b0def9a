package peer;

import Secured.AccountHelper;
import Secured.AccountPOA;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jacorb.sasPolicy.SASPolicyValues;
import org.jacorb.sasPolicy.SASPolicyValuesHelper;
import org.jacorb.sasPolicy.SAS_POLICY_TYPE;
import org.jacorb.security.sas.GssUpContext;
import org.jacorb.security.sas.SASInitializer;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.NO_PERMISSION;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.SystemException;
import org.omg.CSI.ContextError;
import org.omg.CSI.MTContextError;
import org.omg.CSI.SASContextBody;
import org.omg.CSI.SASContextBodyHelper;
import org.omg.IOP.Codec;
import org.omg.IOP.ENCODING_CDR_ENCAPS;
import org.omg.IOP.Encoding;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.Current;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableServer.POA;

/**
 * A JacORB server and client with CSIv2, for `lab/interop/security/check`.
 *
 * <p>`security serve FILE STATEFUL` writes the reference of its account to FILE, and serves until
 * SIGTERM. `security call FILE STATEFUL USER PASSWORD TIMES` calls one. `security raw FILE HEX...`
 * sends these octets as security contexts, one with each call, over one connection; `-` is none.
 * Each call prints who the server says has called, or the exception with the error of the context.
 */
public final class Security {
  private static final int CONTEXT = 15;

  /** What the next request carries besides what JacORB adds, and what the last reply carried. */
  private static byte[] next;
  private static String seen;

  /** Verifies the one password. */
  public static final class Users extends GssUpContext {
    @Override
    public boolean validateContext(ORB orb, Codec codec, byte[] token) {
      if (!super.validateContext(orb, codec, token)) return false;
      String user = new String(initialContextToken.username, StandardCharsets.UTF_8);
      String password = new String(initialContextToken.password, StandardCharsets.UTF_8);
      return user.equals("ann") && password.equals("secret");
    }
  }

  /** Sees the contexts of replies, and adds raw ones to requests. */
  public static final class Seen extends LocalObject implements ORBInitializer, ClientRequestInterceptor {
    private Codec codec;

    @Override
    public void pre_init(ORBInitInfo info) {
      try {
        codec = info.codec_factory().create_codec(new Encoding(ENCODING_CDR_ENCAPS.value, (byte) 1, (byte) 2));
        info.add_client_request_interceptor(this);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void post_init(ORBInitInfo info) {}

    @Override
    public String name() {
      return "Seen";
    }

    @Override
    public void destroy() {}

    @Override
    public void send_request(ClientRequestInfo request) {
      if (next != null) request.add_request_service_context(new ServiceContext(CONTEXT, next), true);
    }

    @Override
    public void send_poll(ClientRequestInfo request) {}

    @Override
    public void receive_reply(ClientRequestInfo request) {
      note(request);
    }

    @Override
    public void receive_exception(ClientRequestInfo request) {
      note(request);
    }

    @Override
    public void receive_other(ClientRequestInfo request) {
      note(request);
    }

    private void note(ClientRequestInfo request) {
      seen = "";
      try {
        byte[] data = request.get_reply_service_context(CONTEXT).context_data;
        SASContextBody body = SASContextBodyHelper.extract(codec.decode_value(data, SASContextBodyHelper.type()));
        if (body.discriminator() == MTContextError.value) {
          ContextError error = body.error_msg();
          seen = " (" + error.major_status + ", " + error.minor_status + ")";
        }
      } catch (BAD_PARAM absent) {
        // The reply has none.
      } catch (Exception e) {
        seen = " " + e;
      }
    }
  }

  private static final class Account extends AccountPOA {
    private final ORB orb;

    Account(ORB orb) {
      this.orb = orb;
    }

    @Override
    public String caller() {
      try {
        Current current = (Current) orb.resolve_initial_references("PICurrent");
        return current.get_slot(SASInitializer.sasPrincipalNamePIC).extract_string();
      } catch (Exception e) {
        return "nobody";
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[1]);
    String initializer = "org.omg.PortableInterceptor.ORBInitializerClass.";
    List<String> properties = new ArrayList<>();
    if (!arguments[0].equals("raw")) {
      properties.add(initializer + "SAS=org.jacorb.security.sas.SASInitializer");
      properties.add("jacorb.security.sas.contextClass=" + Users.class.getName());
      properties.add("jacorb.security.sas.stateful=" + arguments[2]);
    }
    properties.add(initializer + "Seen=" + Seen.class.getName());
    ORB orb = Orbs.init(List.of(), properties);
    if (arguments[0].equals("serve")) {
      serve(orb, file, arguments[2].equals("true"));
      return;
    }
    Secured.Account account = AccountHelper.unchecked_narrow(orb.string_to_object(Files.readString(file).strip()));
    if (arguments[0].equals("call")) {
      GssUpContext.setUsernamePassword(arguments[3], arguments[4]);
      for (int i = Integer.parseInt(arguments[5]); i > 0; i--) call(account);
    } else {
      for (int i = 2; i < arguments.length; i++) {
        next = arguments[i].equals("-") ? null : HexFormat.of().parseHex(arguments[i]);
        call(account);
      }
    }
    orb.shutdown(true);
    System.exit(0);
  }

  private static void call(Secured.Account account) {
    try {
      System.out.println(account.caller());
    } catch (NO_PERMISSION e) {
      System.out.println("NO_PERMISSION " + completed(e) + seen);
    } catch (SystemException e) {
      System.out.println(e.getClass().getSimpleName() + " " + completed(e) + seen);
    }
  }

  private static String completed(SystemException e) {
    return switch (e.completed.value()) {
      case 0 -> "executed";
      case 1 -> "not executed";
      default -> "maybe executed";
    };
  }

  private static void serve(ORB orb, Path file, boolean stateful) throws Exception {
    POA root = Orbs.rootPoa(orb);
    Any values = orb.create_any();
    short trust = 64;
    SASPolicyValuesHelper.insert(values, new SASPolicyValues(trust, trust, stateful));
    POA poa = root.create_POA("secured", root.the_POAManager(), new Policy[] {
        orb.create_policy(SAS_POLICY_TYPE.value, values)});
    byte[] id = poa.activate_object(new Account(orb));
    Orbs.writeWhole(file.toString(), orb.object_to_string(poa.id_to_reference(id)));
    orb.run();
  }
}
