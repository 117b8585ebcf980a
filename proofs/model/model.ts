import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** These options of the sandbox change what the model expects. */
export interface Settings {
  readonly codeMinutes: number
  readonly codesPerWindow: number
  readonly codeWindowMinutes: number
  readonly codeGuesses: number
  readonly olderCodes: 'dead' | 'valid'
  readonly retryAfter: 'on' | 'off'
  readonly sessionMinutes: number
  readonly longestMessageMinutes: number
  readonly successStatuses: '2xx' | '200'
  readonly autoDisableAfter: number
}

/**
 * The variants cover both values of every option. They allow few codes, guesses and losses, so that short sequences reach
 * the limits.
 */
export const variants: readonly [Settings, Settings] = [
  {
    codeMinutes: 10,
    codesPerWindow: 3,
    codeWindowMinutes: 15,
    codeGuesses: 2,
    olderCodes: 'dead',
    retryAfter: 'on',
    sessionMinutes: 60,
    longestMessageMinutes: 0,
    successStatuses: '2xx',
    autoDisableAfter: 2,
  },
  {
    codeMinutes: 30,
    codesPerWindow: 4,
    codeWindowMinutes: 5,
    codeGuesses: 3,
    olderCodes: 'valid',
    retryAfter: 'off',
    sessionMinutes: 240,
    longestMessageMinutes: 240,
    successStatuses: '200',
    autoDisableAfter: 0,
  },
]

/** The variables set the same options for the sandbox that is compared with the model. */
export const variablesOf = (settings: Settings): Record<string, string> => ({
  SANDBOX_CODE_MINUTES: String(settings.codeMinutes),
  SANDBOX_CODES_PER_WINDOW: String(settings.codesPerWindow),
  SANDBOX_CODE_WINDOW_MINUTES: String(settings.codeWindowMinutes),
  SANDBOX_CODE_GUESSES: String(settings.codeGuesses),
  SANDBOX_OLDER_CODES: settings.olderCodes,
  SANDBOX_RETRY_AFTER: settings.retryAfter,
  SANDBOX_SESSION_MINUTES: String(settings.sessionMinutes),
  SANDBOX_LONGEST_MESSAGE_MINUTES: String(settings.longestMessageMinutes),
  SANDBOX_SUCCESS_STATUSES: settings.successStatuses,
  SANDBOX_AUTO_DISABLE_AFTER: String(settings.autoDisableAfter),
  SANDBOX_DELIVERY_TIMEOUT_MS: '1000',
})

/** A receiver answers an attempt with a status, not at all, or by closing the connection. */
export type ScriptedAnswer = 200 | 204 | 302 | 404 | 500 | 'none' | 'hang up'

/** The receiver at this path answers the attempts at each event in this order, and repeats the last answer. */
export const receiverPath = (endpoint: string, script: readonly ScriptedAnswer[]) =>
  `/${endpoint}/${script.join(',')}`.replaceAll(' ', '-')

/** The receiver at `path` answers attempt `number` (from 1) at an event like this. */
export function scriptedAnswer(path: string, number: number): ScriptedAnswer {
  const script = (path.split('/')[2] ?? '').replaceAll('-', ' ').split(',')
  const wanted = script[Math.min(number, script.length) - 1]
  const answer = scriptableAnswers.find((known) => String(known) === wanted)
  if (answer === undefined) throw new Error(`No answer is written in ${path}`)
  return answer
}

export const scriptableAnswers: readonly ScriptedAnswer[] = [200, 204, 302, 404, 500, 'none', 'hang up']

interface ModelReceived {
  readonly path: string
  readonly authorization: string
  readonly body: string
}

export interface ModelReceivers {
  readonly origin: string
  /** The list has what arrived since it was last emptied, in order of arrival. */
  readonly received: ModelReceived[]
  stop(): Promise<void>
}

