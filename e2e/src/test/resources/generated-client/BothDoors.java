import org.openapitools.client.ApiClient;
import org.openapitools.client.api.GrantsApi;
import org.openapitools.client.api.SessionsApi;
import org.openapitools.client.model.AcquireSandbox;
import org.openapitools.client.model.Heartbeat;
import org.openapitools.client.model.NegotiateSession;
import org.openapitools.client.model.RefreshGrant;
import org.openapitools.client.model.RefreshSession;
import org.openapitools.client.model.RefreshedToken;
import org.openapitools.client.model.ReleaseGrant;
import org.openapitools.client.model.SandboxGrant;
import org.openapitools.client.model.Scope;
import org.openapitools.client.model.Session;

/** Goes through both doors with a client that nobody wrote. */
public final class BothDoors {

  public static void main(String[] words) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(words[0]);
    client.setRequestInterceptor(
        request -> request.setHeader("Authorization", "Bearer " + words[1]));
    sessions(new SessionsApi(client));
    grants(new GrantsApi(client));
  }

  private static void sessions(SessionsApi door) throws Exception {
    NegotiateSession shortShape =
        new NegotiateSession().threadId("thr_gen").mode(NegotiateSession.ModeEnum.ENSURE);
    Session made = door.negotiateSession(shortShape, null, "wait=60");
    NegotiateSession fullShape =
        new NegotiateSession()
            .scope(new Scope().type(Scope.TypeEnum.THREAD).id("thr_gen"))
            .mode(NegotiateSession.ModeEnum.ATTACH_ONLY);
    Session same = door.negotiateSession(fullShape, null, null);
    require(made.getSessionId().equals(same.getBinding().getId()), "one session");
    require(made.getSandbox().getId().equals(same.getBinding().getSandboxId()), "one sandbox");
    RefreshedToken fresh = door.refreshSession(made.getSessionId(), new RefreshSession());
    require(!fresh.getToken().equals(made.getToken()), "a new token");
    Heartbeat beat = door.heartbeatSession(made.getSessionId(), new RefreshSession());
    System.out.println(beat.getBinding().getState());
    door.releaseSession(made.getSessionId());
    System.out.println(door.getSession(made.getSessionId()).getBinding().getState());
  }

  private static void grants(GrantsApi door) throws Exception {
    SandboxGrant grant =
        door.acquireSandbox(new AcquireSandbox().threadId("thr_gen2"), null, "wait=60");
    SandboxGrant renewed = door.refreshGrant(new RefreshGrant().token(grant.getToken()));
    require(renewed.getSessionId().equals(grant.getSessionId()), "the same session");
    System.out.println(renewed.getScopes());
    door.releaseGrant(new ReleaseGrant().sessionId(grant.getSessionId()));
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new IllegalStateException("not so: " + what);
    }
  }
}
