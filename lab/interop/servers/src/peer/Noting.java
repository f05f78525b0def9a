package peer;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * Notes in a file what it is told. Where a file with `.die-prepare` or `.die-commit` behind its name
 * exists, it ends the server at that word, once: at the first behind the note, at the other before it.
 */
public final class Noting implements XAResource, Serializable {
  private static final long serialVersionUID = 1;
  private final String file;

  public Noting(String file) {
    this.file = file;
  }

  private void note(String word) {
    try {
      Files.writeString(Path.of(file), word + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void die(String word) {
    try {
      if (Files.deleteIfExists(Path.of(file + ".die-" + word))) Runtime.getRuntime().halt(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A transaction that is prepared, for the recovery of the server. */
  private record Known(int getFormatId, byte[] getGlobalTransactionId, byte[] getBranchQualifier)
      implements Xid {}

  private void remember(Xid xid) {
    HexFormat hex = HexFormat.of();
    try {
      Files.writeString(Path.of(file + ".xid"), xid.getFormatId() + " "
          + hex.formatHex(xid.getGlobalTransactionId()) + " " + hex.formatHex(xid.getBranchQualifier()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public int prepare(Xid xid) throws XAException {
    note("prepare");
    die("prepare");
    if (Files.exists(Path.of(file + ".refuse"))) throw new XAException(XAException.XA_RBROLLBACK);
    remember(xid);
    return XA_OK;
  }

  @Override
  public void commit(Xid xid, boolean onePhase) {
    die("commit");
    note(onePhase ? "commit_one_phase" : "commit");
    end();
  }

  @Override
  public void rollback(Xid xid) {
    note("rollback");
    end();
  }

  private void end() {
    try {
      Files.deleteIfExists(Path.of(file + ".xid"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Xid[] recover(int flag) {
    Path kept = Path.of(file + ".xid");
    if ((flag & TMSTARTRSCAN) == 0 || !Files.exists(kept)) return new Xid[0];
    try {
      String[] words = Files.readString(kept).split(" ");
      HexFormat hex = HexFormat.of();
      return new Xid[] {new Known(Integer.parseInt(words[0]), hex.parseHex(words[1]), hex.parseHex(words[2]))};
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean isSameRM(XAResource other) {
    return other instanceof Noting && ((Noting) other).file.equals(file);
  }

  @Override
  public void start(Xid xid, int flags) {}

  @Override
  public void end(Xid xid, int flags) {}

  @Override
  public void forget(Xid xid) {
    note("forget");
  }

  @Override
  public int getTransactionTimeout() {
    return 0;
  }

  @Override
  public boolean setTransactionTimeout(int seconds) {
    return false;
  }
}
