import { contract } from './kit/contract.ts'
import type { CheckResult } from './run.ts'

/** What came of a run as text: a line per section, the red ones in full, and what was left out, by its reason. */
export function writeReport(verdicts: readonly CheckResult[]): string {
  const sections = Map.groupBy(verdicts, ({ id }) => sectionOf.get(id) ?? '')
  const lines = [...sections].flatMap(([section, some]) => [
    `§${section.padEnd(4)} ${countLine(some)}`,
    ...some.flatMap((verdict) =>
      verdict.kind === 'red'
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
    ...reasons,
    '',
    `${contract.length} rules, ${verdicts.length} runs: ${countLine(verdicts)}`,
  ].join('\n')
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
