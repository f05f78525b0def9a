package peer;

import java.util.List;
import org.omg.CORBA.ARG_IN;
import org.omg.CORBA.ARG_INOUT;
import org.omg.CORBA.ARG_OUT;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.NVList;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Request;
import org.omg.CORBA.ServerRequest;
import org.omg.CORBA.StructMember;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.UnionMember;
import org.omg.CORBA.UnknownUserException;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.OutputStream;
import org.omg.PortableServer.DynamicImplementation;
import org.omg.PortableServer.POA;

/**
 * Calls of Dyn::Mirror, and a servant for it, by TypeCodes only; see lab/interop/dynamic/mirror.idl.
 * Commands: `serve`, `call REFERENCE`, and `browse REFERENCE`, which reads the interface repository
 * of the object.
 */
final class Dynamic extends DynamicImplementation {
  private static final String REFUSED = "IDL:Dyn/Refused:1.0";

  private final ORB orb;
  private final TypeCode point;
  private final TypeCode choice;
  private final TypeCode refused;
  private int level;

  private Dynamic(ORB orb) {
    this.orb = orb;
    TypeCode octet = orb.get_primitive_tc(TCKind.tk_octet);
    TypeCode number = orb.get_primitive_tc(TCKind.tk_double);
    point = orb.create_struct_tc("IDL:Dyn/Point:1.0", "Point", new StructMember[] {
      new StructMember("tag", octet, null),
      new StructMember("x", number, null),
      new StructMember("name", orb.create_wstring_tc(0), null),
    });
    refused = orb.create_exception_tc(REFUSED, "Refused", new StructMember[] {
      new StructMember("reason", orb.create_string_tc(0), null),
      new StructMember("place", point, null),
    });
    TypeCode colour =
        orb.create_enum_tc("IDL:Dyn/Colour:1.0", "Colour", new String[] {"RED", "GREEN", "BLUE"});
    TypeCode points =
        orb.create_alias_tc("IDL:Dyn/Points:1.0", "Points", orb.create_sequence_tc(0, point));
    Any other = orb.create_any();
    other.insert_octet((byte) 0);
    choice = orb.create_union_tc("IDL:Dyn/Choice:1.0", "Choice", colour, new UnionMember[] {
      new UnionMember("many", enumerator(colour, 0), points, null),
      new UnionMember("text", enumerator(colour, 1), orb.create_string_tc(0), null),
      new UnionMember("price", other, orb.create_fixed_tc((short) 5, (short) 2), null),
    });
  }

  private Any enumerator(TypeCode colour, int number) {
    Any any = orb.create_any();
    OutputStream out = any.create_output_stream();
    out.write_long(number);
    any.read_value(out.create_input_stream(), colour);
    return any;
  }

  private static void write(OutputStream out, int tag) {
    out.write_octet((byte) tag);
    out.write_double(tag / 4.0);
    out.write_wstring("wide é€");
  }

  private Any point(int tag) {
    Any any = orb.create_any();
    OutputStream out = any.create_output_stream();
    write(out, tag);
    any.read_value(out.create_input_stream(), point);
    return any;
  }

  private static int tag(Any point) {
    return point.create_input_stream().read_octet();
  }

  private static void copy(Any from, Any to) {
    to.read_value(from.create_input_stream(), from.type());
  }

  @Override public String[] _all_interfaces(POA poa, byte[] id) {
    return new String[] {"IDL:Dyn/Mirror:1.0"};
  }

  @Override public void invoke(ServerRequest request) {
    switch (request.operation()) {
      case "echo_point" -> echo(request, point, true);
      case "echo_choice" -> echo(request, choice, false);
      case "echo_any" -> echo(request, orb.get_primitive_tc(TCKind.tk_any), false);
      case "_get_level" -> {
        request.arguments(orb.create_list(0));
        Any result = orb.create_any();
        result.insert_long(level);
        request.set_result(result);
      }
      case "_set_level" -> {
        NVList list = orb.create_list(0);
        Any value = add(list, orb.get_primitive_tc(TCKind.tk_long), ARG_IN.value);
        request.arguments(list);
        level = value.extract_long();
      }
      case "remark" -> {
        NVList list = orb.create_list(0);
        Any text = add(list, orb.create_string_tc(0), ARG_IN.value);
        request.arguments(list);
        level = text.extract_string().length();
      }
      default -> throw new BAD_OPERATION();
    }
  }

