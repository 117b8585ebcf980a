import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { freePort } from '../../bin/postgres.ts'
import type { ServiceUnderTest } from './kit/check-context.ts'

/** A deviation switches off one rule of the contract in a copy of the sandbox. */
export interface Deviation {
  readonly name: string
  /** The file lies below `sandbox/`. It contains `text` once, and `instead` replaces it. */
  readonly file: string
  readonly text: string
  readonly instead: string
  /** The deviation breaks these rules. */
  readonly breaks: string[]
}

export const deviations: readonly Deviation[] = [
  {
    name: 'a nonce signs in again',
    file: 'service/sign-in-message.ts',
    text: 'if (rowCount !== 1)',
    instead: 'if (rowCount === undefined)',
    breaks: ['5.2-nonce-never-reused'],
  },
  {
    name: 'any domain will do',
    file: 'service/sign-in-message.ts',
    text: 'domain === host || domain === hostname',
    instead: 'domain !== hostname + host',
    breaks: ['5.2-domain'],
  },
  {
    name: 'whoever signed is signed in, whatever address the message says',
    file: 'service/sign-in-message.ts',
    text: 'if (signer?.toLowerCase() !== checked.address.toLowerCase())',
    instead: 'if (!signer)',
    breaks: ['4.1-1-signer-is-target-address', '5.2-address', '7-401-address'],
  },
  {
    name: 'a used code stays valid',
    file: 'one-time-password/one-time-password.ts',
    text: '= await database.query(`DELETE FROM',
    instead: '= await database.query(`SELECT 1 FROM',
    breaks: ['7-401-code-used'],
  },
  {
    name: 'a session never expires',
    file: 'service/sessions.ts',
    text: 'AND expires_at > $2',
    instead: 'AND $2::timestamptz IS NOT NULL',
    breaks: ['2.2-lifetime', '5.4-1-expired', '7-401-session', '7-sign-in-again'],
  },
  {
    name: 'the key may stand behind Bearer',
    file: 'http/credentials.ts',
    text: 'timingSafeEqual(digest(given), expected)',
    instead: "timingSafeEqual(digest(given.replace('Bearer ', '')), expected)",
    breaks: ['5.1-1-raw-key'],
  },
  {
    name: 'a legacy spelling is taken',
    file: 'state/event-types.ts',
    text: 'z.enum(eventTypes)',
    instead: "z.enum([...eventTypes, 'legacyBankAccount'])",
    breaks: ['2.3-legacy-spelling-400', '7-400-subscribed-events'],
  },
  {
    name: 'rotation leaves the secret as it is',
    file: 'service/webhook-endpoints.ts',
    text: 'SET signing_secret = $2 WHERE',
    instead: 'SET signing_secret = COALESCE(signing_secret, $2) WHERE',
    breaks: ['4.2-rotate', '4.2-rotate-ends-previous', '5.5-after-rotation'],
  },
  {
    name: 'a disabled endpoint still gets what was queued',
    file: 'deliveries/deliverer.ts',
    text: "rows.every((row) => row.status === 'active')",
    instead: 'true',
    breaks: ['6-active-only'],
  },
  {
    name: 'an update answers without the events',
    file: 'http/endpoint-routes.ts',
    text: 'return context.json(endpointBody(endpoint), 200)',
    instead: 'return context.json(endpointBody({ ...endpoint, subscribed_events: null }), 200)',
    breaks: ['4.2-update-answer'],
  },
  {
    name: 'a list shows no descriptions',
    file: 'http/endpoint-routes.ts',
    text: 'context.json(endpoints.map(endpointBody), 200)',
    instead: "context.json(endpoints.map((one) => ({ ...endpointBody(one), description: '' })), 200)",
    breaks: ['4.2-list'],
  },
  {
    name: 'an envelope has one field more',
    file: 'deliveries/deliverer.ts',
    text: 'd.attempts, e.body,',
    instead: `d.attempts, left(e.body, -1) || ',"version":1}' AS body,`,
    breaks: ['6-envelope', '6.7-bodies-not-shown'],
  },
  {
    name: 'the retry schedule is n^5 + 2',
    file: 'deliveries/retry-schedule.ts',
    text: 'n ** 6 + 2',
    instead: 'n ** 5 + 2',
    breaks: ['6.8-2-waits', '8-delay'],
  },
  {
    name: 'the retry schedule is n^6 + 6',
    file: 'deliveries/retry-schedule.ts',
    text: 'n ** 6 + 2',
    instead: 'n ** 6 + 6',
    breaks: ['6.8-2-waits', '8-delay'],
  },
  {
    name: 'deliveries keep the url that an update replaced',
    file: 'deliveries/deliverer.ts',
    text: 'e.body, w.url,',
    instead: `e.body, COALESCE((SELECT a.url FROM attempt a JOIN delivery o ON o.id = a.delivery_id
       WHERE o.endpoint_uuid = w.uuid ORDER BY a.started_at LIMIT 1), w.url) AS url,`,
    breaks: ['2.3-url-receives'],
  },
  {
    name: 'deliveries keep the events that an update removed',
    file: 'deliveries/emit.ts',
    text: 'type = ANY (subscribed_events)',
    instead: `type = ANY (subscribed_events) OR EXISTS (SELECT FROM delivery d JOIN event e ON e.id = d.event_id
      WHERE d.endpoint_uuid = active.uuid AND e.type = new_event.type)`,
    breaks: ['6-filter'],
  },
  {
    name: 'any user’s code will do',
    file: 'one-time-password/one-time-password.ts',
    text: 'AND code = $4',
    instead: 'AND code = $4 OR code = $4 AND expires_at > $2 AND wrong_guesses < $3',
    breaks: ['7-401-code-wrong'],
  },
]

