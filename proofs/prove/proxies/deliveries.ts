import crypto from 'node:crypto'
import https from 'node:https'
import type { TestReceiverAccount } from '../faults/test-bed.ts'
import { sleep } from '../faults/test-bed.ts'
import { type Address, ask } from './exchange.ts'
import type { RunningProxy } from './programs.ts'

export interface Deliveries {
  readonly address: Address
  readonly receiver: TestReceiverAccount
  /** The count of events of this sub-type counts each once, when everything is folded. */
  countEvents(subType: string): Promise<number>
}

const bodyOf = (subType: string, padding = 0) =>
  JSON.stringify({
    type: 'KYC',
    subType,
    uuid: crypto.randomUUID(),
    data: { note: 'x'.repeat(padding) },
  })

function post({ address, receiver: { id, authorization } }: Deliveries, body: string, agent?: https.Agent) {
  const headers = { authorization, 'content-type': 'application/json' }
  const path = `/api/webhooks/${id}`
  return ask(address, { path, method: 'POST', headers, body, ...(agent ? { agent } : {}) })
}

/**
 * The function waits, then sends enough deliveries at once to fill the proxy's pool, and repeats this. Each then takes a
 * connection to Rampart that was idle for so long. If Rampart closes one at that moment, its delivery is lost.
 */
export async function idlePosts(on: Deliveries, waits: readonly number[], atOnce: number): Promise<string> {
  const send = () => Promise.all(Array.from({ length: atOnce }, () => post(on, bodyOf('idle'))))
  const answers = await send()
  for (const wait of waits) {
    await sleep(wait)
    answers.push(...(await send()))
  }
  const lost = answers.filter(({ status }) => status !== 200)
  if (lost.length > 0)
    throw new Error(
      `Of ${answers.length} POSTs after idle times ${lost.length} were answered ${lost.map(({ status }) => status)}`,
    )
  return `${answers.length} POSTs after idle times of up to ${Math.max(...waits) / 1_000} s`
}

/** Rampart refuses at once, while the body still comes. The answer has to arrive all the same. */
export async function largeBodies(on: Deliveries): Promise<string> {
  const wrong = { ...on, receiver: { ...on.receiver, authorization: 'API-Key wrong' } }
  for (let each = 0; each < 15; each++) {
    const answers = await Promise.all([
      post(on, bodyOf('large', 1_500_000)),
      post(wrong, bodyOf('large', 1_000_000)),
    ])
    const [tooLarge, refused] = answers.map(({ status }) => status)
    if (tooLarge !== 413) throw new Error(`1.5 MB were answered ${tooLarge} and not 413`)
    if (refused !== 401) throw new Error(`1 MB with a wrong secret was answered ${refused} and not 401`)
  }
  return '30 large bodies refused'
}

/**
 * The function sends 150 deliveries a second, each until it is answered 2xx, while the proxy reads its settings repeatedly.
 */
export async function reloads(
  on: Deliveries,
  proxy: RunningProxy,
  name: string,
  seconds: number,
): Promise<string> {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 64 })
  const subType = `reload ${name}`
  const statuses = new Map<number, number>()
  let acknowledged = 0
  const deliver = async () => {
    const body = bodyOf(subType)
    for (;;) {
      const { status } = await post(on, body, agent)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 200) break
      await sleep(1_000)
    }
    acknowledged += 1
  }
  const sent: Promise<void>[] = []
  const began = performance.now()
  let reloaded = 0
  while (performance.now() - began < seconds * 1_000) {
    // The number of deliveries a second stays the same when the timer is late.
    while (sent.length < ((performance.now() - began) / 1_000) * 150) sent.push(deliver())
    if ((performance.now() - began) / 2_500 > reloaded + 1) {
      reloaded += 1
      await proxy.reload()
    }
    await sleep(10)
  }
  await Promise.all(sent)
  agent.destroy()
  const wrong = [...statuses].filter(([status]) => status !== 200 && status !== 0)
  if (wrong.length > 0) throw new Error(`Under reloads deliveries were answered ${JSON.stringify(wrong)}`)
  const kept = await on.countEvents(subType)
  if (kept !== acknowledged) throw new Error(`${acknowledged} were acknowledged, ${kept} are there`)
  return `${acknowledged} deliveries under ${reloaded} reloads, ${statuses.get(0) ?? 0} cut off and sent again, none lost`
}
