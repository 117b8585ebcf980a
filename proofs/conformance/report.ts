import { contract } from './kit/contract.ts'
import type { CheckResult } from './run.ts'

/**
 * The report has a line per section, the red checks in full, and what was left out with its reason. A cause that many red
 * checks share is named once.
 */
export function writeReport(verdicts: readonly CheckResult[]): string {
  const red = verdicts.flatMap((verdict) => (verdict.kind === 'red' ? [verdict] : []))
  const causes = [...Map.groupBy(red, ({ why }) => causeOf(why)).values()]
  const shared = causes.filter((some) => some.length >= fewestThatShare)
  const inFull = new Set(causes.filter((some) => some.length < fewestThatShare).flat())
  const sections = Map.groupBy(verdicts, ({ id }) => sectionOf.get(id) ?? '')
  const lines = [...sections].flatMap(([section, some]) => [
    `§${section.padEnd(4)} ${countLine(some)}`,
    ...some.flatMap((verdict) =>
      verdict.kind === 'red' && inFull.has(verdict)
        ? [
            `  RED ${verdict.id} (${verdict.driver})`,
            `      ${saysOf.get(verdict.id)}`,
            `      ${verdict.why}`,
          ]
        : [],
    ),
  ])
  const leftOut = verdicts.flatMap((verdict) => (verdict.kind === 'left out' ? [verdict] : []))
  const reasons = [...Map.groupBy(leftOut, ({ why }) => why)].flatMap(([why, some]) => [
    '',
    `Left out, as ${why}:`,
    ...new Set(some.map(({ id }) => `  ${id}`)),
  ])
  return [
    ...lines,
    ...shared.flatMap((some) => [
      '',
      `RED, ${some.length} runs for one cause: ${some[0]?.why}`,
      ...new Set(some.map(({ id }) => `  ${id}`)),
    ]),
    ...reasons,
    '',
    `${contract.length} rules, ${verdicts.length} runs: ${countLine(verdicts)}`,
  ].join('\n')
}

/** From this many red checks on, a common cause is named once. */
const fewestThatShare = 4

/**
 * Two reasons that differ in ids, quoted parts and numbers have one cause. So do all answers with the same 5xx, and all
 * time-outs.
 */
export const causeOf = (why: string): string => {
  if (/time-?out|timed[- ]out|not done after/i.test(why)) return 'no answer in time'
  const [failed] = /came '?5\d\d\b/.exec(why) ?? []
  return failed?.replace("'", '') ?? why.replace(/[\da-f]{8}-[\da-f-]{27}|"[^"]*"|\d+/g, '…')
}

const sectionOf = new Map(contract.map(({ id, section }) => [id, section]))
const saysOf = new Map(contract.map(({ id, says }) => [id, says]))

function countLine(verdicts: readonly CheckResult[]) {
  const kinds = ['green', 'red', 'left out'] as const
  return kinds
    .map((kind) => [verdicts.filter((verdict) => verdict.kind === kind).length, kind] as const)
    .filter(([count, kind]) => count > 0 || kind === 'green')
    .map(([count, kind]) => `${count} ${kind}`)
    .join(', ')
}
