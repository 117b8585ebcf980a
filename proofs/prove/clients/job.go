// The program does the whole job of a merchant's backend, with clients that oapi-codegen made from the sandbox's documents.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"job/controls"
	"job/service"
)

func must(right bool, about ...any) {
	if !right {
		panic(fmt.Sprint(about...))
	}
}

func take[Answer any](answer Answer, err error) Answer {
	must(err == nil, err)
	return answer
}

func main() {
	origin, base := os.Getenv("SANDBOX"), os.Getenv("BASE_URL")
	ctx := context.Background()
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", os.Getenv("API_KEY"))
		return nil
	}
	client := take(service.NewClientWithResponses(base, service.WithRequestEditorFn(withKey)))
	control := take(controls.NewClientWithResponses(origin))

	// The user signs in by code and by wallet.
	email := fmt.Sprintf("go+%s@demo.test", uuid.NewString())
	address := os.Getenv("WALLET")
	user := take(client.CreateUserWithResponse(ctx, service.CreateUserRequest{
		Email: openapi_types.Email(email), TargetAddress: &address, FirstName: "Ana", LastName: "Ruiz", Country: "ES",
	}))
	must(user.JSON201 != nil, string(user.Body))
	userUuid := user.JSON201.UserUuid
	var trigger, wallet service.Login
	must(trigger.FromOtpTrigger(service.OtpTrigger{UserUuid: userUuid}) == nil)
	asked := take(client.LoginWithResponse(ctx, trigger))
	must(asked.StatusCode() == 204, string(asked.Body))
	mails := take(control.ListMailWithResponse(ctx, &controls.ListMailParams{Email: &email}))
	code := (*mails.JSON200)[len(*mails.JSON200)-1].Code
	byCode := take(client.ExchangeOneTimePasswordWithResponse(ctx, service.OtpExchange{UserUuid: userUuid, OneTimePassword: code}))
	now := time.Now().UTC()
	message := fmt.Sprintf(`%s wants you to sign in with your Ethereum account:
%s

Sign in

URI: %s/auth/login
Version: 1
Chain ID: 137
Nonce: %s
Issued At: %s
Expiration Time: %s`, take(url.Parse(base)).Host, address, base, strings.ReplaceAll(uuid.NewString(), "-", ""),
		now.Format(time.RFC3339), now.Add(2*time.Hour).Format(time.RFC3339))
	signed := take(http.Post(os.Getenv("SIGNER"), "text/plain", strings.NewReader(message)))
	signature := string(take(io.ReadAll(signed.Body)))
	must(wallet.FromWalletSignature(service.WalletSignature{Message: message, Signature: signature}) == nil)
	byWallet := take(client.LoginWithResponse(ctx, wallet))
	must(byCode.JSON200 != nil && byWallet.JSON200 != nil, string(byCode.Body), string(byWallet.Body))
	for _, session := range []string{byCode.JSON200.ServiceSessionId, byWallet.JSON200.ServiceSessionId} {
		read := take(client.GetUserWithResponse(ctx, &service.GetUserParams{ServiceSessionId: &session}))
		must(read.JSON200 != nil && read.JSON200.Email == email, string(read.Body))
		token := take(client.CreateShareTokenWithResponse(ctx, &service.CreateShareTokenParams{ServiceSessionId: &session}))
		must(token.JSON200 != nil, string(token.Body))
	}
	uuidText := userUuid.String()
	read := take(client.GetUserWithResponse(ctx, &service.GetUserParams{UserUuid: &uuidText}))
	must(read.JSON200 != nil && read.JSON200.DateOfBirth == nil, string(read.Body))
	must(len(*take(client.ListSupportedCountriesWithResponse(ctx)).JSON200) > 10)
	must(len(take(client.GetMerchantConfigurationWithResponse(ctx)).JSON200.Chains) > 0)

	// The endpoint's receiver knows its deliveries by the secret, and each event by its type.
	var lock sync.Mutex
	secret, types, arrived := "", map[string]bool{}, false
	receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		if request.Header.Get("Authorization") != "API-Key "+secret {
			answer.WriteHeader(401)
			return
		}
		var event service.Event
		decoder := json.NewDecoder(bytes.NewReader(take(io.ReadAll(request.Body))))
		must(decoder.Decode(&event) == nil)
		value := take(event.ValueByDiscriminator())
		types[fmt.Sprintf("%T", value)] = true
		if transfer, is := value.(service.FiatToCryptoEvent); is && transfer.SubType == "SUCCESS" {
			arrived = *transfer.Data.AmountFiat > 0 && *transfer.Data.SenderDetails.AccountDetails.Iban != ""
		}
		answer.WriteHeader(204)
	}))
	created := take(client.CreateEndpointWithResponse(ctx, service.CreateEndpointRequest{Url: receiver.URL + "/hook", Description: "Go"}))
	must(created.JSON201 != nil, string(created.Body))
	id := created.JSON201.Uuid
	active := service.ListEndpointsParamsStatus("active")
	must(len(*take(client.ListEndpointsWithResponse(ctx, &service.ListEndpointsParams{Status: &active})).JSON200) > 0)
	for _, status := range []service.ChangeEndpointRequestStatus{"disabled", "active"} {
		changed := take(client.ChangeEndpointWithResponse(ctx, id, service.ChangeEndpointRequest{Status: &status}))
		must(changed.JSON200 != nil && string(changed.JSON200.Status) == string(status), string(changed.Body))
	}
	rotated := take(client.RotateSecretWithResponse(ctx, id))
	must(rotated.JSON200.SigningSecret != created.JSON201.SigningSecret)
	lock.Lock()
	secret = rotated.JSON200.SigningSecret
	lock.Unlock()

	must(len(*take(control.ListScenariosWithResponse(ctx)).JSON200) > 13)
	instant := 0.0
	for _, name := range strings.Fields(os.Getenv("SCENARIOS")) {
		played := take(control.PlayScenarioWithResponse(ctx, controls.PlayScenarioRequest{Name: name, UserUuid: &userUuid, Speed: &instant}))
		must(played.JSON202 != nil, string(played.Body))
	}
	isThere := func() bool {
		lock.Lock()
		defer lock.Unlock()
		return len(types) == 13 && arrived
	}
	for waits := 0; !isThere() && waits < 1200; waits++ {
		time.Sleep(25 * time.Millisecond)
	}
	must(isThere(), types)
	deliveries := take(control.ListDeliveriesWithResponse(ctx, &controls.ListDeliveriesParams{Endpoint: &id}))
	for _, delivery := range *deliveries.JSON200 {
		for _, attempt := range delivery.Attempts {
			must(*attempt.Status == 204 && attempt.StartedAt.After(now.Add(-time.Hour)), attempt)
		}
	}

	// Some refusals are deliberate, and some come from mistakes.
	var fault controls.Fault
	once := 1
	must(fault.FromFailFault(controls.FailFault{Status: 503, Next: &once}) == nil)
	must(take(control.AddFaultWithResponse(ctx, fault)).JSON201 != nil)
	on := take(take(control.ListFaultsWithResponse(ctx)).JSON200, nil)
	must(*take((*on)[0].AsActiveFailFault()).Left == 1)
	failed := take(client.ListEndpointsWithResponse(ctx, nil))
	must(failed.StatusCode() == 503 && failed.HTTPResponse.Header.Get("Retry-After") == "1", string(failed.Body))
	missing := take(client.GetEndpointWithResponse(ctx, uuid.New()))
	must(missing.JSON404 != nil && missing.JSON404.Name == "NotFoundError", string(missing.Body))
	clock := take(control.AdvanceClockWithResponse(ctx, controls.AdvanceClockRequest{Seconds: 60}))
	must(clock.JSON200.Now.After(now.Add(time.Minute)), string(clock.Body))
	must(take(client.DeleteEndpointWithResponse(ctx, id)).StatusCode() == 204)
	fmt.Printf("done: %d types of event\n", len(types))
}
