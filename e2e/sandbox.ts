import { readSecrets } from '../bin/data-directory.ts'
import { rampartUrl, sandboxUrl } from './addresses.ts'
import { dataDirVariable, inDatabase } from './database.ts'

/** The answer is the newest code in a person's mailbox since `since`, or null when none comes within 5 s. */
export async function newestCode(email: string, since: Date): Promise<string | null> {
  for (let tries = 0; tries < 50; tries++) {
    const mails = await ask<{ code: string; sent_at: string }[]>(`mailbox?email=${encodeURIComponent(email)}`)
    const newest = mails.at(-1)
    if (newest && new Date(newest.sent_at) >= since) return newest.code
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return null
}

/** The function plays a scenario and answers its transaction. */
export async function playScenario(name: string, userUuid: string, speed = 1_000): Promise<string> {
  const { transaction_uuid } = await ask<{ transaction_uuid: string }>('scenarios', {
    name,
    user_uuid: userUuid,
    speed,
  })
  return transaction_uuid
}

export const listScenarios = async (): Promise<string[]> =>
  (await ask<{ name: string }[]>('scenarios')).map(({ name }) => name)

/** The scenario plays as fast as the order of its events allows. */
export async function playScenarioOf(
  name: string,
  userUuid: string,
): Promise<{ readonly transactionUuid: string | null; readonly events: number }> {
  const played = await ask<{ transaction_uuid?: string; events: number }>('scenarios', {
    name,
    user_uuid: userUuid,
    speed: 0,
  })
  return { transactionUuid: played.transaction_uuid ?? null, events: played.events }
}

/** The function switches on a fault at the service (see its README). `next` limits how often it occurs. */
export const strike = (fault: {
  kind: string
  method?: string
  path?: string
  status?: number
  next: number
}) => ask<unknown>('faults', fault)

/** The mails are listed oldest first. */
export const listMail = () => ask<{ code: string }[]>('mailbox')

/**
 * The function delivers an event to the dashboard that the sandbox would not send, since the sandbox knows only the
 * contract's types.
 */
export async function sendInItsPlace(event: object): Promise<void> {
  const [endpoint] = await inDatabase(
    `SELECT url, signing_secret AS secret FROM webhook_endpoint WHERE status = 'active' AND starts_with(url, $1) LIMIT 1`,
    [rampartUrl],
    'sandbox',
  )
  const { url, secret } = endpoint as { readonly url: string; readonly secret: string }
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `API-Key ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  })
  if (!answer.ok) throw new Error(`The dashboard answered ${answer.status}: ${await answer.text()}`)
}

export const endpointsAtService = () => ask<{ uuid: string; url: string }[]>('endpoints')

/** The event goes to every endpoint that takes it. */
export const sendEvent = (
  event: object = { type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: {} },
) => ask<unknown>('events', event)

/**
 * The function changes an endpoint directly at the service, bypassing the dashboard, as another holder of the merchant's key
 * could.
 */
export const askBehindItsBack = (method: string, path: string, body: object = {}): Promise<void> =>
  askService(method, `merchant/webhook-endpoints/${path}`, body)

/** The function creates an endpoint at the service for this URL, unless one exists. */
export async function createEndpointAtService(url: string, description: string): Promise<void> {
  if ((await endpointsAtService()).some((one) => one.url === url)) return
  await askService('POST', 'merchant/webhook-endpoints', { url, description })
}

/** The service switches an endpoint off, as after many lost deliveries. */
export async function switchOffAtService(uuid: string): Promise<void> {
  const answer = await fetch(`${sandboxUrl}/_sandbox/endpoints/${uuid}/auto-disable`, { method: 'POST' })
  if (!answer.ok) throw new Error(`The endpoint was not switched off: ${await answer.text()}`)
}

/** No wallet has this address. */
export const madeUpAddress = () => `0x${crypto.randomUUID().replaceAll('-', '')}deadbeef`

/** The function creates a user at the service, unknown to the dashboard. */
export const createUserAtService = (
  email: string,
  targetAddress: string,
  more: { date_of_birth?: string; phone?: string } = {},
): Promise<void> => {
  const names = { first_name: 'Made', last_name: 'Elsewhere', country: 'ES' }
  return askService('POST', 'user', { ...names, email, target_address: targetAddress, ...more })
}

/** The service mails a code to a person, as after a request on a sign-in page. */
export const mailCode = (userUuid: string): Promise<void> =>
  askService('POST', 'auth/login', { user_uuid: userUuid })

async function askService(method: string, path: string, body: object): Promise<void> {
  const authorization = readSecrets(process.env[dataDirVariable] ?? '')?.sandboxApiKey ?? ''
  const answer = await fetch(`${sandboxUrl}/onboarding/${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}

const listUsers = () => ask<{ uuid: string; email: string }[]>('users')

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const init = body
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : {}
  const answer = await fetch(`${sandboxUrl}/_sandbox/${path}`, init)
  if (!answer.ok) throw new Error(`/_sandbox/${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

export async function userUuidOf(email: string): Promise<string> {
  const user = (await listUsers()).find((one) => one.email === email)
  if (!user) throw new Error(`The sandbox does not know ${email}`)
  return user.uuid
}
