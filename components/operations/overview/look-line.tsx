'use client'

import { Link } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { RowPerson } from '#components/ui/search/row-person.tsx'
import { Time, type TimeStyle } from '#components/ui/time.tsx'
import type { LookKind } from '#lib/operations/rules/look-kinds.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { Tone } from '#lib/words/labels/tone.ts'
import { MuteButton } from './mute-buttons.tsx'

/** One thing that may need a look, in words. Times are ISO 8601. */
export interface LookInWords {
  readonly kind: LookKind
  /** What a mute names it by. */
  readonly about: string
  readonly since: string
  /** What a mute covers. */
  readonly latest: string
  readonly href: string
  readonly title: string
  readonly pill: { readonly tone: Tone; readonly words: string } | null
  /** Whom it concerns; null where that is no person. */
  readonly who: { readonly userUuid: string | null; readonly email: string | null } | null
  /** What was said of that person shortly before. */
  readonly before: readonly string[]
}

/** A row of the overview. The browser gets its words, not its elements, which would cost the server more. */
export function LookLine({
  look: { kind, about, since, latest, href, title, pill, who, before },
  time,
  mute,
}: {
  readonly look: LookInWords
  readonly time: TimeStyle
  /** Null for whoever may not mute. */
  readonly mute: Action<{ readonly about: string }> | null
}) {
  return (
    <li className="relative flex flex-wrap items-center justify-end gap-x-4 gap-y-1 border-b px-3.5 py-2.5 text-table last:border-b-0 hover:bg-hover">
      <div className="flex min-w-0 flex-1 basis-56 flex-wrap items-center gap-x-2.5 gap-y-1">
        <Link href={href} data-row className="min-w-0 break-words font-strong row-link">
          {title}
        </Link>
        {pill && (
          <Pill tone={pill.tone} className="min-w-0">
            {pill.words}
          </Pill>
        )}
        {who && (
          <span className="min-w-0 basis-full break-words text-muted text-sm">
            {who.userUuid === null ? (
              (who.email ?? 'nobody is named')
            ) : (
              <RowPerson userUuid={who.userUuid} email={who.email} />
            )}
            {before.map((words) => ` · ${words}`).join('')}
          </span>
        )}
      </div>
      <div className="flex items-center gap-3">
        <Time at={since} style={time} className="num whitespace-nowrap text-muted text-sm" />
        {mute && (
          <span className="relative">
            <MuteButton
              kind={kind}
              about={about}
              since={latest}
              of={[title, pill?.words, who?.email].filter(Boolean).join(', ')}
              action={mute}
            />
          </span>
        )}
      </div>
    </li>
  )
}
