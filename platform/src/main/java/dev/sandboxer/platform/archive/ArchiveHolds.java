package dev.sandboxer.platform.archive;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.spi.Archive;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Which sandboxes have which archives. A sandbox keeps those that it was created with until it is
 * destroyed, so that each generation is made of the same bytes.
 */
@ApplicationScoped
public class ArchiveHolds {

  private final Jdbi jdbi;

  ArchiveHolds(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Gives a sandbox its archives, in the transaction that records it.
   *
   * @param open the transaction
   * @param sandbox that is recorded
   * @param archives ids, by the options that stand for them
   * @throws ProblemException VALIDATION if one has been removed meanwhile
   */
  public void hold(Handle open, SandboxId sandbox, Map<String, String> archives) {
    archives.forEach(
        (option, archive) -> {
          var _ =
              open.createQuery("select id from archive where id = :id for key share")
                  .bind("id", archive)
                  .mapTo(String.class)
                  .findOne()
                  .orElseThrow(
                      () ->
                          new ProblemException(
                              ErrorCode.VALIDATION,
                              "options.%s: the archive was removed meanwhile; upload it again"
                                  .formatted(option)));
          open.createUpdate(
                  """
                  insert into archive_hold (sandbox_id, option, archive_id)
                  values (:sandbox, :option, :archive)
                  """)
              .bind("sandbox", sandbox)
              .bind("option", option)
              .bind("archive", archive)
              .execute();
        });
  }

  /**
   * What a sandbox has.
   *
   * @param sandbox any
   * @return by the options that stand for them
   */
  public Map<String, Archive> of(SandboxId sandbox) {
    return jdbi.withHandle(
        open ->
            open
                .createQuery(
                    """
                    select h.option, a.id, a.size_bytes
                    from archive_hold h join archive a on a.id = h.archive_id
                    where h.sandbox_id = :sandbox
                    """)
                .bind("sandbox", sandbox)
                .map(
                    (row, _) ->
                        Map.entry(
                            row.getString("option"),
                            archive(row.getString("id"), row.getLong("size_bytes"))))
                .list()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  private Archive archive(String id, long size) {
    return () -> new Parts(id, size);
  }

  /** Reads part by part, so that it needs memory and a connection only for one. */
  private final class Parts extends InputStream {

    private final String id;
    private long left;
    private byte[] part = new byte[0];
    private int at;
    private int next;

    Parts(String id, long size) {
      this.id = id;
      this.left = size;
    }

    @Override
    public int read() throws IOException {
      return more() ? part[at++] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
      if (most == 0) {
        return 0;
      }
      if (!more()) {
        return -1;
      }
      int count = Math.min(most, part.length - at);
      System.arraycopy(part, at, into, from, count);
      at += count;
      return count;
    }

    private boolean more() throws IOException {
      if (at == part.length && left > 0) {
        part =
            load().orElseThrow(() -> new IOException("part " + next + " of the archive is gone"));
        left -= part.length;
        at = 0;
        next++;
      }
      return at < part.length;
    }

    private Optional<byte[]> load() throws IOException {
      try {
        return jdbi.withHandle(
            open ->
                open.createQuery(
                        "select bytes from archive_chunk where archive_id = :id and number = :number")
                    .bind("id", id)
                    .bind("number", next)
                    .mapTo(byte[].class)
                    .findOne());
      } catch (RuntimeException e) {
        throw new IOException("the database does not answer: " + e.getMessage(), e);
      }
    }
  }
}
