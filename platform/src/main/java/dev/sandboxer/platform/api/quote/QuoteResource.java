package dev.sandboxer.platform.api.quote;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Bodies;
import dev.sandboxer.platform.api.Caller;
import dev.sandboxer.platform.api.Example;
import dev.sandboxer.platform.order.Order;
import dev.sandboxer.platform.order.OrderRequest;
import dev.sandboxer.platform.order.Orders;
import dev.sandboxer.platform.pricing.PriceLists;
import dev.sandboxer.platform.pricing.Quote;
import dev.sandboxer.platform.pricing.Quotes;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.routing.Choice;
import dev.sandboxer.platform.routing.Plan;
import dev.sandboxer.platform.routing.Planner;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.List;
import java.util.stream.IntStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** {@code /v1/quotes}. */
@Path("/v1/quotes")
@Produces(MediaType.APPLICATION_JSON)
@RunOnVirtualThread
@Tag(name = "quotes")
public class QuoteResource {

  private final Caller caller;
  private final Bodies bodies;
  private final Orders orders;
  private final Planner planner;
  private final PriceLists lists;
  private final Quotes quotes;

  QuoteResource(
      Caller caller,
      Bodies bodies,
      Orders orders,
      Planner planner,
      PriceLists lists,
      Quotes quotes) {
    this.caller = caller;
    this.bodies = bodies;
    this.orders = orders;
    this.planner = planner;
    this.lists = lists;
    this.quotes = quotes;
  }

  @POST
  @Operation(
      operationId = "quote",
      summary = "What a sandbox of a profile would cost, at each place that can run it",
      description =
          "Creates and records nothing, and needs no free quota. A price list that was just written"
              + " is read first.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = QuoteRequest.class),
              examples = @ExampleObject(name = "local", value = QuoteRequest.EXAMPLE)))
  public QuotesView quote(InputStream stream) {
    Principal principal = caller.principal();
    QuoteRequest request =
        QuoteRequest.read(bodies.object(bodies.bytes(stream), Example.of(QuoteRequest.EXAMPLE)));
    Order order = resolve(request.order(principal));
    Plan plan = planner.plan(order.query());
    lists.awaitChanges();
    List<Choice> candidates = plan.candidates();
    List<Quote> prices =
        quotes.each(candidates.stream().map(QuoteResource::place).toList(), request.query(order));
    return new QuotesView(
        IntStream.range(0, prices.size())
            .mapToObj(n -> QuotesView.ItemView.of(candidates.get(n), prices.get(n)))
            .toList(),
        plan.rejected().stream().map(QuotesView.RejectedView::of).toList());
  }

  private Order resolve(OrderRequest request) {
    try {
      return orders.resolve(request);
    } catch (ProblemException e) {
      throw new ProblemException(e.problem().with("example", Example.of(QuoteRequest.EXAMPLE)));
    }
  }

  private static Quotes.Place place(Choice choice) {
    return new Quotes.Place(choice.extension(), choice.host(), choice.region());
  }
}
