import { failedResult, passedResult, type Result, sumResults } from '../../bin/check/result.ts'
import { type ConditionCode, parseCondition } from '../../lib/operations/rules/alert-conditions.ts'
import { causes } from './alerts/causes.ts'
import { type AlertStage, openAlertStage, waitFor } from './alerts/open-stage.ts'
import { outages } from './alerts/outages.ts'
import { countAlerts, isMissing, tableOf, whatIsWrong } from './alerts/tally.ts'

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
 * @param words `short` for a few conditions, `quick` to move stored times, and names of conditions or outages; all by default
 */
export default async function proveAlerts(words: string[]): Promise<Result> {
  const isShort = words.includes('short')
  const named = words.flatMap((word) => parseCondition(word) ?? [])
  const stage = await openAlertStage(isShort || words.includes('quick'))
  const results: Result[] = []
  try {
    for (const group of isShort ? shortGroups : groups) {
      const chosen = group.filter((code) => named.includes(code) || (named.length === 0 && !namesOutages(words)))
      if (chosen.length > 0) results.push(await proveGroup(stage, chosen))
    }
    const tallies = await countAlerts(stage)
    if (tallies.length > 0) console.log(tableOf(tallies))
    for (const tally of tallies) results.push(resultOf(whatIsWrong(tally, true)))
    for (const [name, prove] of Object.entries(outages))
      if (words.includes(name) || (!isShort && named.length === 0 && !namesOutages(words)))
        results.push(await proveOutage(stage, name, prove))
  } catch (error) {
    console.error(error, stage.log().slice(-4_000))
    results.push(failedResult('alerts', String(error)))
  } finally {
    await stage.close()
  }
  return sumResults(results)
}

const namesOutages = (words: readonly string[]) => words.some((word) => Object.hasOwn(outages, word))

async function proveOutage(
  stage: AlertStage,
  name: string,
  prove: (stage: AlertStage) => Promise<string>,
): Promise<Result> {
  const began = performance.now()
  try {
    await stage.forget()
    const held = await prove(stage)
    console.log(`${name}: ${held} (${Math.round((performance.now() - began) / 1_000)} s)`)
    return passedResult
  } catch (error) {
    console.error(`${name}: FAILED`, error)
    return failedResult(`alerts ${name}`, String(error))
  }
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
    await waitFor(() => isMissing(stage, codes, false), patience)
    said('each channel knows')
    for (const code of codes) await causeOf(code).mend(stage)
    await stage.lookAgain()
    await waitFor(() => isMissing(stage, codes, true), patience)
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
