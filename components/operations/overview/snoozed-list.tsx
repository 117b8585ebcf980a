import { subjectPath } from '#components/ui/browser/paths.ts'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { Time } from '#components/ui/time.tsx'
import { attentionLabels } from '#lib/operations/labels/attention-labels.ts'
import type { SnoozeView } from '#lib/operations/overview/attention-items.ts'
import { endpointOfAbout } from '#lib/operations/rules/attention-kinds.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { UnsnoozeButton } from './snooze-buttons.tsx'

/** The list has the snoozed items, with the person and the note. */
export function SnoozedList({
  snoozes,
  back,
  unsnooze,
}: {
  readonly snoozes: readonly SnoozeView[]
  /** `back` is the address of the overview without snoozed items. */
  readonly back: string
  readonly unsnooze: Action<{ readonly about: string }> | null
}) {
  return (
    <section aria-labelledby="muted" className="mt-6 grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="muted" className="font-heading text-base">
          Snoozed
        </h2>
        <ButtonLink size="sm" variant="ghost" href={back} scroll={false}>
          Needs attention
        </ButtonLink>
      </div>
      <Card>
        <Snoozes snoozes={snoozes} unsnooze={unsnooze} />
      </Card>
    </section>
  )
}

function Snoozes({ snoozes, unsnooze }: Omit<Parameters<typeof SnoozedList>[0], 'back'>) {
  if (snoozes.length === 0) {
    return <EmptyState title="Nothing is snoozed">Snoozed items appear here with their notes.</EmptyState>
  }
  return (
    <ul>
      {snoozes.map((snooze) => (
        <li
          key={`${snooze.kind} ${snooze.about}`}
          className="flex flex-wrap items-center justify-end gap-x-4 gap-y-1 border-b px-3.5 py-2.5 text-table last:border-b-0"
        >
          <div className="min-w-0 flex-1 basis-40">
            <Thing snooze={snooze} />
            {snooze.note !== null && <p className="break-words">{snooze.note}</p>}
            <p className="text-muted text-sm">
              {snooze.by}, <Time at={snooze.at} />
            </p>
          </div>
          {unsnooze && (
            <UnsnoozeButton
              kind={snooze.kind}
              about={snooze.about}
              of={`${attentionLabels[snooze.kind].many} ${idOf(snooze)}`}
              action={unsnooze}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

function gapOrEndpointPath(about: string) {
  const endpoint = endpointOfAbout(about)
  return endpoint === null ? `/gaps/${about}` : `/endpoints/${endpoint}`
}

const idOf = ({ about }: Pick<SnoozeView, 'about'>) => shortId(about.slice(about.indexOf(':') + 1))

function Thing({ snooze: { kind, about, subjectId } }: { readonly snooze: SnoozeView }) {
  const isGap = kind === 'gap' || kind === 'endpoint'
  const href = isGap ? gapOrEndpointPath(about) : subjectId && subjectPath(subjectId)
  const words = (
    <>
      {attentionLabels[kind].many} <span className="mono">{idOf({ about })}</span>
    </>
  )
  if (!href) return <p className="font-strong">{words}</p>
  return (
    <p>
      <Link href={href} className="font-strong underline underline-offset-2">
        {words}
      </Link>
    </p>
  )
}
