import com.sun.net.httpserver.HttpServer;
import controls.model.ActiveFailFault;
import controls.model.AdvanceClockRequest;
import controls.model.FailFault;
import controls.model.Fault;
import controls.model.PlayScenarioRequest;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import service.ApiException;
import service.auth.ApiKeyAuth;
import service.model.ChangeEndpointRequest;
import service.model.Event;
import service.model.FiatToCryptoEvent;
import service.model.Login;
import service.model.CreateEndpointRequest;
import service.model.CreateUserRequest;
import service.model.OtpExchange;
import service.model.OtpTrigger;
import service.model.WalletSignature;

/** The program does the whole job of a merchant's backend, with clients that openapi-generator made from the sandbox's documents. */
public class Job {
  static volatile String secret = "";
  static final Set<String> types = ConcurrentHashMap.newKeySet();
  static volatile boolean arrived = false;

  static void must(boolean right, Object about) {
    if (!right) throw new AssertionError(about);
  }

  public static void main(String[] words) throws Exception {
    // The receiver's own thread would keep a failed job alive.
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
      error.printStackTrace();
      System.exit(1);
    });
    var origin = System.getenv("SANDBOX");
    var base = System.getenv("BASE_URL");
    var client = new service.ApiClient();
    client.setBasePath(base);
    client.setApiKey(System.getenv("API_KEY"));
    var control = new controls.ApiClient();
    control.setBasePath(origin);
    var users = new service.api.UsersApi(client);
    var signIn = new service.api.SigningInApi(client);
    var endpoints = new service.api.WebhookEndpointsApi(client);
    var merchant = new service.api.MerchantApi(client);
    var state = new controls.api.StateApi(control);
    var events = new controls.api.EventsApi(control);
    var faults = new controls.api.FaultsApi(control);

    // The user signs in by code and by wallet.
    var email = "java+" + UUID.randomUUID() + "@demo.test";
    var address = System.getenv("WALLET");
    var newUser = new CreateUserRequest().email(email).targetAddress(address).firstName("Ana").lastName("Ruiz").country(CreateUserRequest.CountryEnum.ES);
    var userUuid = users.createUser(newUser).getUserUuid();
    var asked = signIn.loginWithHttpInfo(new Login(new OtpTrigger().userUuid(userUuid)));
    must(asked.getStatusCode() == 204, asked.getStatusCode());
    var mails = state.listMail(email);
    var code = mails.get(mails.size() - 1).getCode();
    var byCode = signIn.exchangeOneTimePassword(new OtpExchange().userUuid(userUuid).oneTimePassword(code));
    var now = OffsetDateTime.now(ZoneOffset.UTC);
    var message = String.join("\n",
        URI.create(base).getAuthority() + " wants you to sign in with your Ethereum account:", address, "", "Sign in", "",
        "URI: " + base + "/auth/login", "Version: 1", "Chain ID: 137",
        "Nonce: " + UUID.randomUUID().toString().replace("-", ""), "Issued At: " + now, "Expiration Time: " + now.plusHours(2));
    var signing = HttpRequest.newBuilder(URI.create(System.getenv("SIGNER"))).POST(HttpRequest.BodyPublishers.ofString(message)).build();
    var signature = HttpClient.newHttpClient().send(signing, HttpResponse.BodyHandlers.ofString()).body();
    var byWallet = signIn.login(new Login(new WalletSignature().message(message).signature(signature)));
    for (var session : List.of(byCode, byWallet)) {
      must(users.getUser(session.getServiceSessionId(), null).getEmail().equals(email), session);
      must(users.createShareToken(session.getServiceSessionId(), null).getShareToken() != null, session);
    }
    must(users.getUser(null, userUuid.toString()).getDateOfBirth() == null, userUuid);
    must(merchant.listSupportedCountries().size() > 10, "countries");
    must(!merchant.getMerchantConfiguration().getChains().isEmpty(), "chains");

    // The endpoint's receiver knows its deliveries by the secret, and each event by its type.
    var receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    receiver.createContext("/", exchange -> {
      var body = new String(exchange.getRequestBody().readAllBytes());
      var known = ("API-Key " + secret).equals(exchange.getRequestHeaders().getFirst("Authorization"));
      if (known) take(Event.fromJson(body).getActualInstance());
      exchange.sendResponseHeaders(known ? 204 : 401, -1);
      exchange.close();
    });
    receiver.start();
    var url = URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook");
    var created = endpoints.createEndpoint(new CreateEndpointRequest().url(url).description("Java").subscribedEvents(null));
    var id = created.getUuid();
    must(endpoints.listEndpoints("active").stream().anyMatch(one -> one.getUuid().equals(id)), id);
    for (var status : List.of(ChangeEndpointRequest.StatusEnum.DISABLED, ChangeEndpointRequest.StatusEnum.ACTIVE))
      must(endpoints.changeEndpoint(id, new ChangeEndpointRequest().status(status).subscribedEvents(null)).getStatus().getValue().equals(status.getValue()), status);
    secret = endpoints.rotateSecret(id).getSigningSecret();
    must(!secret.equals(created.getSigningSecret()), "secret");

    must(events.listScenarios().size() > 13, "scenarios");
    for (var name : System.getenv("SCENARIOS").split(" "))
      events.playScenario(new PlayScenarioRequest().name(name).userUuid(userUuid).speed(0.0));
    for (var waits = 0; !(types.size() == 13 && arrived) && waits < 1200; waits++) Thread.sleep(25);
    must(types.size() == 13 && arrived, types);
    for (var delivery : state.listDeliveries(id, null))
      for (var attempt : delivery.getAttempts())
        must(attempt.getStatus() == 204 && attempt.getStartedAt().isAfter(now.minusHours(1)), attempt);

    // Some refusals are deliberate, and some come from mistakes.
    faults.addFault(new Fault(new FailFault().kind(FailFault.KindEnum.FAIL).status(503).next(1)));
    must(((ActiveFailFault) faults.listFaults().get(0).getActualInstance()).getLeft() == 1, "fault");
    try {
      endpoints.listEndpoints(null);
      throw new AssertionError("not refused");
    } catch (ApiException refused) {
      must(refused.getCode() == 503 && refused.getResponseHeaders().get("retry-after").contains("1"), refused);
    }
    try {
      endpoints.getEndpoint(UUID.randomUUID());
      throw new AssertionError("not refused");
    } catch (ApiException refused) {
      must(refused.getCode() == 404 && service.model.Error.fromJson(refused.getResponseBody()).getName().equals("NotFoundError"), refused);
    }
    must(new controls.api.ClockApi(control).advanceClock(new AdvanceClockRequest().seconds(60.0)).getNow().isAfter(now.plusSeconds(60)), now);
    endpoints.deleteEndpoint(id);
    receiver.stop(0);
    System.out.println("done: " + types.size() + " types of event");
    System.exit(0);
  }

  static void take(Object event) {
    types.add(event.getClass().getSimpleName());
    if (event instanceof FiatToCryptoEvent transfer && transfer.getSubType() == FiatToCryptoEvent.SubTypeEnum.SUCCESS)
      arrived = transfer.getData().getAmountFiat() > 0 && transfer.getData().getSenderDetails().getAccountDetails().getIban() != null;
  }
}
