/** A rule is a sentence or a row of `docs/contract.md`. */
export interface Rule {
  readonly id: string
  readonly section: string
  readonly says: string
}

/** The values of subscribed_events and of an envelope's type are exactly these (§2.3). */
export const eventTypes = [
  'fiatToCrypto',
  'cryptoToFiat',
  'KYC',
  'KYB',
  'AML',
  'unblockBankAccount',
  'entityStatusUpdate',
  'walletCreated',
  'linkedBankAccountProfile',
  'linkBankAccount',
  'duplicateUser',
  'senderNameMismatch',
  'otpNotification',
] as const

/**
 * The rules follow `docs/contract.md` in its order and shorter: §2 to §8 whole, with what can be seen of §1 and §9. Silence
 * is a rule too: clients must accept whatever a service does there.
 */
const sentences = {
  '1-branded-mail-elsewhere': 'Branded e-mails are arranged by contract; no API exists for them',
  '1-default-mail': 'Without that, codes come in the service’s own mail',

  '2.1-user-uuid': 'A user is identified by a uuid',
  '2.1-created-before-sign-in': 'Nobody signs in who was not created',
  '2.1-email': 'Codes go to the user’s e-mail address',
  '2.1-target-address': 'A wallet sign-in must be signed by the target_address',
  '2.1-other-fields-not-shown': 'Further fields of a user: silence',

  '2.2-service-session-id': 'A sign-in returns an opaque text that the session header takes',
  '2.2-user-uuid': 'A session names the user that signed in',
  '2.2-lifetime': 'Sessions are short-lived; how long is up to the service',

  '2.3-uuid': 'An endpoint’s uuid is the {id} in paths',
  '2.3-url-https': 'The url is HTTPS',
  '2.3-url-receives': 'The url receives the notifications, a changed one from then on',
  '2.3-url-required': 'No endpoint is created without a url',
  '2.3-description-required': 'No endpoint is created without a description',
  '2.3-description-255': 'A description has at most 255 characters',
  '2.3-subscribed-events-optional': 'The list of events may be left out',
  '2.3-subscribed-events-omitted': 'An endpoint without a list gets every type',
  '2.3-status': 'A status is active, disabled or auto_disabled',
  '2.3-signing-secret-per-endpoint': 'Each endpoint has a secret of its own',
  '2.3-signing-secret-create': 'Create returns the secret',
  '2.3-signing-secret-rotate': 'Rotation returns the secret',
  '2.3-signing-secret-hidden': 'No other answer shows the secret',
  ...Object.fromEntries(eventTypes.map((type) => [`2.3-event-${type}`, `${type} can be subscribed to`])),
  '2.3-events-exact': 'No other spelling is a value',
  '2.3-unblock-name': 'The unblock event is unblockBankAccount in lists and in deliveries',
  '2.3-legacy-spelling-400': 'Its legacy spelling is refused with 400',
  '2.3-other-fields-not-shown': 'Further fields of get and list: silence',

  '2.4-type': 'type is one of the thirteen event types',
  '2.4-sub-type': 'subType is a text that classifies further',
  '2.4-uuid': 'uuid names the user or corporate entity concerned',
  '2.4-data': 'data is an object',

  '3.1-states': 'There are three endpoint states',
  '3.1-any-to-active': 'PATCH status=active makes any endpoint active',
  '3.1-any-to-disabled': 'PATCH status=disabled makes any endpoint disabled',
  '3.1-any-removed': 'DELETE removes an endpoint in any state',
  '3.1-removed-receives-nothing': 'A removed endpoint receives no further events',
  '3.1-only-active-or-disabled': 'An update cannot set auto_disabled',
  '3.1-auto-disabled-not-shown': 'What leads to auto_disabled: silence; such an endpoint receives nothing',

  '3.2-fiat-to-crypto': 'fiatToCrypto has seven statuses',
  '3.2-crypto-to-fiat': 'cryptoToFiat has eight statuses',
  '3.2-moves-not-shown': 'Which status may follow which: silence',

  '3.3-account-and-profile': 'Fiat accounts and profiles have four statuses',
  '3.3-linked-account': 'Linked bank accounts have five statuses',
  '3.3-moves-not-shown': 'Which status may follow which: silence',

  '4-relative-to-base-url': 'Paths are relative to the base address',
  '4-json': 'Bodies are JSON, as application/json',
  '4-nothing-else': 'The document names no other path',

  '4.1-login-two-branches': 'The body chooses the branch of POST /auth/login',
  '4.1-login-wallet-200': 'Message and signature answer 200 with service_session_id and user_uuid',
  '4.1-login-code-204': 'user_uuid alone answers 204 without a body',
  '4.1-login-code-mailed': 'A one-time password goes to that user’s e-mail address',
  '4.1-1-signature-verified': 'The service verifies the signature',
  '4.1-1-signer-is-target-address': 'The signer’s address must be the user’s target_address',
  '4.1-2-new-code': 'Every call sends a new code',
  '4.1-2-fresh-call': 'A fresh call is the way to a new code',
  '4.1-3-no-body-to-parse': 'A client parses no body of the 204',
  '4.1-exchange-request':
    'The exchange wants user_uuid and one_time_password, at a path with a slash at its end',
  '4.1-exchange-200': 'The exchange answers 200 with service_session_id and user_uuid',

  '4.2-create-request': 'Create takes url, description and, optionally, subscribed_events',
  '4.2-create-answer': 'Create answers uuid, status, url and signing_secret',
  '4.2-list': 'List answers the endpoints',
  '4.2-list-status': 'List can be narrowed to one status',
  '4.2-get-one': 'Get answers the one endpoint',
  '4.2-update-url': 'Update changes the url',
  '4.2-update-status': 'Update changes the status',
  '4.2-update-subscribed-events': 'Update changes the events',
  '4.2-update-no-description': 'Update cannot change the description',
  '4.2-update-answer': 'Update answers the updated endpoint',
  '4.2-rotate': 'Rotation wants no body and answers a new secret',
  '4.2-rotate-ends-previous': 'After rotation the previous secret is no longer valid',
  '4.2-delete': 'Delete removes the endpoint',
  '4.2-bodies-not-shown': 'Further content of the answers: silence',

  '4.3-post-user': 'POST /user creates a user, who can then sign in',
  '4.3-get-user': 'GET /user returns the user with e-mail address and target_address',
  '4.3-supported-countries': 'GET /supported/countries informs',
  '4.3-merchant': 'GET /merchant/* is for the merchant',
  '4.3-share-token': 'POST /user/kyc/applicant/share-token writes for a user, whom user-uuid may name',
  '4.3-shapes-not-shown': 'The bodies of these: silence',

  '5.1-1-every-call': 'Every call carries the API key',
  '5.1-1-raw-key': 'The header holds the raw key, without Bearer',
  '5.1-2-session-header': 'User-scoped calls carry service-session-id',
  '5.1-3-user-uuid-header': 'Some calls accept user-uuid in its place',
  '5.1-merchant-scoped': 'Merchant-scoped and informational calls need the API key only',
  '5.1-user-read': 'User-scoped reads need the session or user-uuid',
  '5.1-user-write': 'User-scoped writes need the session',
  '5.1-share-token': 'The share token needs the session or user-uuid',
  '5.1-webhook-management': 'Webhook endpoints need the API key only',

  '5.2-layout': 'The message has the lines of EIP-4361 in their order',
  '5.2-domain': 'domain is the service’s host, any other is rejected',
  '5.2-uri': 'uri is the login address, any other is rejected',
  '5.2-address': 'address is the user’s target_address',
  '5.2-version': 'version is 1',
  '5.2-chain-id': 'Chain ID is an integer',
  '5.2-nonce-alphanumeric': 'A nonce is letters and digits',
  '5.2-nonce-never-reused': 'A nonce signs in once',
  '5.2-issued-at': 'Issued At is an ISO 8601 time',
  '5.2-expiration-time': 'Expiration Time is an ISO 8601 time that has not come',
  '5.2-lifetime': 'A message may live for 2 to 4 hours',
  '5.2-statement': 'The statement is free text',
  '5.2-exact-message': 'The very string that was signed is sent',

  '5.3-two-calls': 'E-mail sign-in is two calls',

  '5.4-1-opaque': 'A session id tells nothing',
  '5.4-1-expired': 'An expired session is a 401',
  '5.4-1-invalid': 'An invalid session is a 401',
  '5.4-2-no-refresh': 'No refresh endpoint exists',
  '5.4-2-no-logout': 'No logout endpoint exists',
  '5.4-2-sign-in-again': 'Signing in again yields a new session',
  '5.4-3-backend-only': 'Credentials are for the merchant’s backend, not for browsers',
  '5.4-3-revoked-key': 'A key may be revoked without notice',

  '5.5-accept': 'A delivery says Accept: application/json',
  '5.5-content-type': 'A delivery says Content-type: application/json',
  '5.5-authorization': 'A delivery says Authorization: API-Key and the endpoint’s secret',
  '5.5-own-secret': 'The secret is the endpoint’s own, so that a receiver can compare it',
  '5.5-mismatch': 'A receiver discards what carries another secret',
  '5.5-after-rotation': 'After a rotation, deliveries carry the new secret',

  '6-post': 'Events are sent by HTTP POST',
  '6-active-only': 'Only active endpoints get them',
  '6-filter': 'An endpoint with a list gets the types on it, and those of a changed list from then on',
  '6-envelope': 'The body is the envelope',
  '6-amounts': 'Amounts are numbers',
  '6-identifiers': 'Identifiers are texts',

  '6.1-PENDING': 'Created, waiting',
  '6.1-IN_PROGRESS': 'Fiat arrived, in process',
  '6.1-CRYPTO_TRANSFER_ISSUED': 'Stablecoin sent, with transactionHash and amountCrypto',
  '6.1-SUCCESS': 'Done',
  '6.1-ON_HOLD': 'Paused, data.status says why',
  '6.1-FAILED': 'Failed',
  '6.1-REFUNDED': 'Given back',
  '6.1-data': 'data has these fields, each of its type',
  '6.1-sender-details': 'senderDetails has these fields, each of its type',

  '6.2-PENDING': 'Created, waiting',
  '6.2-IN_PROGRESS': 'Stablecoin arrived, in process',
  '6.2-FIAT_TRANSFER_ISSUED': 'Fiat on its way, with amountFiat',
  '6.2-SUCCESS': 'Done',
  '6.2-ON_HOLD': 'Paused, data.status says why',
  '6.2-FAILED': 'Failed',
  '6.2-LIMIT_BREACHED': 'Less stablecoin than the chain’s minimum',
  '6.2-REFUNDED': 'Given back',
  '6.2-data': 'data has these fields, each of its type',
  '6.2-beneficiary-details': 'beneficiaryDetails has these fields, each of its type',
  '6.2-transaction-uuid': 'transactionUuid identifies a transaction',

  '6.3-status-update': 'A fiat account’s change is a statusUpdate, data.status says to what',
  '6.3-data': 'data has these fields, all texts',

  '6.4-status-update': 'A profile’s change is a statusUpdate',
  '6.4-data': 'data has these fields, all texts',

  '6.5-sent-on-change': 'Sent when a linked bank account’s status changes',
  '6.5-type': 'Always linkBankAccount and statusUpdate',
  '6.5-uuid': 'uuid is the user’s, or the company’s',
  '6.5-data-uuid': 'data.uuid is the bank account’s',
  '6.5-data-status': 'data.status is one of five',
  '6.5-data-error': 'data.error comes with FAILED',

  '6.6-bounce': 'A code’s mail that bounced is EMAIL_DELIVERY_FAILED',
  '6.6-data': 'data says what failed, for which address, how and when',
  '6.6-failure-types-not-shown': 'The values of failureType: silence',

  '6.7-subscribable': 'Seven further types can be subscribed to',
  '6.7-bodies-not-shown': 'Their subTypes and data: silence',
  '6.7-success-not-shown': 'Which answer, and how soon, is a success: silence; 200 at once is',

  '6.8-1-seven-attempts': 'At most seven attempts',
  '6.8-2-waits': 'The wait before retry n is n^6 + 2 seconds',
  '6.8-3-then-never': 'After the seventh failure the event is not sent again',

  '7-400-subscribed-events': '400 for an unsupported event',
  '7-401-session': '401 for a session that is invalid or expired',
  '7-401-signature': '401 for a signature that does not verify against the message',
  '7-401-address': '401 for a signer who is not the user’s target_address',
  '7-401-code-wrong': '401 for a wrong code',
  '7-401-code-used': '401 for a code that was used',
  '7-401-code-expired': '401 for a code that has expired',
  '7-404-user': '404 for a user_uuid that was not created',
  '7-429-codes': '429 for too many codes asked for',
  '7-sign-in-again': 'After a 401, signing in again and repeating the call works',
  '7-bodies-not-shown': 'The body of an error: silence',

  '8-description': 'Description: 255 characters',
  '8-attempts': 'Attempts: 7',
  '8-delay': 'Delay: n^6 + 2 seconds',
  '8-https': 'Webhook url: HTTPS',
  '8-message-lifetime': 'Message lifetime: 2 to 4 hours',
  '8-rate-limits-not-shown': 'Rate limits: silence',
  '8-lifetimes-not-shown': 'Lifetimes of sessions and codes, minimum amounts: silence',

  '9-versioning-not-shown': 'Versions: silence; no path or header names one',
  '9-legacy-name': 'unblockBankAccount is a name kept for existing subscribers',
}

export const contract: readonly Rule[] = Object.entries(sentences).map(([id, says]) => ({
  id,
  section: id.slice(0, id.indexOf('-')),
  says,
}))
