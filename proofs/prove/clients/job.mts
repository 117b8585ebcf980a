import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import createClient from 'openapi-fetch'
import type { paths as Controls } from './controls.d.ts'
import type { paths as Calls, components } from './service.d.ts'

// The program does the whole job of a merchant's backend, with clients that openapi-typescript made from the sandbox's
// documents.

type Event = components['schemas']['Event']

const setting = (name: string) => process.env[name] ?? assert.fail(`${name} is not set`)
const origin = setting('SANDBOX')
const base = setting('BASE_URL')
const everybodys = createClient<Controls>({ baseUrl: origin })
// The job has a namespace to itself, so that its fault and its clock disturb nobody.
const { api_key } = await take(everybodys.POST('/_sandbox/namespaces', { body: {} }))
const headers = { Authorization: api_key }
const service = createClient<Calls>({ baseUrl: base, headers })
const controls = createClient<Controls>({ baseUrl: origin, headers })

/** The result is the body of a successful answer. */
async function take<Data>(
  asked: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await asked
  assert.ok(response.ok && data !== undefined, `${response.status} ${JSON.stringify(error)}`)
  return data
}

// The user signs in by code and by wallet.
const email = `typescript+${Date.now()}@demo.test`
const address = setting('WALLET')
const user = await take(
  service.POST('/user', {
    body: { email, target_address: address, first_name: 'Ana', last_name: 'Ruiz', country: 'ES' },
  }),
)
const { user_uuid } = user
const asked = await service.POST('/auth/login', { body: { user_uuid } })
assert.equal(asked.response.status, 204)
const mails = await take(controls.GET('/_sandbox/mailbox', { params: { query: { email } } }))
const byCode = await take(
  service.POST('/auth/otp/', { body: { user_uuid, one_time_password: mails.at(-1)?.code ?? '' } }),
)
const now = Date.now()
const message = `${new URL(base).host} wants you to sign in with your Ethereum account:
${address}

Sign in

URI: ${base}/auth/login
Version: 1
Chain ID: 137
Nonce: ${crypto.randomUUID().replaceAll('-', '')}
Issued At: ${new Date(now).toISOString()}
Expiration Time: ${new Date(now + 7_200_000).toISOString()}`
const signature = await (await fetch(setting('SIGNER'), { method: 'POST', body: message })).text()
const byWallet = await take(service.POST('/auth/login', { body: { message, signature } }))
for (const { service_session_id } of [byCode, byWallet]) {
  const header = { 'service-session-id': service_session_id }
  const read = await take(service.GET('/user', { params: { header } }))
  assert.equal(read.email, email)
  await take(service.POST('/user/kyc/applicant/share-token', { params: { header } }))
}
const header = { 'user-uuid': user_uuid }
assert.equal((await take(service.GET('/user', { params: { header } }))).date_of_birth, null)
assert.ok((await take(service.GET('/supported/countries'))).length > 10)
assert.ok((await take(service.GET('/merchant/configuration'))).chains.length > 0)

// The endpoint's receiver knows its deliveries by the secret, and each event by its type.
const received: Event[] = []
let secret = ''
const receiver = http.createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const known = request.headers.authorization === `API-Key ${secret}`
  if (known) received.push(JSON.parse(body))
  response.writeHead(known ? 204 : 401).end()
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const listening = receiver.address()
assert.ok(typeof listening === 'object' && listening)
const created = await take(
  service.POST('/merchant/webhook-endpoints', {
    body: { url: `http://127.0.0.1:${listening.port}/hook`, description: 'TypeScript' },
  }),
)
const params = { path: { id: created.uuid } }
const list = '/merchant/webhook-endpoints'
const one = '/merchant/webhook-endpoints/{id}'
assert.ok((await take(service.GET(list, { params: { query: { status: 'active' } } }))).length > 0)
for (const status of ['disabled', 'active'] as const)
  assert.equal((await take(service.PATCH(one, { params, body: { status } }))).status, status)
secret = (await take(service.PATCH(`${one}/secret`, { params }))).signing_secret
assert.notEqual(secret, created.signing_secret)

const scenarios = await take(controls.GET('/_sandbox/scenarios'))
assert.ok(scenarios.some(({ name }) => name === 'fiat-to-crypto'))
const played = setting('SCENARIOS').split(' ')
for (const name of played)
  await take(controls.POST('/_sandbox/scenarios', { body: { name, user_uuid, speed: 0 } }))
const types = () => new Set(received.map(({ type }) => type))
const said = () => new Set(received.map(describe))
const isThere = () => types().size === 13 && said().has('fiat arrived')
for (let waits = 0; !isThere() && waits < 1_200; waits++) await sleep(25)
assert.ok(isThere(), [...types(), ...said()].join())
const attempts = (
  await take(controls.GET('/_sandbox/deliveries', { params: { query: { endpoint: created.uuid } } }))
).flatMap((delivery) => delivery.attempts)
assert.ok(attempts.every(({ status, started_at }) => status === 204 && started_at.endsWith('Z')))

// Some refusals are deliberate, and some come from mistakes.
await take(controls.POST('/_sandbox/faults', { body: { kind: 'fail', status: 503, next: 1 } }))
const [fault] = await take(controls.GET('/_sandbox/faults'))
assert.ok(fault?.kind === 'fail' && fault.status === 503 && fault.left === 1)
const failed = await service.GET(list)
assert.equal(failed.response.status, 503)
assert.equal(failed.response.headers.get('retry-after'), '1')
const missing = await service.GET(one, { params: { path: { id: crypto.randomUUID() } } })
assert.deepEqual([missing.response.status, missing.error?.name], [404, 'NotFoundError'])
const clock = await take(controls.POST('/_sandbox/clock/advance', { body: { seconds: 60 } }))
assert.ok(Date.parse(clock.now) > now + 60_000)
assert.equal((await service.DELETE(one, { params })).response.status, 204)
receiver.closeAllConnections()
receiver.close()
assert.ok((await take(everybodys.GET('/_sandbox/users'))).every((one) => one.email !== email))
assert.ok((await take(controls.GET('/_sandbox/users'))).some((one) => one.email === email))
const own = { params: { path: { api_key } } }
assert.equal((await everybodys.DELETE('/_sandbox/namespaces/{api_key}', own)).response.status, 204)
console.log(`done: ${types().size} types of event`)

/** Each alternative has its own data. */
function describe(event: Event): string {
  switch (event.type) {
    case 'fiatToCrypto':
      return event.subType === 'SUCCESS' && (event.data.amountFiat ?? 0) > 0
        ? 'fiat arrived'
        : event.data.status
    case 'cryptoToFiat':
      return event.data.beneficiaryDetails?.accountDetails?.bankName ?? event.data.status
    case 'otpNotification':
      return event.data.emailAddress
    case 'walletCreated':
      return event.data.chain
    case 'duplicateUser':
      return event.data.duplicateOf
    case 'senderNameMismatch':
      return event.data.senderName
    default:
      return event.data.status
  }
}
