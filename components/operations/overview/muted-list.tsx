import { subjectPath } from '#components/ui/browser/paths.ts'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { Time } from '#components/ui/time.tsx'
import { lookLabels } from '#lib/operations/labels/look-labels.ts'
import type { MuteView } from '#lib/operations/overview/looks.ts'
import { endpointOfAbout } from '#lib/operations/rules/look-kinds.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { UnmuteButton } from './mute-buttons.tsx'

/** The list has the snoozed items, with the person and the note. */
export function MutedList({
  mutes,
  back,
  unmute,
}: {
  readonly mutes: readonly MuteView[]
  /** `back` is the address of the overview without snoozed items. */
  readonly back: string
  readonly unmute: Action<{ readonly about: string }> | null
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
        <Mutes mutes={mutes} unmute={unmute} />
      </Card>
    </section>
  )
}

function Mutes({ mutes, unmute }: Omit<Parameters<typeof MutedList>[0], 'back'>) {
  if (mutes.length === 0) {
    return <EmptyState title="Nothing is snoozed">Snoozed items appear here with their notes.</EmptyState>
  }
  return (
    <ul>
      {mutes.map((mute) => (
        <li
          key={`${mute.kind} ${mute.about}`}
          className="flex flex-wrap items-center justify-end gap-x-4 gap-y-1 border-b px-3.5 py-2.5 text-table last:border-b-0"
        >
          <div className="min-w-0 flex-1 basis-40">
            <Thing mute={mute} />
            {mute.note !== null && <p className="break-words">{mute.note}</p>}
            <p className="text-muted text-sm">
              {mute.by}, <Time at={mute.at} />
            </p>
          </div>
          {unmute && (
            <UnmuteButton
              kind={mute.kind}
              about={mute.about}
              of={`${lookLabels[mute.kind].many} ${idOf(mute)}`}
              action={unmute}
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

const idOf = ({ about }: Pick<MuteView, 'about'>) => shortId(about.slice(about.indexOf(':') + 1))

function Thing({ mute: { kind, about, subjectId } }: { readonly mute: MuteView }) {
  const isGap = kind === 'gap' || kind === 'endpoint'
  const href = isGap ? gapOrEndpointPath(about) : subjectId && subjectPath(subjectId)
  const words = (
    <>
      {lookLabels[kind].many} <span className="mono">{idOf({ about })}</span>
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
