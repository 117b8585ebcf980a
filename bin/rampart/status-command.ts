import type pg from 'pg'
import type { ServiceState } from '#lib/endpoints/service-key/service-state.ts'
import {
  databaseAway,
  type OperatorStatus,
  projectorStartMs,
  readSettledStatus,
} from '#lib/operations/status/operator-status.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { inTime } from '#lib/platform/in-time.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { readRelease, releaseInWords } from '#lib/platform/release.ts'
import { formatPlainDuration } from '#lib/words/labels/duration.ts'
import { databaseAddress, NotRunning } from './database-address.ts'
import { hideSecrets } from './hide-secrets.ts'

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
