# The program does the whole job of a merchant's backend, with clients that openapi-generator made from the sandbox's documents.
import datetime
import http.server
import os
import threading
import time
import urllib.parse
import urllib.request
import uuid

import controls
import service

origin = os.environ["SANDBOX"]
base = os.environ["BASE_URL"]
client = service.ApiClient(service.Configuration(host=base, api_key={"apiKey": os.environ["API_KEY"]}))
users, sign_in = service.UsersApi(client), service.SigningInApi(client)
endpoints, merchant = service.WebhookEndpointsApi(client), service.MerchantApi(client)
control = controls.ApiClient(controls.Configuration(host=origin))
state, events = controls.StateApi(control), controls.EventsApi(control)
faults, clock = controls.FaultsApi(control), controls.ClockApi(control)

# The user signs in by code and by wallet.
email = f"python+{uuid.uuid4()}@demo.test"
address = os.environ["WALLET"]
new_user = service.CreateUserRequest(email=email, target_address=address, first_name="Ana", last_name="Ruiz", country="ES")
user_uuid = users.create_user(new_user).user_uuid
asked = sign_in.login_with_http_info(service.Login(service.OtpTrigger(user_uuid=user_uuid)))
assert asked.status_code == 204, asked.status_code
code = state.list_mail(email=email)[-1].code
by_code = sign_in.exchange_one_time_password(service.OtpExchange(user_uuid=user_uuid, one_time_password=code))
now = datetime.datetime.now(datetime.timezone.utc)
message = f"""{urllib.parse.urlparse(base).netloc} wants you to sign in with your Ethereum account:
{address}

Sign in

URI: {base}/auth/login
Version: 1
Chain ID: 137
Nonce: {uuid.uuid4().hex}
Issued At: {now.isoformat()}
Expiration Time: {(now + datetime.timedelta(hours=2)).isoformat()}"""
signature = urllib.request.urlopen(os.environ["SIGNER"], message.encode()).read().decode()
by_wallet = sign_in.login(service.Login(service.WalletSignature(message=message, signature=signature)))
for session in (by_code, by_wallet):
    assert users.get_user(service_session_id=session.service_session_id).email == email
    assert users.create_share_token(service_session_id=session.service_session_id).share_token
assert users.get_user(user_uuid=str(user_uuid)).date_of_birth is None
assert len(merchant.list_supported_countries()) > 10
assert merchant.get_merchant_configuration().chains

# The endpoint's receiver knows its deliveries by the secret, and each event by its type.
received, secret = [], ""


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        known = self.headers["Authorization"] == f"API-Key {secret}"
        if known:
            received.append(service.Event.from_json(body).actual_instance)
        self.send_response(204 if known else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{receiver.server_port}/hook"
created = endpoints.create_endpoint(service.CreateEndpointRequest(url=url, description="Python"))
assert created.uuid in [one.uuid for one in endpoints.list_endpoints(status="active")]
for status in ("disabled", "active"):
    assert endpoints.change_endpoint(created.uuid, service.ChangeEndpointRequest(status=status)).status == status
secret = endpoints.rotate_secret(created.uuid).signing_secret
assert secret != created.signing_secret

assert "fiat-to-crypto" in [scenario.name for scenario in events.list_scenarios()]
for name in os.environ["SCENARIOS"].split():
    events.play_scenario(controls.PlayScenarioRequest(name=name, user_uuid=user_uuid, speed=0))
waited = 0
types, arrived = set(), []
while not (len(types) == 13 and arrived) and waited < 1200:
    time.sleep(0.025)
    waited += 1
    types = {type(event).__name__ for event in received}
    arrived = [event for event in received if isinstance(event, service.FiatToCryptoEvent) and event.sub_type == "SUCCESS"]
assert len(types) == 13, types
assert arrived and arrived[0].data.amount_fiat > 0 and arrived[0].data.sender_details.account_details.iban
for delivery in state.list_deliveries(endpoint=created.uuid):
    for attempt in delivery.attempts:
        assert attempt.status == 204 and attempt.started_at.tzinfo

# Some refusals are deliberate, and some come from mistakes.
faults.add_fault(controls.Fault(controls.FailFault(kind="fail", status=503, next=1)))
fault = faults.list_faults()[0].actual_instance
assert isinstance(fault, controls.ActiveFailFault) and fault.left == 1
# The library would wait as Retry-After says and repeat a GET.
try:
    users.create_share_token(user_uuid=str(user_uuid))
    raise AssertionError("not refused")
except service.ApiException as refused:
    assert refused.status == 503 and refused.headers["Retry-After"] == "1", refused
try:
    endpoints.get_endpoint(str(uuid.uuid4()))
    raise AssertionError("not refused")
except service.ApiException as refused:
    assert refused.status == 404 and refused.data.name == "NotFoundError", refused
assert clock.advance_clock(controls.AdvanceClockRequest(seconds=60)).now > now + datetime.timedelta(seconds=60)
endpoints.delete_endpoint(created.uuid)
print(f"done: {len(types)} types of event")
