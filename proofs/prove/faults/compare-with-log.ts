import type { LoadStep, SenderLoad } from './load.ts'
import { sleep, type TestBed } from './test-bed.ts'

/** The projector has this many milliseconds for the rest. */
const foldTimeoutMs = 60_000

/** A 503 is promised within 3 s, and the rest of these milliseconds is for a busy machine; see also `slowestPlainMs`. */
const maxRefusalMs = 6_000

/**
 * The function compares the sender's record with the log and the timeline. What was answered 2xx must be in the log and be
 * exactly one event, and no 503 may be late or lack `Retry-After`. It throws what is wrong.
 * @returns what was sent, in words.
 */
export async function compareWithLog(
  stage: Pick<TestBed, 'ask'>,
  load: Pick<SenderLoad, 'attempts' | 'delivered'> & Partial<Pick<SenderLoad, 'slowestPlainMs'>>,
): Promise<string> {
  const { attempts, delivered, slowestPlainMs = 0 } = load
  await requireStoredOnce(stage, delivered)
  const refused = attempts.filter(({ status }) => status === 503)
  const slowest = Math.max(0, ...refused.map(({ took }) => took))
  if (slowest > maxRefusalMs + slowestPlainMs)
    throw new Error(
      `A 503 after ${Math.round(slowest)} ms, where an answer without the database took ${Math.round(slowestPlainMs)} ms at most`,
    )
  if (refused.some(({ retryAfter }) => !retryAfter)) throw new Error('A 503 without Retry-After')
  const strange = attempts.find(({ status }) => ![0, 200, 503].includes(status))
  if (strange) throw new Error(`Answered ${strange.status}`)
  const silent = attempts.filter(({ status }) => status === 0)
  return (
    `${delivered.length} delivered in ${attempts.length} attempts (${refused.length} answered 503, after ` +
    `${Math.round(slowest)} ms at most, without the database ${Math.round(slowestPlainMs)} ms; ${silent.length} without an answer), none missing, none doubled`
  )
}

/**
 * Each step must be in the log, and become exactly one event. The function throws what is wrong.
 * @returns how many of the steps are in the log more than once, which is allowed.
 */
export async function requireStoredOnce(
  stage: Pick<TestBed, 'ask'>,
  delivered: readonly LoadStep[],
): Promise<number> {
  if (delivered.length === 0) throw new Error('Nothing was delivered: this run proves nothing')
  const logged = await countsIn(stage, LOGGED)
  const missing = delivered.filter((step) => !logged.has(nameOf(step)))
  if (missing.length > 0) throw new Error(`Answered 2xx and not in the log: ${some(missing)}`)
  await untilOnTimeline(stage, delivered)
  return delivered.filter((step) => (logged.get(nameOf(step)) ?? 0) > 1).length
}

/** The function waits until each step is exactly one event and nothing waits. It throws what is still wrong. */
export async function untilOnTimeline(
  stage: Pick<TestBed, 'ask'>,
  delivered: readonly LoadStep[],
): Promise<void> {
  const until = Date.now() + foldTimeoutMs
  for (;;) {
    const wrong = await wrongOnTimeline(stage, delivered)
    if (!wrong) return
    if (Date.now() > until) throw new Error(wrong)
    await sleep(250)
  }
}

async function wrongOnTimeline(
  stage: Pick<TestBed, 'ask'>,
  delivered: readonly LoadStep[],
): Promise<string | null> {
  const [pending] = await stage.ask<{ count: string; aside: string }>(
    'SELECT count(*), count(dead_lettered_at) AS aside FROM delivery_pending',
  )
  if (Number(pending?.count) > 0)
    return `${pending?.count} wait to be folded, ${pending?.aside} of them dead letters`
  const events = await countsIn(stage, EVENTS)
  const absent = delivered.filter((step) => !events.has(nameOf(step)))
  if (absent.length > 0) return `Answered 2xx and not on the timeline: ${some(absent)}`
  const doubled = delivered.filter((step) => (events.get(nameOf(step)) ?? 0) > 1)
  if (doubled.length > 0) return `More than once on the timeline: ${some(doubled)}`
  const finished = new Set(
    (await stage.ask<{ uuid: string }>(`SELECT uuid FROM transaction WHERE step = 'SUCCESS'`)).map(
      ({ uuid }) => uuid,
    ),
  )
  const unfinished = delivered.filter(
    (step) => step.subType === 'SUCCESS' && !finished.has(step.transactionUuid),
  )
  return unfinished.length > 0 ? `Not where its last step left it: ${some(unfinished)}` : null
}

async function countsIn(stage: Pick<TestBed, 'ask'>, sql: string): Promise<Map<string, number>> {
  const rows = await stage.ask<{ name: string; count: string }>(sql)
  return new Map(rows.map(({ name, count }) => [name, Number(count)]))
}

const nameOf = ({ transactionUuid, subType }: LoadStep) => `${transactionUuid} ${subType}`
const some = (wrong: readonly LoadStep[]) => `${wrong.length}, ${wrong.slice(0, 5).map(nameOf).join('; ')}`

const LOGGED = `
  SELECT (envelope -> 'data' ->> 'transactionUuid') || ' ' || (envelope ->> 'subType') AS name, count(*)
  FROM (SELECT convert_from(body, 'UTF8') AS text FROM delivery) AS log,
    LATERAL (SELECT CASE WHEN text LIKE '{"type":"fiatToCrypto",%}' THEN text::json END AS envelope) AS parsed
  GROUP BY 1`

const EVENTS = `
  SELECT t.uuid || ' ' || e.sub_type AS name, count(*)
  FROM event e JOIN transaction t ON t.subject_id = e.subject_id GROUP BY 1`
