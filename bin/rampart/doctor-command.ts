import type pg from 'pg'
import type { ServiceState } from '#lib/endpoints/service-key/service-state.ts'
import {
  databaseAway,
  type OperatorStatus,
  projectorStartMs,
  readSettledStatus,
} from '#lib/operations/status/operator-status.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { warningsOf } from '#lib/platform/env/warnings.ts'
import { inTime } from '#lib/platform/in-time.ts'
import { redact } from '#lib/platform/log/create-log.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { readRelease, releaseInWords } from '#lib/platform/release.ts'
import { formatPlainDuration } from '#lib/words/labels/duration.ts'
import { counted } from '#lib/words/labels/formats.ts'
import { databaseAddress, NotRunning, type ServerSettings, takeServerSettings } from './database-address.ts'
import type { Finding, FindingState } from './database-checks.ts'
import { type Check, checksOf, usualLimitMs } from './doctor-checks.ts'

/** A finding of one check, as `--json` prints it. */
interface Reported extends Finding {
  readonly check: string
}

/** The command checks everything that an installation needs, live, and changes nothing. Decision 0150. */
export async function doctorCommand({ json }: { readonly json: boolean }): Promise<number> {
  const hide = hideSecrets(process.env)
  const reported: Reported[] = []
  const report = (check: string, title: string, findings: readonly Finding[]) => {
    for (const { state, found, todo } of findings) {
      const one = { check, state, found: hide(found), todo: todo && hide(todo) }
      reported.push(one)
      if (!json) console.log(lineOf(title, one))
    }
  }
  const { settings, findings } = readSettings()
  report('settings', 'settings', findings)
  if (settings) {
    const checks = checksOf(settings)
    const results = checks.map((check) => ({ check, findings: runCheck(check) }))
    for (const { check, findings } of results) report(check.name, check.name, await findings)
  }
  const worst = worstOf(reported)
  const exitCode = exitCodes[worst]
  if (json)
    console.log(JSON.stringify({ at: new Date().toISOString(), state: worst, findings: reported }, null, 2))
  else console.log(`\n${summary(reported)}`)
  return exitCode
}

/** Words that were not understood end with 2, for every command. */
const exitCodes = { ok: 0, failure: 1, warning: 3 } as const

function readSettings(): { readonly settings: ServerSettings | null; readonly findings: Finding[] } {
  const warnings = warningsOf().map((found): Finding => ({ state: 'warning', found, todo: null }))
  try {
    const settings = takeServerSettings()
    return {
      settings,
      findings:
        warnings.length > 0
          ? warnings
          : [{ state: 'ok', found: 'The settings can be read, and none is unknown.', todo: null }],
    }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const failure: Finding = {
      state: 'failure',
      found: error.message,
      todo: 'Correct that first: nothing else was checked.',
    }
    return { settings: null, findings: [...warnings, failure] }
  }
}

/** A check that fails or hangs is a finding, and stops no other check. */
async function runCheck({ run, limitMs = usualLimitMs }: Check): Promise<readonly Finding[]> {
  const late: Finding = {
    state: 'failure',
    found: `No answer came within ${limitMs / 1_000} s.`,
    todo: 'Something on the way takes connections and does not answer: look at it, and at firewalls in between.',
  }
  try {
    return await inTime(run(), limitMs, [late])
  } catch (error) {
    return [{ state: 'failure', found: messageOfError(error), todo: null }]
  }
}

const states = ['skipped', 'ok', 'warning', 'failure'] as const satisfies readonly FindingState[]

function worstOf(findings: readonly Finding[]): keyof typeof exitCodes {
  const worst = states.findLast((state) => findings.some((one) => one.state === state))
  return worst === 'failure' || worst === 'warning' ? worst : 'ok'
}

const marks = { ok: 'ok     ', warning: 'WARNING', failure: 'FAILURE', skipped: '-      ' } satisfies Record<
  FindingState,
  string
>

function lineOf(title: string, { state, found, todo }: Finding): string {
  const line = `${marks[state]}  ${title.padEnd(15)}  ${found}`
  return todo === null ? line : `${line}\n${' '.repeat(26)}→ ${todo}`
}

function summary(findings: readonly Finding[]): string {
  const count = (state: FindingState) => findings.filter((one) => one.state === state).length
  const parts = [
    `${count('ok')} ok`,
    counted(count('warning'), 'warning', 'warnings'),
    counted(count('failure'), 'failure', 'failures'),
  ]
  return `${parts.join(', ')}, ${count('skipped')} not set up or not checked.`
}

