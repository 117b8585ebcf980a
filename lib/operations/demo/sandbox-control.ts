import 'server-only'
import { z } from 'zod'

/** The list has the e-mail and `user_uuid` of every user in the sandbox. */
export async function listSandboxUsers(sandboxUrl: URL): Promise<[email: string, userUuid: string][]> {
  const users = UsersSchema.parse(await (await ask(sandboxUrl, 'users')).json())
  return users.map(({ email, uuid }) => [email, uuid])
}

/**
 * `playScenarioInSandbox` starts a scenario, whose events then arrive by HTTP: at their own pace, or at once. It
 * returns the scenario's transaction; null when there is none.
 */
export async function playScenarioInSandbox(
  sandboxUrl: URL,
  { name, userUuid, atOnce = false }: { name: string; userUuid: string; atOnce?: boolean },
): Promise<string | null> {
  const body = { name, user_uuid: userUuid, ...(atOnce && { speed: 0 }) }
  return PlayedSchema.parse(await (await ask(sandboxUrl, 'scenarios', body)).json()).transaction_uuid
}

/** `knockInSandbox` makes a stranger call an endpoint's address so many times, with a wrong secret. */
export async function knockInSandbox(sandboxUrl: URL, endpointUuid: string, times: number): Promise<void> {
  await ask(sandboxUrl, `endpoints/${endpointUuid}/knock`, { times })
}

/** `autoDisableInSandbox` makes the service disable an endpoint, as it does after too many failed deliveries. */
export async function autoDisableInSandbox(sandboxUrl: URL, endpointUuid: string): Promise<void> {
  await ask(sandboxUrl, `endpoints/${endpointUuid}/auto-disable`, {})
}

export interface DemoDelivery {
  readonly receivedAt: Date
  readonly body: Uint8Array
}

/**
 * `makeUpHistory` returns invented deliveries of the past days, in order of time. The same seed gives the same ones.
 */
export async function makeUpHistory(
  sandboxUrl: URL,
  { userUuids, ...rest }: { days: number; transactions: number; seed: number; userUuids: readonly string[] },
): Promise<DemoDelivery[]> {
  const answer = await ask(sandboxUrl, 'history', { ...rest, user_uuids: userUuids })
  const lines = (await answer.text()).trim().split('\n')
  return lines.map((line) => {
    const { at, envelope } = HistoryLineSchema.parse(JSON.parse(line))
    return { receivedAt: new Date(at), body: Buffer.from(JSON.stringify(envelope)) }
  })
}

const UsersSchema = z.array(z.object({ email: z.string(), uuid: z.string() }))
const PlayedSchema = z.object({ transaction_uuid: z.string().nullable().default(null) })
const HistoryLineSchema = z.object({ at: z.iso.datetime(), envelope: z.record(z.string(), z.unknown()) })

async function ask(sandboxUrl: URL, path: string, body?: object): Promise<Response> {
  const init = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const answer = await fetch(new URL(`/_sandbox/${path}`, sandboxUrl), init)
  if (!answer.ok) throw new Error(`The sandbox answered ${answer.status} to ${path}: ${await answer.text()}`)
  return answer
}
