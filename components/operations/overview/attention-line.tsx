'use client'

import { Link } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { RowPerson } from '#components/ui/search/searchable.tsx'
import { Time, type TimeStyle } from '#components/ui/time.tsx'
import type { AttentionKind } from '#lib/operations/rules/attention-kinds.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { Tone } from '#lib/words/labels/tone.ts'
import { SnoozeButton } from './snooze-buttons.tsx'

/** One attention item is given as texts. Times are ISO 8601. */
export interface AttentionInWords {
  readonly kind: AttentionKind
  /** A snooze names the item by `about`. */
  readonly about: string
  readonly since: string
  /** A snooze covers the item until this time. */
  readonly latest: string
  readonly href: string
  readonly title: string
  readonly pill: { readonly tone: Tone; readonly words: string } | null
  /** The item concerns this person; null when it concerns none. */
  readonly who: { readonly userUuid: string | null; readonly email: string | null } | null
  /** These states were received for that person shortly before. */
  readonly before: readonly string[]
}

/** The line is a row of the overview. The browser gets its texts, because elements would cost the server more. */
export function AttentionLine({
  item: { kind, about, since, latest, href, title, pill, who, before },
  time,
  snooze,
}: {
  readonly item: AttentionInWords
  readonly time: TimeStyle
  /** `snooze` is null for roles that may not snooze. */
  readonly snooze: Action<{ readonly about: string }> | null
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
              (who.email ?? 'no person named')
            ) : (
              <RowPerson userUuid={who.userUuid} email={who.email} />
            )}
            {before.map((words) => ` · ${words}`).join('')}
          </span>
        )}
      </div>
      <div className="flex items-center gap-3">
        <Time at={since} style={time} className="num whitespace-nowrap text-muted text-sm" />
        {snooze && (
          <span className="relative">
            <SnoozeButton
              kind={kind}
              about={about}
              since={latest}
              of={[title, pill?.words, who?.email].filter(Boolean).join(', ')}
              action={snooze}
            />
          </span>
        )}
      </div>
    </li>
  )
}