/** One real server is every receiver of a sandbox. The path of a request decides its answer. */
export async function startReceivers(): Promise<ModelReceivers> {
  const received: ModelReceived[] = []
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = request.url ?? ''
    const sameEvent = ({ path: other, body: text }: ModelReceived) =>
      text === body && other.split('/')[1] === path.split('/')[1]
    const number = received.filter(sameEvent).length + 1
    received.push({ path, authorization: request.headers.authorization ?? '', body })
    const answer = scriptedAnswer(path, number)
    if (answer === 'none') return
    // The connection closes, because a delivery on a reused connection that closes is sent once more.
    response.setHeader('Connection', 'close')
    if (answer === 'hang up') request.socket.destroy()
    else response.writeHead(answer, answer === 302 ? { Location: '/elsewhere/200' } : {}).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * The model holds what the contract (§2 to §8) and the sandbox's stated assumptions require, and no more. Ids, secrets and
 * sessions are names here ("user 1"), and times are milliseconds since the sequence began.
 */
export interface Model {
  readonly settings: Settings
  // biome-ignore lint/plugin: changes with the steps of a run
  now: number
  readonly users: ModelUser[]
  readonly sessions: ModelSession[]
  readonly usedNonces: Set<string>
  /** Deleted endpoints are kept, so that commands can ask for them. */
  readonly endpoints: ModelEndpoint[]
  // biome-ignore-start lint/plugin: changes with the steps of a run
  deliveries: ModelDelivery[]
  /** These mails have bounced and will be reported at this time (§6.6). */
  bounces: { readonly user: ModelUser; readonly at: number }[]
  /** The counts hold all events and requests so far, whatever became of their endpoints. */
  events: number
  requests: number
  // biome-ignore-end lint/plugin: as above
}

/** §2.1 defines this. */
export interface ModelUser {
  readonly name: string
  readonly email: string
  readonly wallet: string | undefined
  readonly codes: ModelCode[]
}

export interface ModelCode {
  readonly sentAt: number
  // biome-ignore-start lint/plugin: changes with the steps of a run
  wrongGuesses: number
  used: boolean
  // biome-ignore-end lint/plugin: as above
}

/** §2.2 defines this. */
export interface ModelSession {
  readonly name: string
  readonly user: ModelUser
  readonly openedAt: number
}

/** §2.3 defines this. */
export interface ModelEndpoint {
  readonly name: string
  // biome-ignore lint/plugin: changes with the steps of a run
  url: string
  readonly description: string
  // biome-ignore-start lint/plugin: changes with the steps of a run
  subscribedEvents: string[] | undefined
  status: 'active' | 'disabled' | 'auto_disabled'
  /** The endpoint has had this many secrets, and only the last is valid. */
  secrets: number
  lostInARow: number
  deleted: boolean
  // biome-ignore-end lint/plugin: as above
}

/** §6.8 defines this. */
export interface ModelDelivery {
  readonly endpoint: ModelEndpoint
  readonly event: ModelEvent
  // biome-ignore-start lint/plugin: changes with the steps of a run
  state: 'waiting' | 'delivered' | 'lost' | 'stopped'
  dueAt: number
  // biome-ignore-end lint/plugin: as above
  readonly attempts: {
    readonly at: number
    readonly url: string
    readonly secret: string
    readonly answer: ScriptedAnswer
  }[]
}

/** The event has the fields of §2.4 that decide where it goes. Its mark distinguishes it from the others. */
export interface ModelEvent {
  readonly type: string
  readonly mark: string
}

/** A call must be answered like this. Without a body, any body is right. */
export interface ExpectedOutcome {
  readonly status: number
  readonly body?: unknown
  readonly retryAfter?: number
}

export const createModel = (settings: Settings): Model => ({
  settings,
  now: 0,
  users: [],
  sessions: [],
  usedNonces: new Set(),
  endpoints: [],
  deliveries: [],
  bounces: [],
  events: 0,
  requests: 0,
})

export const oneSecond = 1_000
export const oneMinute = 60 * oneSecond