/** Nothing that the doctor prints contains a secret, whatever an error of others repeats. */
export function hideSecrets(variables: NodeJS.ProcessEnv): (text: string) => string {
  const known = () => [...new Set(secretNames.flatMap((name) => secretsIn(variables[name] ?? '')))]
  return (text) =>
    redact(
      known()
        .filter((secret) => secret.length > 3)
        .toSorted((a, b) => b.length - a.length)
        .reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text),
    )
}

const secretNames = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_MIGRATE_URL',
  'DATABASE_READ_URL',
  'SANDBOX_DATABASE_URL',
  'SMTP_URL',
  'SERVICE_API_KEY',
  'SANDBOX_API_KEY',
  'NEXTAUTH_SECRET',
  'RAMPART_KEYS',
  'OIDC_CLIENT_SECRET',
  'METRICS_TOKEN',
]

/** An address has a password, also as a parameter. Other settings are secrets as a whole, and in each part. */
function secretsIn(text: string): string[] {
  if (!text.includes('://')) return [text, ...text.split(/[,:]/).filter((part) => part.length > 15)]
  const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'))
  const typed = /:\/\/[^:/@]*:(.*)@/.exec(text)?.[1] ?? ''
  const encoded = [url?.password ?? '', url?.searchParams.get('password') ?? '', typed]
  return encoded.flatMap((one) => [one, decode(one)])
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The command prints figures and what needs an operator. Without an answer of the database it says so within seconds. */
export async function statusCommand({ json }: { readonly json: boolean }): Promise<number> {
  const status = await readOrSayAway(json)
  const version = readRelease()
  if (json) console.log(JSON.stringify({ ...version, ...status }, null, 2))
  else {
    console.log(`version       ${releaseInWords(version)}`)
    printStatus(status)
  }
  return status.healthy ? 0 : 1
}

/** The database has this many milliseconds for one answer, and for all answers together. */
const answerMs = 8_000
const limitMs = answerMs + projectorStartMs

async function readOrSayAway(json: boolean): Promise<OperatorStatus> {
  const hide = hideSecrets(process.env)
  const late = databaseAway(`The database did not answer within ${limitMs / 1_000} s.`)
  let pool: pg.Pool | undefined
  try {
    pool = openPool(databaseAddress(), 3, answerMs)
    return await inTime(readSettledStatus(pool), limitMs, late)
  } catch (error) {
    // Without `--json` the line of these errors says all.
    if (error instanceof OperatorError && !(json && error instanceof NotRunning)) throw error
    const found =
      error instanceof NotRunning
        ? error.message
        : `The database does not answer as it should: ${messageOfError(error)}.`
    return databaseAway(hide(found))
  } finally {
    // A connection that hangs has no end, and nobody waits for one.
    void pool?.end().catch(() => undefined)
  }
}

function printStatus({ problems, figures }: OperatorStatus) {
  if (figures) {
    const { waiting, oldestSeconds, deadLetters, projector, rebuild, rulesOutdated } = figures
    const age = oldestSeconds === null ? '' : `, the oldest for ${formatPlainDuration(oldestSeconds)}`
    const { mail } = figures
    const rows = {
      waiting: `${waiting}${age}`,
      'dead letters': deadLetters,
      projector: projector ? 'active' : 'none is active',
      rebuild: rebuild === null ? 'none' : `under way: ${rebuild.done} of ${rebuild.total}`,
      rules: rulesOutdated ? older : 'those of this version',
      mail: mailInWords(mail),
      log: figures.monthsLost.length === 0 ? 'whole' : 'not whole',
      endpoints: figures.endpointsOff === 0 ? 'none is off' : `${figures.endpointsOff} off`,
      gaps: `${figures.openGaps} open`,
      service: figures.service === null ? 'not asked yet' : serviceWords[figures.service],
    }
    for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(14)}${value}`)
  }
  for (const { found, todo } of problems) console.error(`! ${found} ${todo}`)
}

const older =
  'other than those of this version: everything is folded again as soon as Rampart runs, or by "npm run rampart rebuild"'

const serviceWords = {
  seen: 'answers',
  'key-refused': 'refuses the API key',
  unanswered: 'does not answer',
} satisfies Record<ServiceState['look'], string>

function mailInWords({ waiting, lateSince, lost, lastFault }: MailFigures): string {
  const seconds = lateSince === null ? 0 : (Date.now() - Date.parse(lateSince)) / 1_000
  const late = lateSince === null ? '' : `, the oldest for ${formatPlainDuration(seconds)}`
  const missed = lost === 0 ? '' : `, ${lost} of the last day may have reached nobody`
  const fault = (lateSince !== null || lost > 0) && lastFault !== null ? `: ${lastFault}` : ''
  return `${waiting} waiting${late}${missed}${fault}`
}

type MailFigures = NonNullable<OperatorStatus['figures']>['mail']
