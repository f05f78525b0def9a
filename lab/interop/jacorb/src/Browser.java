package peer;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.omg.CORBA.Any;
import org.omg.CORBA.AttributeDescriptionHelper;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.ConstantDescriptionHelper;
import org.omg.CORBA.Contained;
import org.omg.CORBA.ContainedPackage.Description;
import org.omg.CORBA.Container;
import org.omg.CORBA.ContainerHelper;
import org.omg.CORBA.DefinitionKind;
import org.omg.CORBA.ExceptionDescriptionHelper;
import org.omg.CORBA.IDLType;
import org.omg.CORBA.InterfaceDef;
import org.omg.CORBA.InterfaceDefHelper;
import org.omg.CORBA.InterfaceDefPackage.FullInterfaceDescription;
import org.omg.CORBA.InterfaceDescriptionHelper;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.ModuleDef;
import org.omg.CORBA.ModuleDescriptionHelper;
import org.omg.CORBA.ORB;
import org.omg.CORBA.OperationDescriptionHelper;
import org.omg.CORBA.ParameterMode;
import org.omg.CORBA.PrimitiveDef;
import org.omg.CORBA.PrimitiveKind;
import org.omg.CORBA.Repository;
import org.omg.CORBA.RepositoryHelper;
import org.omg.CORBA.StructDef;
import org.omg.CORBA.StructMember;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.TypeDescriptionHelper;
import org.omg.CORBA.UnionDef;
import org.omg.CORBA.UnionMember;
import org.omg.CORBA.ValueDescriptionHelper;
import org.omg.CORBA.ValueMemberHelper;

/**
 * Reads a whole interface repository with the stubs of JacORB, from an object with the interface
 * Dyn::Mirror, and changes it.
 */
final class Browser {
  private static final int OMG = 0x4f4d0000;

  private enum Kind { MODULE, CONSTANT, EXCEPTION, ATTRIBUTE, OPERATION, INTERFACE, VALUE, STATE, TYPE }

  private final ORB orb;
  private final Map<Kind, Integer> seen = new EnumMap<>(Kind.class);

  Browser(ORB orb) {
    this.orb = orb;
  }

  void check(org.omg.CORBA.Object mirror) throws Exception {
    InterfaceDef mirrors = InterfaceDefHelper.narrow(mirror._get_interface_def());
    FullInterfaceDescription full = mirrors.describe_interface();
    expect(full.id.equals("IDL:Dyn/Mirror:1.0") && full.operations.length == 5, "the interface");
    expect(full.attributes.length == 1 && full.type.kind() == TCKind.tk_objref, "its attribute");
    for (var operation : full.operations) {
      if (!operation.name.equals("echo_point")) continue;
      expect(operation.parameters[2].mode == ParameterMode.PARAM_INOUT, "a parameter");
      expect(operation.exceptions[0].type.id().equals("IDL:Dyn/Refused:1.0"), "an exception");
    }
    Repository repository = RepositoryHelper.narrow(mirrors.containing_repository());
    browse(repository);
    for (Kind kind : Kind.values()) {
      expect(seen.containsKey(kind), "no " + kind + " was seen");
    }
    change(repository);
  }

  /** Describes the contents of a container. */
  private void browse(Container container) throws Exception {
    for (Contained contained : container.contents(DefinitionKind.dk_all, true)) {
      Contained again = container.lookup(contained.name());
      expect(again != null && again.id().equals(contained.id()), contained.absolute_name());
      describe(contained);
      if (contained._is_a("IDL:omg.org/CORBA/Container:1.0")) {
        browse(ContainerHelper.narrow(contained));
      }
    }
    var described = container.describe_contents(DefinitionKind.dk_Interface, true, -1);
    int count = container.contents(DefinitionKind.dk_Interface, true).length;
    expect(described.length == count, "all interfaces");
  }

  private void describe(Contained contained) throws Exception {
    Description description;
    try {
      description = contained.describe();
    } catch (MARSHAL exception) {
      // JacORB has no TypeCodes of long doubles, native types and local interfaces.
      if (!exception.getMessage().contains("cannot handle TypeCode with kind=")) throw exception;
      return;
    }
    expect(description.kind == contained.def_kind(), "the kind of " + contained.id());
    seen.merge(read(description.kind, description.value, contained.name()), 1, Integer::sum);
  }

