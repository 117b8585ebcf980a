import type { IncomingHttpHeaders } from 'node:http'
import https from 'node:https'

/** The public address, as whoever trusts its certificate calls it. */
export interface Address {
  readonly port: number
  readonly ca: string
}

export interface Asked {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly agent?: https.Agent
}

export interface Answered {
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
