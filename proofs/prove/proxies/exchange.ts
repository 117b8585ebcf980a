import crypto from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { sleep, type TestReceiverAccount } from '../faults/test-bed.ts'
import type { RunningProxy } from './programs.ts'

/** A client that trusts the certificate calls this public address. */
export interface Address {
  readonly port: number
  readonly ca: string
}

interface Asked {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly agent?: https.Agent
}

interface Answered {
  /** The status 0 means that no answer came. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The client gives up after this many milliseconds, as the service does. */
const patience = 30_000

/** The request has a connection of its own when no agent is given. */
export const ask = ({ port, ca }: Address, { path, method = 'GET', headers, body, agent }: Asked) =>
  new Promise<Answered>((resolve) => {
    let text = ''
    const none = () => resolve({ status: 0, headers: {}, text })
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const request = https.request(
      {
        ...{ port, ca, path, method, timeout: patience, host: 'localhost', family: 4 },
        headers: { ...length, ...headers },
        agent: agent ?? false,
      },
      (response) => {
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
        response.on('error', none)
      },
    )
    request.on('timeout', () => request.destroy())
    request.on('error', none)
    request.on('close', none)
    request.end(body)
  })

/** A page treats its stream as dead after this many milliseconds of silence. */
const mostSilence = 15_000

interface Read {
  readonly status: number
  /** The result is the longest silence so far in milliseconds, the present one included. */
  silence(): number
  text(): string
  ended(): boolean
  leave(): void
}

function open({ port, ca }: Address, cookie: string) {
  return new Promise<Read>((resolve, reject) => {
    const request = https.get(
      { port, ca, host: 'localhost', family: 4, agent: false, path: '/api/live', headers: { cookie } },
      (answer) => {
        let [heard, longest, text, ended] = [performance.now(), 0, '', false]
        answer.setEncoding('utf8')
        answer.on('data', (chunk) => {
          longest = Math.max(longest, performance.now() - heard)
          heard = performance.now()
          text += chunk
        })
        answer.on('error', () => undefined)
        answer.on('close', () => {
          ended = true
        })
        resolve({
          status: answer.statusCode ?? 0,
          silence: () => Math.max(longest, performance.now() - heard),
          text: () => text,
          ended: () => ended,
          leave: () => request.destroy(),
        })
      },
    )
    request.on('error', reject)
  })
}

/** A stream must last, never be silent for long, and still bring events at its end. */
export async function longStream(
  address: Address,
  cookie: string,
  during: () => Promise<string>,
  seconds: number,
  change: () => Promise<unknown>,
): Promise<string> {
  const stream = await open(address, cookie)
  if (stream.status !== 200) throw new Error(`The stream was answered ${stream.status}`)
  const [said] = await Promise.all([during(), sleep(seconds * 1_000)])
  if (stream.ended()) throw new Error('The stream ended by itself')
  const silence = stream.silence()
  if (silence > mostSilence) throw new Error(`The stream said nothing for ${Math.round(silence / 1_000)} s`)
  const before = stream.text().length
  await change()
  for (let tries = 0; !stream.text().slice(before).includes('"kind":"changed"'); tries++) {
    if (tries > 100) throw new Error('The stream does not bring a change')
    await sleep(100)
  }
  stream.leave()
  return `${said}; meanwhile a stream of ${seconds} s with at most ${Math.round(silence / 1_000)} s of silence`
}

/** A person who reloads a page every 0.6 s must get a stream each time, whatever earlier streams the proxy still keeps. */
export async function reloadedPage(address: Address, cookie: string): Promise<string> {
  for (let times = 0; times < 15; times++) {
    const stream = await open(address, cookie)
    if (stream.status !== 200) throw new Error(`Reload ${times + 1} has no stream: ${stream.status}`)
    await sleep(600)
    stream.leave()
  }
  return '15 reloads'
}

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
