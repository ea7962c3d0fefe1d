package dev.sandboxer.platform.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BodyBudgetTest {

  private static final String HERE = "192.0.2.1";
  private static final long LARGE = 1 << 20;

  private final BodyBudget budget = new BodyBudget(8 * LARGE);

  @Test
  void anAddressHasAQuarterAndAllHaveTheWhole() {
    List<BodyBudget.Share> shares = new ArrayList<>();
    for (int address = 0; address < 4; address++) {
      String name = "192.0.2." + address;
      shares.add(taken(name, LARGE));
      shares.add(taken(name, LARGE));
      assertRefused(name, address < 3 ? "from this address" : "too many large bodies");
    }
    assertThatThrownBy(() -> taken("192.0.2.9", LARGE))
        .isInstanceOf(ProblemException.class)
        .hasMessageNotContaining("from this address");
    shares.forEach(BodyBudget.Share::close);
    taken("192.0.2.9", LARGE).close();
  }

  @Test
  void smallBodiesAlwaysFindRoom() {
    try (BodyBudget.Share all = taken(HERE, 2 * LARGE)) {
      assertThat(all).isNotNull();
      for (int i = 0; i < 10_000; i++) {
        BodyBudget.Share small = budget.share(HERE);
        assertThatCode(() -> small.atLeast(BodyBudget.SMALL)).doesNotThrowAnyException();
      }
    }
  }

  @Test
  void aShareGrowsAndGivesAllBackOnce() {
    for (int i = 0; i < 100; i++) {
      BodyBudget.Share share = budget.share(HERE);
      for (long size = LARGE; size <= 2 * LARGE; size += LARGE / 4) {
        share.atLeast(size);
      }
      share.close();
      share.close();
    }
  }

  private BodyBudget.Share taken(String address, long bytes) {
    BodyBudget.Share share = budget.share(address);
    try {
      share.atLeast(bytes);
    } catch (ProblemException e) {
      share.close();
      throw e;
    }
    return share;
  }

  private void assertRefused(String address, String words) {
    assertThatThrownBy(() -> taken(address, LARGE))
        .isInstanceOfSatisfying(
            ProblemException.class,
            e -> assertThat(e.problem().code()).isEqualTo(ErrorCode.OVERLOADED))
        .hasMessageContaining(words);
  }
}