/** The function copies the sandbox's source with one deviation, and answers the folder of the copy. */
export function plant(deviation: Deviation): { folder: string; remove(): void } {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-deviation-'))
  const folder = path.join(copy, 'sandbox')
  fs.cpSync(sandboxFolder, folder, { recursive: true })
  for (const beside of ['node_modules', 'lib'])
    fs.symlinkSync(path.resolve(sandboxFolder, '..', beside), path.join(copy, beside))
  fs.writeFileSync(path.join(copy, 'package.json'), '{"type":"module","imports":{"#lib/*":"./lib/*"}}')
  fs.writeFileSync(path.join(folder, deviation.file), deviate(deviation))
  return { folder, remove: () => fs.rmSync(copy, { recursive: true }) }
}

/**
 * The result is the file's source with the deviation in it. The function throws unless the source contains the text exactly
 * once.
 */
export function deviate({ name, file, text, instead }: Deviation): string {
  const parts = fs.readFileSync(path.join(sandboxFolder, file), 'utf8').split(text)
  if (parts.length !== 2) throw new Error(`"${name}": ${file} must hold ${text} once`)
  return parts.join(instead)
}

const sandboxFolder = path.resolve(import.meta.dirname, '../../sandbox')

/** An assumption is a choice that the code marks as its own, where the contract is silent. */
interface Assumption {
  readonly file: string
  readonly line: number
  readonly says: string
}

/** The list has every `ASSUMED:` with its sentence, in the folders that are built upon the contract. */
export function findAssumptions(root: string): Assumption[] {
  return ['sandbox', 'lib', 'components', 'app'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !name.includes('generated'))
      .sort()
      .flatMap((name) => readFile(root, path.join(folder, name))),
  )
}

function readFile(root: string, file: string): Assumption[] {
  const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n')
  return lines.flatMap((line, index) =>
    [...line.matchAll(assumedMark)].map((mark) => {
      const rest = line.slice(mark.index + mark[0].length)
      return { file, line: index + 1, says: readSentence([rest, ...lines.slice(index + 1)]) }
    }),
  )
}

/** The mark appears in a comment or in a text. A mention of it is written in backticks. */
const assumedMark = /(?<!`)\bASSUMED:(?=\s|$)/g

/** The sentence runs from the mark to its end, or to the end of the comment or text. */
function readSentence([first = '', ...following]: string[]): string {
  const further = following.map((line) => /^\s*(?:\/\/|\*(?!\/))(.*)$/.exec(line)?.[1])
  const end = first.includes('*/') ? 0 : further.indexOf(undefined)
  const text = [first, ...further.slice(0, end)]
    .join(' ')
    .replace(/\*\/.*/, '')
    .replace(/\s+/g, ' ')
    .trim()
  return /^.*?[.](?=['`]| [A-Z`]|$)/.exec(text)?.[0] ?? text
}

type OwnSandbox = Required<ServiceUnderTest> & { stop(): Promise<void> }

/**
 * The sandbox runs as its own process on an empty database.
 * @param folder of its source; the project's own by default
 */
export async function startOwnSandbox(
  databaseUrl: string,
  folder = path.resolve(import.meta.dirname, '../../sandbox'),
): Promise<OwnSandbox> {
  for (let left = 3; ; left--) {
    const started = await tryToStart(databaseUrl, folder)
    if (typeof started !== 'string') return started
    // Another process may take the port first.
    if (left === 0 || !started.startsWith('Port '))
      throw new Error(`The sandbox ended while starting: ${started}`)
  }
}

/** The result is the text that it wrote instead when it ended. */
async function tryToStart(databaseUrl: string, folder: string): Promise<OwnSandbox | string> {
  const port = await freePort()
  const apiKey = randomUUID()
  const child = spawn(process.execPath, [path.join(folder, 'main.ts')], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    env: {
      NODE_ENV: 'test',
      SANDBOX_PORT: String(port),
      SANDBOX_DATABASE_URL: databaseUrl,
      SANDBOX_API_KEY: apiKey,
      SANDBOX_LOG_LEVEL: 'warn',
      SANDBOX_AUTO_DISABLE_AFTER: '4',
    },
  })
  let written = ''
  child.stderr?.on('data', (chunk) => {
    written += chunk
    process.stderr.write(chunk)
  })
  const ended = once(child, 'close')
  const ready = once(child, 'message')
  const [message] = await Promise.race([ready, ended])
  if (typeof message !== 'object') return written.trim() || `exit code ${message}`
  return {
    baseUrl: `http://localhost:${port}/onboarding`,
    controlUrl: `http://localhost:${port}/_sandbox`,
    apiKey,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
