package peer;

import Interop.ContainersOperations;
import Interop.Echo;
import Interop.NicknameHelper;
import Interop.ValuesOperations;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.portable.Streamable;

/** Checks of the echo operations of Values and Containers, which are found by reflection. */
final class Values {
  private final Report report;
  private final ORB orb;
  private final Echo echo;

  Values(Report report, ORB orb, Echo echo) {
    this.report = report;
    this.orb = orb;
    this.echo = echo;
  }

  void run() throws Exception {
    for (Class<?> base : List.of(ValuesOperations.class, ContainersOperations.class)) {
      Method[] operations = base.getDeclaredMethods();
      Arrays.sort(operations, Comparator.comparing(Method::getName));
      for (Method operation : operations) {
        Class<?> holder = operation.getParameterTypes()[1];
        exchange(operation, holder, Cases.of(orb, holder, type(operation, holder)));
      }
    }
  }

  /** In Java, the type of a bounded string is that of any string. */
  private static TypeCode type(Method operation, Class<?> holder) throws ReflectiveOperationException {
    boolean bounded = operation.getName().equals("echo_nickname");
    return bounded ? NicknameHelper.type() : Holders.of(holder, null)._type();
  }

  /**
   * Sends each value, with another one in `kept`: the next of the case, or that of the next case.
   */
  private void exchange(Method operation, Class<?> holder, List<Cases.Case> cases) {
    for (int i = 0; i < cases.size(); ++i) {
      List<Streamable> values = cases.get(i).values();
      List<Streamable> next = values.size() > 1 ? values : cases.get((i + 1) % cases.size()).values();
      report.check(operation.getName(), cases.get(i).name(), () -> {
        for (int j = 0; j < values.size(); ++j)
          call(operation, holder, values.get(j), next.get(values.size() > 1 ? (j + 1) % next.size() : 0));
      });
    }
  }

  private void call(Method operation, Class<?> holder, Streamable given, Streamable before) throws Exception {
    Streamable copy = Holders.of(holder, null);
    Streamable kept = Holders.of(holder, Holders.get(before));
    Object result = operation.invoke(echo, Holders.get(given), copy, kept);
    expectSame("result", Holders.of(holder, result), before);
    expectSame("copy", copy, given);
    expectSame("kept", kept, given);
  }

  private static void expectSame(String what, Streamable got, Streamable wanted) throws Exception {
    boolean same = Same.same(Holders.get(got), Holders.get(wanted));
    Report.expect(same, what + " differs: " + Arrays.deepToString(new Object[] {Holders.get(got)}));
  }
}
