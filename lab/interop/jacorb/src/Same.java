package peer;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Compares values of IDL types, which have no `equals`. NaN and -0.0 are compared by their bits.
 */
final class Same {
  private Same() {}

  private static final Map<Class<?>, Field[]> FIELDS = new HashMap<>();

  static boolean same(Object one, Object other) throws IllegalAccessException {
    if (one == other) return true;
    if (one == null || other == null || one.getClass() != other.getClass()) return false;
    if (one.getClass().isArray()) return sameElements(one, other);
    // Types of java.lang have `equals`, which compares floating-point numbers by their bits.
    if (one.getClass().getName().startsWith("java.")) return one.equals(other);
    for (Field field : FIELDS.computeIfAbsent(one.getClass(), Same::fields))
      if (!same(field.get(one), field.get(other))) return false;
    return true;
  }

  private static boolean sameElements(Object one, Object other) throws IllegalAccessException {
    int length = Array.getLength(one);
    if (length != Array.getLength(other)) return false;
    for (int i = 0; i < length; ++i) if (!same(Array.get(one, i), Array.get(other, i))) return false;
    return true;
  }

  private static Field[] fields(Class<?> type) {
    Field[] fields = Arrays.stream(type.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers())).toArray(Field[]::new);
    for (Field field : fields) field.setAccessible(true);
    return fields;
  }
}