  private Any add(NVList list, TypeCode type, int mode) {
    Any any = orb.create_any();
    any.type(type);
    list.add_value("", any, mode);
    return any;
  }

  /**
   * Returns the old value of `kept`, and sets `kept`, and `copy` if there is one, to the given
   * value.
   */
  private void echo(ServerRequest request, TypeCode type, boolean copies) {
    NVList list = orb.create_list(0);
    Any given = add(list, type, ARG_IN.value);
    Any copy = copies ? add(list, type, ARG_OUT.value) : null;
    Any kept = add(list, type, ARG_INOUT.value);
    request.arguments(list);
    if (copies && tag(given) == 13) {
      request.set_exception(refuse(given));
      return;
    }
    Any result = orb.create_any();
    copy(kept, result);
    copy(given, kept);
    if (copies) copy(given, copy);
    request.set_result(result);
  }

  private Any refuse(Any place) {
    Any exception = orb.create_any();
    OutputStream out = exception.create_output_stream();
    out.write_string(REFUSED);
    out.write_string("thirteen");
    write(out, tag(place));
    exception.read_value(out.create_input_stream(), refused);
    return exception;
  }

  /** Makes calls, and fails if one has an unexpected outcome. */
  private void check(org.omg.CORBA.Object mirror) throws Exception {
    for (int tag = 1; tag < 4; tag++) {
      Request request = echoPoint(mirror, tag);
      request.invoke();
      expect(request.env().exception() == null, "an exception: " + request.env().exception());
      expect(request.return_value().equal(point(99)), "the result");
      for (int index = 1; index < 3; index++) {
        expect(request.arguments().item(index).value().equal(point(tag)), "argument " + index);
      }
    }
    Request refusing = echoPoint(mirror, 13);
    refusing.exceptions().add(refused);
    refusing.invoke();
    expect(refusing.env().exception() instanceof UnknownUserException, "no user exception");
    Any raised = ((UnknownUserException) refusing.env().exception()).except;
    InputStream input = raised.create_input_stream();
    expect(input.read_string().equals(REFUSED), "its repository id");
    expect(input.read_string().equals("thirteen"), "its reason");
    expect(input.read_octet() == 13, "its place");

    Request set = mirror._request("_set_level");
    set.add_in_arg().insert_long(42);
    set.invoke();
    Request get = mirror._request("_get_level");
    get.set_return_type(orb.get_primitive_tc(TCKind.tk_long));
    get.send_deferred();
    get.get_response();
    expect(get.return_value().extract_long() == 42, "the level");
    Request remark = mirror._request("remark");
    remark.add_in_arg().insert_string("five!");
    remark.send_oneway();
    for (int left = 2000; left > 0 && level(mirror) != 5; left--) Thread.sleep(1);
    expect(level(mirror) == 5, "the oneway");
    expect(mirror._is_a("IDL:Dyn/Mirror:1.0") && !mirror._non_existent(), "the object's kind");
  }

  private int level(org.omg.CORBA.Object mirror) {
    Request get = mirror._request("_get_level");
    get.set_return_type(orb.get_primitive_tc(TCKind.tk_long));
    get.invoke();
    return get.return_value().extract_long();
  }

  private Request echoPoint(org.omg.CORBA.Object mirror, int tag) {
    Request request = mirror._request("echo_point");
    copy(point(tag), request.add_named_in_arg("given"));
    request.add_named_out_arg("copy").type(point);
    copy(point(99), request.add_named_inout_arg("kept"));
    request.set_return_type(point);
    return request;
  }

  private static void expect(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  public static void main(String[] arguments) throws Exception {
    ORB orb = Orbs.init(List.of(), List.of());
    Dynamic dynamic = new Dynamic(orb);
    if (arguments[0].equals("call")) {
      dynamic.check(orb.string_to_object(arguments[1]));
      orb.shutdown(true);
      return;
    }
    if (arguments[0].equals("browse")) {
      new Browser(orb).check(orb.string_to_object(arguments[1]));
      orb.shutdown(true);
      return;
    }
    POA root = Orbs.rootPoa(orb);
    System.out.println(orb.object_to_string(root.servant_to_reference(dynamic)));
    System.out.flush();
    orb.run();
  }
}
