import type { IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { sleep } from '../faults/test-bed.ts'

/** The public address, as whoever trusts its certificate calls it. */
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
  /** 0: none came. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Milliseconds until whoever asks gives up, as the service does. */
const patience = 30_000

/** One request, on a connection of its own where no agent is given. */
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

/** Milliseconds of silence after which a page thinks that its stream is dead. */
const mostSilence = 15_000

interface Read {
  readonly status: number
  /** Milliseconds of the longest silence so far, the present one included. */
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

/** A stream lasts, is never silent for long, and brings what happens at its end. */
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

/** Somebody who reloads a page every 0.6 s has a stream each time, whatever of the ones before the proxy still keeps. */
export async function reloadedPage(address: Address, cookie: string): Promise<string> {
  for (let times = 0; times < 15; times++) {
    const stream = await open(address, cookie)
    if (stream.status !== 200) throw new Error(`Reload ${times + 1} has no stream: ${stream.status}`)
    await sleep(600)
    stream.leave()
  }
  return '15 reloads'
}