  private static Kind read(DefinitionKind kind, Any value, String name) throws Exception {
    switch (kind.value()) {
      case DefinitionKind._dk_Module -> {
        expect(ModuleDescriptionHelper.extract(value).name.equals(name), name);
        return Kind.MODULE;
      }
      case DefinitionKind._dk_Constant -> {
        var constant = ConstantDescriptionHelper.extract(value);
        expect(constant.value.type().equivalent(constant.type), name);
        return Kind.CONSTANT;
      }
      case DefinitionKind._dk_Exception -> {
        expect(ExceptionDescriptionHelper.extract(value).type.name().equals(name), name);
        return Kind.EXCEPTION;
      }
      case DefinitionKind._dk_Attribute -> {
        expect(AttributeDescriptionHelper.extract(value).name.equals(name), name);
        return Kind.ATTRIBUTE;
      }
      case DefinitionKind._dk_Operation -> {
        expect(OperationDescriptionHelper.extract(value).name.equals(name), name);
        return Kind.OPERATION;
      }
      case DefinitionKind._dk_Interface, DefinitionKind._dk_AbstractInterface,
          DefinitionKind._dk_LocalInterface -> {
        expect(InterfaceDescriptionHelper.extract(value).name.equals(name), name);
        return Kind.INTERFACE;
      }
      case DefinitionKind._dk_Value -> {
        expect(ValueDescriptionHelper.extract(value).name.equals(name), name);
        return Kind.VALUE;
      }
      case DefinitionKind._dk_ValueMember -> {
        expect(ValueMemberHelper.extract(value).name.equals(name), name);
        return Kind.STATE;
      }
      default -> {
        expect(TypeDescriptionHelper.extract(value).type.name().equals(name), name);
        return Kind.TYPE;
      }
    }
  }

  /** Creates definitions, checks that invalid ones are refused, and destroys all of them. */
  private void change(Repository repository) throws Exception {
    ModuleDef shop = repository.create_module("IDL:Shop:1.0", "Shop", "1.0");
    PrimitiveDef number = repository.get_primitive(PrimitiveKind.pk_long);
    PrimitiveDef text = repository.get_primitive(PrimitiveKind.pk_string);
    StructMember[] members = {member("count", number), member("title", text)};
    StructDef item = shop.create_struct("IDL:Shop/Item:1.0", "Item", "1.0", members);
    expect(item.type().member_type(1).kind() == TCKind.tk_string, "a member");
    refused(BAD_PARAM.class, 2, () -> shop.create_struct(item.id(), "Other", "1.0", members));
    refused(BAD_PARAM.class, 3, () -> shop.create_struct("IDL:O:1.0", "ITEM", "1.0", members));
    refused(BAD_PARAM.class, 4, () -> {
      shop.move(shop, "Shop", "1.0");
      return null;
    });
    UnionMember[] cases = {
      new UnionMember("whole", label(1), orb.get_primitive_tc(TCKind.tk_long), number),
      new UnionMember("other", octet(), orb.get_primitive_tc(TCKind.tk_string), text),
    };
    UnionDef either = shop.create_union("IDL:Shop/Either:1.0", "Either", "1.0", number, cases);
    TypeCode type = either.type();
    expect(type.default_index() == 1 && type.member_label(0).extract_long() == 1, "the labels");
    var items = repository.create_sequence(3, item);
    var list = shop.create_alias("IDL:Shop/Items:1.0", "Items", "1.0", items);
    expect(list.type().content_type().length() == 3, "the bound");
    refused(BAD_INV_ORDER.class, 1, () -> {
      item.destroy();
      return null;
    });
    refused(BAD_INV_ORDER.class, 2, () -> {
      number.destroy();
      return null;
    });
    list.move(repository, "All", "2.0");
    expect(list.absolute_name().equals("::All") && list.version().equals("2.0"), "it was moved");
    list.destroy();
    shop.destroy();
    expect(repository.lookup_id("IDL:Shop/Item:1.0") == null, "it is gone");
  }

  private StructMember member(String name, IDLType type) {
    return new StructMember(name, orb.get_primitive_tc(TCKind.tk_void), type);
  }

  private Any label(int number) {
    Any any = orb.create_any();
    any.insert_long(number);
    return any;
  }

  private Any octet() {
    Any any = orb.create_any();
    any.insert_octet((byte) 0);
    return any;
  }

  private static void refused(Class<?> kind, int minor, Supplier<?> call) {
    try {
      call.get();
    } catch (SystemException exception) {
      boolean expected = kind.isInstance(exception) && exception.minor == (OMG | minor);
      expect(expected, "refused with " + exception + " " + Integer.toHexString(exception.minor));
      return;
    }
    throw new AssertionError("not refused: " + kind + " " + minor);
  }

  private static void expect(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }
}
