import { Callout } from '#components/ui/callout.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { SpokenQuarters } from '#components/ui/live/spoken.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { FailedLine, ImportDetails, ImportState } from '#lib/people/import/list-imports.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'

/** The part shows the result of the check, and the progress of the import. */
export function ImportStanding({ view }: { readonly view: Omit<ImportDetails, 'problems'> }) {
  const { total, broken, created, done, failed, why, state, checkedAt, numbers } = view
  const open = total - broken
  return (
    <Card title={state === 'checked' ? 'Result of the check' : 'Progress'} className="max-w-[46rem]">
      {state !== 'checked' && (
        <>
          <progress
            aria-label="Progress"
            value={done + failed}
            max={Math.max(open, 1)}
            className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-ink [&::-webkit-progress-bar]:bg-line-strong [&::-webkit-progress-value]:bg-ink"
          />
          <p className="num mt-2 mb-4 text-sm">
            {figure(done)} of {figure(open)} imported
            {failed > 0 && <span className="text-fail">, {figure(failed)} failed</span>}
          </p>
          <SpokenQuarters
            done={done + failed}
            total={open}
            words={`Imported: ${figure(done)} of ${figure(open)}${failed > 0 ? `, failed: ${figure(failed)}` : ''}`}
          />
        </>
      )}
      {why && (
        <Callout kind="error" title="The import has stopped" className="mb-4">
          {why}
        </Callout>
      )}
      <Facts>
        <Fact name="Existing users">
          {open === created ? 'None' : `${figure(open - created)}, read from the provider`}
        </Fact>
        <Fact name="New people">
          {created === 0 ? 'None' : `${figure(created)}, added to the provider by the import`}
        </Fact>
        <Fact name="Invalid lines">
          {broken === 0 ? 'None' : <span className="text-fail">{figure(broken)}, skipped</span>}
        </Fact>
        {numbers && numbers.replaced > 0 && (
          <Fact name="Replaced numbers">
            <span className="text-held">
              {figure(numbers.replaced)} stored {numbers.replaced === 1 ? 'number differs' : 'numbers differ'}{' '}
              and {numbers.replaced === 1 ? 'is' : 'are'} replaced
            </span>
          </Fact>
        )}
        {numbers && numbers.repeated.length > 0 && (
          <Fact name="Repeated numbers">
            <span className="wrap-anywhere text-held">
              {numbers.repeated.slice(0, 5).join(', ')}
              {numbers.repeated.length > 5 && ' and more'}, each in several lines
            </span>
          </Fact>
        )}
        <Fact name="Checked">
          <Time at={checkedAt} style="clock" className="num" />
        </Fact>
      </Facts>
    </Card>
  )
}

/** Each line that was not taken is shown with its number in the file and the reason. */
export function ImportProblems({
  problems,
  more,
}: {
  readonly problems: readonly FailedLine[]
  readonly more: boolean
}) {
  return (
    <Card aria-label="Lines that were not imported">
      <Table>
        <thead>
          <tr>
            <Th numeric>Line</Th>
            <Th>Result</Th>
            <Th>Reason</Th>
          </tr>
        </thead>
        <tbody>
          {problems.map(({ line, state, error }) => (
            <Tr key={line}>
              <Td numeric className="w-16">
                {figure(line)}
              </Td>
              <Td className="w-28">
                <Pill tone={failedLineLabels[state].tone}>{failedLineLabels[state].label}</Pill>
              </Td>
              <Td className="h-auto whitespace-normal! py-2.5">{error}</Td>
            </Tr>
          ))}
        </tbody>
      </Table>
      {more && (
        <p className="border-t px-4 py-2.5 text-muted text-sm">The first 200 are shown. The CSV has all.</p>
      )}
    </Card>
  )
}

const figure = (count: number) => count.toLocaleString('en')

/** Each state of an import has a label. */
export const importStateLabels = {
  checked: {
    label: 'Checked',
    tone: 'wait',
    meaning: 'The file was checked. Nothing is imported until you start it.',
  },
  running: {
    label: 'Running',
    tone: 'move',
    meaning: 'It continues after a restart. It stops when the person who started it signs out.',
  },
  stopped: { label: 'Stopped', tone: 'held', meaning: 'It can be resumed.' },
  failing: { label: 'Interrupted', tone: 'fail', meaning: 'It can be resumed.' },
  done: { label: 'Done', tone: 'done', meaning: 'Every line was processed.' },
} as const satisfies Record<ImportState, { label: string; tone: Tone; meaning: string }>

/** Each line that was not taken has one of these results. */
const failedLineLabels = {
  broken: { label: 'Invalid', tone: 'fail' },
  failed: { label: 'Failed', tone: 'fail' },
  unsure: { label: 'Unsure', tone: 'held' },
} as const satisfies Record<FailedLine['state'], { label: string; tone: Tone }>
