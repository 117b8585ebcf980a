import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** The options of the sandbox that change what the model expects. */
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

/** Both values of every option; few codes, guesses and losses, so that short sequences reach the limits. */
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

/** The same for the sandbox that is compared with the model. */
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

/** What a receiver does with an attempt: a status, no answer at all, or a connection closed without one. */
export type ScriptedAnswer = 200 | 204 | 302 | 404 | 500 | 'none' | 'hang up'

/** The path of a receiver that answers the attempts at each event in this order; the last answer is repeated. */
export const receiverPath = (endpoint: string, script: readonly ScriptedAnswer[]) =>
  `/${endpoint}/${script.join(',')}`.replaceAll(' ', '-')

/** What the receiver at `path` does with attempt `number` (from 1) at an event. */
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
  /** What arrived since it was last emptied, in order of arrival. */
  readonly received: ModelReceived[]
  stop(): Promise<void>
}

/** One real server that is every receiver of a sandbox; where a request goes says how it is answered. */
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
    // On a connection that was used before, one that closes is sent once more.
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
 * What the contract (§2 to §8) and the sandbox's stated assumptions say must be, kept as small as they allow. Ids,
 * secrets and sessions are names here ("user 1"), times are milliseconds since the sequence began.
 */
export interface Model {
  readonly settings: Settings
  // biome-ignore lint/plugin: changes with the steps of a run
  now: number
  readonly users: ModelUser[]
  readonly sessions: ModelSession[]
  readonly usedNonces: Set<string>
  /** Deleted ones too, so that they can be asked for. */
  readonly endpoints: ModelEndpoint[]
  // biome-ignore-start lint/plugin: changes with the steps of a run
  deliveries: ModelDelivery[]
  /** Mails that have come back, and will be reported at this time (§6.6). */
  bounces: { readonly user: ModelUser; readonly at: number }[]
  /** Events sent and requests made so far, whatever became of their endpoints. */
  events: number
  requests: number
  // biome-ignore-end lint/plugin: as above
}

/** §2.1 */
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

/** §2.2 */
export interface ModelSession {
  readonly name: string
  readonly user: ModelUser
  readonly openedAt: number
}

/** §2.3 */
export interface ModelEndpoint {
  readonly name: string
  // biome-ignore lint/plugin: changes with the steps of a run
  url: string
  readonly description: string
  // biome-ignore-start lint/plugin: changes with the steps of a run
  subscribedEvents: string[] | undefined
  status: 'active' | 'disabled' | 'auto_disabled'
  /** How many secrets it has had; only the last is valid. */
  secrets: number
  lostInARow: number
  deleted: boolean
  // biome-ignore-end lint/plugin: as above
}

/** §6.8 */
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

/** §2.4, as far as it decides where it goes; its mark distinguishes it from the others. */
export interface ModelEvent {
  readonly type: string
  readonly mark: string
}

/** What a call must be answered with; without a body, whatever it says is fine. */
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
