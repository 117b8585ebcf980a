import type { IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { sleep } from '../faults/test-bed.ts'

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
