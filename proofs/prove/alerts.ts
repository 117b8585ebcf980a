import { failedResult, passedResult, type Result, sumResults } from '../../bin/check/result.ts'
import { type ConditionCode, parseCondition } from '../../lib/operations/rules/alert-conditions.ts'
import { causes } from './alerts/causes.ts'
import { type AlertStage, openAlertStage, waitFor } from './alerts/open-stage.ts'
import { countAlerts, tableOf, whatIsWrong } from './alerts/tally.ts'
import { sleep } from './faults/test-bed.ts'

export const when = 'alerts, their conditions or channels changed; 40 minutes, `npm test` runs it short'

/** Conditions of one group are true at the same time. */
const groups: readonly (readonly ConditionCode[])[] = [
  [
    'deliveries-missed',
    'endpoint-off',
    'endpoint-failing',
    'silence',
    'dead-letters',
    'refused-deliveries',
    'sign-in-attacks',
    'audit-broken',
    'disk-full',
    'database-full',
    'month-missing',
    'migration-failed',
    'unknown-type',
    'transaction-stuck',
    'transaction-held',
    'certificate-expiry',
  ],
  ['no-projector', 'backlog-size', 'backlog-age', 'no-live-process'],
  ['key-refused'],
  ['service-away'],
  ['clock-difference'],
]

const shortGroups: typeof groups = [
  ['dead-letters', 'refused-deliveries', 'audit-broken', 'no-projector', 'backlog-size'],
]

/**
 * Each condition is caused in real processes, and mended. Each channel must say once that it fires, and once that it is over.
 * @param words `short` for a few conditions, `quick` to move stored times, and names of conditions; all by default
 */
export default async function proveAlerts(words: string[]): Promise<Result> {
  const isShort = words.includes('short')
  const named = words.flatMap((word) => parseCondition(word) ?? [])
  const stage = await openAlertStage(isShort || words.includes('quick'))
  const results: Result[] = []
  try {
    for (const group of isShort ? shortGroups : groups) {
      const chosen = group.filter((code) => named.length === 0 || named.includes(code))
      if (chosen.length > 0) results.push(await proveGroup(stage, chosen))
    }
    const tallies = await countAlerts(stage)
    console.log(tableOf(tallies))
    for (const tally of tallies) results.push(resultOf(whatIsWrong(tally, true)))
  } catch (error) {
    console.error(error, stage.log().slice(-4_000))
    results.push(failedResult('alerts', String(error)))
  } finally {
    await stage.close()
  }
  return sumResults(results)
}

const resultOf = (wrong: string | null): Result =>
  wrong === null ? passedResult : failedResult(`alerts ${wrong}`, wrong)

/** The whole group is caused before any of it is mended. */
async function proveGroup(stage: AlertStage, codes: readonly ConditionCode[]): Promise<Result> {
  const began = performance.now()
  const said = (what: string) =>
    console.log(`${codes.join(', ')}: ${what} after ${Math.round((performance.now() - began) / 1_000)} s`)
  try {
    for (const code of codes) {
      const { threshold, cause } = causeOf(code)
      if (threshold !== undefined) await stage.changeRule(code, { threshold })
      await cause(stage)
    }
    said('caused')
    await stage.lookAgain()
    await waitFor(() => missing(stage, codes, false), patience)
    said('each channel knows')
    for (const code of codes) await causeOf(code).mend(stage)
    await stage.lookAgain()
    await waitFor(() => missing(stage, codes, true), patience)
    said('each channel knows the end')
    return passedResult
  } catch (error) {
    console.error(`${codes.join(', ')}: FAILED`, error)
    return failedResult(`alerts ${codes.join(', ')}`, String(error))
  }
}

/** The seconds cover two rounds of slow conditions, the life that some need, and the pause between two messages. */
const patience = 20 * 60

const causeOf = (code: ConditionCode) => {
  const cause = causes[code]
  if (!cause) throw new Error(`Nothing causes ${code}`)
  return cause
}

async function missing(
  stage: AlertStage,
  codes: readonly ConditionCode[],
  ended: boolean,
): Promise<string | null> {
  await sleep(1_000)
  if (stage.isQuick) await hasten(stage)
  const tallies = await countAlerts(stage)
  const wrong = codes.flatMap((code) => {
    const tally = tallies.find(({ condition }) => condition === code)
    return tally === undefined ? [`${code}: no alert`] : (whatIsWrong(tally, ended) ?? [])
  })
  return wrong.length === 0 ? null : wrong.join('; ')
}

/** The stored times are as if the waits for other news were over. */
async function hasten(stage: AlertStage): Promise<void> {
  await stage.ask(`UPDATE alert_news SET due_at = now() WHERE message_id IS NULL AND due_at > now()`)
  await stage.ask(
    `UPDATE alert SET ok_since = ok_since - interval '1 minute' WHERE resolved_at IS NULL AND ok_since > now() - interval '1 minute'`,
  )
}
