package peer;

import Interop.ExoticsOperations;
import Interop.ExoticsPOATie;
import Interop.Rejected;
import java.math.BigDecimal;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;

/** The operations of Interop::Exotics other than echoes; see idl/interop_values.idl. */
public final class ExoticsServant {
  private final Made made;

  ExoticsServant(ORB orb) {
    made = new Made(orb);
  }

  /** The servant that is registered at the POA. */
  ExoticsPOATie tie() {
    return new ExoticsPOATie(EchoServant.answering(ExoticsOperations.class, this));
  }

  public void raise_rejected(String reason, Any evidence, BigDecimal cost) throws Rejected {
    throw new Rejected(reason, evidence, cost);
  }

  public Any make_any(int which) { return made.make(which); }
  public boolean is_made(int which, Any given) throws ReflectiveOperationException { return made.is(which, given); }
}
