import type { FailedLine, ImportState } from '#lib/people/import/list-imports.ts'
import type { Tone } from '#lib/timeline/labels/event-labels.ts'

/** How an import stands, in words. */
export const importStateLabels = {
  checked: {
    label: 'Checked',
    tone: 'wait',
    meaning: 'The file was only checked: nobody of it is imported until you say so.',
  },
  running: {
    label: 'Running',
    tone: 'move',
    meaning: 'It goes on by itself, after a restart too, until who began it signs out.',
  },
  stopped: { label: 'Stopped', tone: 'held', meaning: 'It can go on from where it stood.' },
  failing: { label: 'Interrupted', tone: 'fail', meaning: 'It can go on from where it stood.' },
  done: { label: 'Done', tone: 'done', meaning: 'Every line that could be taken was taken.' },
} as const satisfies Record<ImportState, { label: string; tone: Tone; meaning: string }>

/** What became of a line that was not taken. */
export const failedLineLabels = {
  broken: { label: 'Broken', tone: 'fail' },
  failed: { label: 'Failed', tone: 'fail' },
  unsure: { label: 'Not sure', tone: 'held' },
} as const satisfies Record<FailedLine['state'], { label: string; tone: Tone }>
