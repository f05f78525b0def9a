package peer;

import Interop.*;
import java.math.BigDecimal;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TypeCode;

/** The values of Exotics::make_any. */
final class Made {
  /** The number of values. */
  static final int COUNT = 27;

  private final ORB orb;

  Made(ORB orb) {
    this.orb = orb;
  }

  /** The value with this number. An unknown number raises BAD_PARAM. */
  Any make(int which) {
    Any any = orb.create_any();
    switch (which) {
      case 0 -> {}
      case 1 -> any.insert_short((short) -2);
      case 2 -> any.insert_ulong((int) 4_000_000_000L);
      case 3 -> any.insert_longlong(Long.MIN_VALUE);
      case 4 -> any.insert_double(0.5);
      case 5 -> any.insert_boolean(true);
      case 6 -> any.insert_char('c');
      case 7 -> any.insert_wchar('\u20ac');
      case 8 -> any.insert_octet((byte) 255);
      case 9 -> any.insert_string("text");
      case 10 -> any.insert_wstring("wide \u20ac");
      case 11 -> any.insert_fixed(new BigDecimal("123456789012.345678"), orb.create_fixed_tc((short) 18, (short) 6));
      case 12 -> ColourHelper.insert(any, Colour.BLUE);
      case 13 -> BinStructHelper.insert(any, new BinStruct((short) 1, '2', 3, (byte) 4, 5.5));
      case 14 -> {
        ByLong chosen = new ByLong();
        chosen.text("chosen");
        ByLongHelper.insert(any, chosen);
      }
      case 15 -> {
        Folder inner = new Folder("inner", new Folder[0], (byte) 2);
        FolderHelper.insert(any, new Folder("outer", new Folder[] {inner}, (byte) 1));
      }
      case 16 -> ExpressionHelper.insert(any, sum(number(2.5), sum()));
      case 17 -> LongSeqHelper.insert(any, new int[] {1, 2, 3});
      case 18 -> TripleHelper.insert(any, new int[] {1, 2, 3});
      case 19 -> StringSeqHelper.insert(any, new String[] {"a", ""});
      case 20 -> {
        Any inner = orb.create_any();
        inner.insert_long(5);
        any.insert_any(inner);
      }
      case 21 -> any.insert_TypeCode(FolderHelper.type());
      case 22 -> FailedHelper.insert(any, new Failed("why", 9));
      case 23 -> NodeHelper.insert(any, Graphs.node(7, null, 0.5));
      case 24 -> LettersHelper.insert(any, "boxed");
      case 25 -> {
        Leaf leaf = Graphs.leaf(8, null, "leaf");
        any.insert_Value(leaf, NodeHelper.type());
      }
      case 26 -> any.insert_Value(Graphs.stamp(-5, "UTC"), StampHelper.type());
      default -> throw new BAD_PARAM(0, CompletionStatus.COMPLETED_NO);
    }
    return any;
  }

  private static Expression number(double value) {
    Expression expression = new Expression();
    expression.value(value);
    return expression;
  }

  private static Expression sum(Expression... terms) {
    Expression expression = new Expression();
    expression.terms(terms);
    return expression;
  }

  /** Whether `given`, extracted as the expected type, is the value with this number. */
  boolean is(int which, Any given) throws ReflectiveOperationException {
    Any made = make(which);
    TypeCode type = given.type();
    if (!type.equivalent(made.type())) return false;
    return Same.same(taken(which, given), taken(which, made));
  }

  /** The content of an any as a Java object. */
  private static Object taken(int which, Any any) throws ReflectiveOperationException {
    return switch (which) {
      case 0 -> null;
      case 1 -> any.extract_short();
      case 2 -> any.extract_ulong();
      case 3 -> any.extract_longlong();
      case 4 -> any.extract_double();
      case 5 -> any.extract_boolean();
      case 6 -> any.extract_char();
      case 7 -> any.extract_wchar();
      case 8 -> any.extract_octet();
      case 9 -> any.extract_string();
      case 10 -> any.extract_wstring();
      case 11 -> any.extract_fixed();
      case 12 -> ColourHelper.extract(any);
      case 13 -> BinStructHelper.extract(any);
      case 14 -> ByLongHelper.extract(any);
      case 15 -> FolderHelper.extract(any);
      case 16 -> ExpressionHelper.extract(any);
      case 17 -> LongSeqHelper.extract(any);
      case 18 -> TripleHelper.extract(any);
      case 19 -> StringSeqHelper.extract(any);
      case 20 -> any.extract_any().extract_long();
      case 21 -> any.extract_TypeCode().equal(FolderHelper.type());
      case 22 -> {
        Failed failed = FailedHelper.extract(any);
        yield failed.reason + failed.code;
      }
      case 23 -> {
        Node node = NodeHelper.extract(any);
        yield new Object[] {node.number, node.next, node.weight};
      }
      case 25 -> {
        Leaf leaf = (Leaf) NodeHelper.extract(any);
        yield new Object[] {leaf.number, leaf.next, leaf.weight, leaf.title, leaf.extra};
      }
      case 26 -> {
        Stamp stamp = StampHelper.extract(any);
        yield new Object[] {stamp.seconds, stamp.zone};
      }
      default -> LettersHelper.extract(any);
    };
  }
}
