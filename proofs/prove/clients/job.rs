// The program does the whole job of a merchant's backend, with clients that openapi-generator made from the sandbox's documents.
use controls::apis::{clock_api, events_api, faults_api, state_api};
use controls::models as control_models;
use service::apis::{merchant_api, signing_in_api, users_api, webhook_endpoints_api as endpoints_api, Error};
use service::models::{self, Event};
use std::collections::HashSet;
use std::env::var;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use uuid::Uuid;

/// The result is the body of a successful answer.
macro_rules! take {
    ($answer:expr, $model:ty) => {
        serde_json::from_str::<$model>(&$answer.unwrap().content).unwrap()
    };
}

fn main() {
    let (origin, base) = (var("SANDBOX").unwrap(), var("BASE_URL").unwrap());
    let mut config = service::apis::configuration::Configuration::new();
    config.base_path = base.clone();
    config.api_key = Some(service::apis::configuration::ApiKey { prefix: None, key: var("API_KEY").unwrap() });
    let mut control = controls::apis::configuration::Configuration::new();
    control.base_path = origin.clone();

    // The user signs in by code and by wallet.
    let email = format!("rust+{}@demo.test", Uuid::new_v4());
    let address = var("WALLET").unwrap();
    let mut new_user = models::CreateUserRequest::new(email.clone(), "Ana".into(), "Ruiz".into(), models::create_user_request::Country::Es);
    new_user.target_address = Some(Some(address.clone()));
    let user_uuid = take!(users_api::create_user(&config, new_user), models::CreatedUser).user_uuid;
    let trigger = models::Login::OtpTrigger(Box::new(models::OtpTrigger::new(user_uuid)));
    assert_eq!(signing_in_api::login(&config, trigger).unwrap().status, 204);
    let mails = take!(state_api::list_mail(&control, Some(&email)), Vec<control_models::Mail>);
    let exchange = models::OtpExchange::new(user_uuid, mails.last().unwrap().code.clone());
    let by_code = take!(signing_in_api::exchange_one_time_password(&config, exchange), models::Session);
    let now = chrono::Utc::now();
    let message = [
        format!("{} wants you to sign in with your Ethereum account:", base.trim_start_matches("http://").split('/').next().unwrap()),
        address,
        String::new(),
        "Sign in".into(),
        String::new(),
        format!("URI: {base}/auth/login"),
        "Version: 1".into(),
        "Chain ID: 137".into(),
        format!("Nonce: {}", Uuid::new_v4().simple()),
        format!("Issued At: {}", now.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)),
        format!("Expiration Time: {}", (now + chrono::Duration::hours(2)).to_rfc3339_opts(chrono::SecondsFormat::Millis, true)),
    ]
    .join("\n");
    let signing = reqwest::blocking::Client::new().post(var("SIGNER").unwrap()).body(message.clone());
    let signature = signing.send().unwrap().text().unwrap();
    let wallet = models::Login::WalletSignature(Box::new(models::WalletSignature::new(message, signature)));
    let by_wallet = take!(signing_in_api::login(&config, wallet), models::Session);
    for session in [by_code, by_wallet] {
        let id = Some(session.service_session_id.as_str());
        assert_eq!(take!(users_api::get_user(&config, id, None), models::User).email, email);
        assert!(!take!(users_api::create_share_token(&config, id, None), models::ShareToken).share_token.is_empty());
    }
    let uuid_text = user_uuid.to_string();
    assert!(take!(users_api::get_user(&config, None, Some(&uuid_text)), models::User).date_of_birth.is_none());
    assert!(take!(merchant_api::list_supported_countries(&config), Vec<models::Country>).len() > 10);
    assert!(!take!(merchant_api::get_merchant_configuration(&config), models::MerchantConfiguration).chains.is_empty());

    // The endpoint's receiver knows its deliveries by the secret, and each event by its type.
    let secret = Arc::new(Mutex::new(String::new()));
    let received: Arc<Mutex<Vec<Event>>> = Arc::new(Mutex::new(Vec::new()));
    let receiver = tiny_http::Server::http("127.0.0.1:0").unwrap();
    let url = format!("http://127.0.0.1:{}/hook", receiver.server_addr().to_ip().unwrap().port());
    let (known, events) = (secret.clone(), received.clone());
    std::thread::spawn(move || {
        for mut request in receiver.incoming_requests() {
            let right = format!("API-Key {}", known.lock().unwrap());
            let is_known = request.headers().iter().any(|header| header.field.equiv("Authorization") && header.value.as_str() == right);
            if is_known {
                events.lock().unwrap().push(serde_json::from_reader(request.as_reader()).unwrap());
            }
            request.respond(tiny_http::Response::empty(if is_known { 204 } else { 401 })).unwrap();
        }
    });
    let new_endpoint = models::CreateEndpointRequest::new(url, "Rust".into());
    let created = take!(endpoints_api::create_endpoint(&config, new_endpoint), models::CreatedEndpoint);
    let id = created.uuid.to_string();
    assert!(!take!(endpoints_api::list_endpoints(&config, Some("active")), Vec<models::Endpoint>).is_empty());
    for status in [models::change_endpoint_request::Status::Disabled, models::change_endpoint_request::Status::Active] {
        let changes = models::ChangeEndpointRequest { status: Some(status), ..Default::default() };
        take!(endpoints_api::change_endpoint(&config, &id, changes), models::Endpoint);
    }
    let rotated = take!(endpoints_api::rotate_secret(&config, &id), models::RotatedSecret).signing_secret;
    assert_ne!(rotated, created.signing_secret);
    *secret.lock().unwrap() = rotated;

    assert!(take!(events_api::list_scenarios(&control), Vec<control_models::Scenario>).len() > 13);
    for name in var("SCENARIOS").unwrap().split(' ') {
        let mut play = control_models::PlayScenarioRequest::new(name.into());
        play.user_uuid = Some(user_uuid);
        play.speed = Some(0.0);
        take!(events_api::play_scenario(&control, play), control_models::Play);
    }
    let types = || received.lock().unwrap().iter().map(std::mem::discriminant).collect::<HashSet<_>>().len();
    let arrived = || {
        received.lock().unwrap().iter().any(|event| match event {
            Event::FiatToCrypto(transfer) => {
                transfer.sub_type == models::fiat_to_crypto_event::SubType::Success && transfer.data.amount_fiat > Some(0.0)
            }
            _ => false,
        })
    };
    for _ in 0..1200 {
        if types() == 13 && arrived() {
            break;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    assert_eq!(types(), 13);
    assert!(arrived());
    for delivery in take!(state_api::list_deliveries(&control, Some(&id), None), Vec<control_models::Delivery>) {
        for attempt in delivery.attempts {
            assert_eq!(attempt.status, Some(204));
            assert!(attempt.started_at.ends_with('Z'));
        }
    }

    // Some refusals are deliberate, and some come from mistakes.
    let mut fail = control_models::FailFault::new(control_models::fail_fault::Kind::Fail, 503);
    fail.next = Some(1);
    faults_api::add_fault(&control, control_models::Fault::Fail(Box::new(fail))).unwrap();
    let faults = take!(faults_api::list_faults(&control), Vec<control_models::ActiveFault>);
    assert!(matches!(&faults[0], control_models::ActiveFault::Fail(fault) if fault.left == Some(1)));
    match endpoints_api::list_endpoints(&config, None) {
        Err(Error::ResponseError(refused)) => assert_eq!(refused.status, 503),
        _ => panic!("not refused"),
    }
    match endpoints_api::get_endpoint(&config, &Uuid::new_v4().to_string()) {
        Err(Error::ResponseError(refused)) => {
            assert_eq!(refused.status, 404);
            assert_eq!(serde_json::from_str::<models::Error>(&refused.content).unwrap().name, "NotFoundError");
        }
        _ => panic!("not refused"),
    }
    take!(clock_api::advance_clock(&control, control_models::AdvanceClockRequest::new(60.0)), control_models::Clock);
    assert_eq!(endpoints_api::delete_endpoint(&config, &id).unwrap().status, 204);
    println!("done: {} types of event", types());
}
