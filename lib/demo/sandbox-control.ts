import 'server-only'
import { z } from 'zod'

/** E-mail and `user_uuid` of everybody the sandbox knows. */
export async function listSandboxUsers(sandboxUrl: URL): Promise<[email: string, userUuid: string][]> {
  const users = UsersSchema.parse(await (await ask(sandboxUrl, 'users')).json())
  return users.map(({ email, uuid }) => [email, uuid])
}

/** Starts a scenario, which then arrives by HTTP at its own pace. */
export async function playScenarioInSandbox(
  sandboxUrl: URL,
  scenario: { name: string; userUuid: string },
): Promise<void> {
  await ask(sandboxUrl, 'scenarios', { name: scenario.name, user_uuid: scenario.userUuid })
}

export interface DemoDelivery {
  readonly receivedAt: Date
  readonly body: Uint8Array
}

/** What would have arrived in the past days, in order of time; the same for the same seed. */
export async function readHistory(
  sandboxUrl: URL,
  history: { days: number; transactions: number; seed: number; userUuids: readonly string[] },
): Promise<DemoDelivery[]> {
  const query = new URLSearchParams(history.userUuids.map((uuid) => ['user', uuid]))
  for (const name of ['days', 'transactions', 'seed'] as const) query.set(name, String(history[name]))
  const lines = (await (await ask(sandboxUrl, `history?${query}`)).text()).trim().split('\n')
  return lines.map((line) => {
    const { at, envelope } = HistoryLineSchema.parse(JSON.parse(line))
    return { receivedAt: new Date(at), body: Buffer.from(JSON.stringify(envelope)) }
  })
}

const UsersSchema = z.array(z.object({ email: z.string(), uuid: z.string() }))
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
