'use client'

import { useRouter } from 'next/navigation'
import type { ReactNode } from 'react'
import type { SessionView } from '#lib/auth/list-sessions.ts'
import type { Action } from '#lib/forms/action-state.ts'
import { signInMethodLabels } from '#lib/labels/sign-in-method-labels.ts'
import { ConfirmedActionButton } from '../form/confirmed-action-button.tsx'
import { Card } from '../ui/card.tsx'
import { Tag } from '../ui/pill.tsx'
import { Time } from '../ui/time.tsx'

/** Where the caller is signed in; each other session can be ended, or all of them at once. */
export function OwnSessions({
  sessions,
  end,
  endOthers,
}: {
  readonly sessions: readonly SessionView[]
  readonly end: Action<{ readonly ended: number }>
  readonly endOthers: Action<{ readonly ended: number }>
}) {
  const router = useRouter()
  return (
    <SessionList
      sessions={sessions}
      endAll={
        <ConfirmedActionButton
          label="Sign out everywhere else"
          title="Sign out everywhere else?"
          description="Every other browser in which you are signed in is signed out at once. This one stays."
          action={endOthers}
          asksReason={false}
          fields={{}}
          onDone={() => router.refresh()}
        />
      }
      endOne={(session) =>
        !session.current && <EndSession session={session} action={end} fields={{}} asksReason={false} />
      }
    />
  )
}

/** Where somebody is signed in, the last used first. */
export function SessionList({
  sessions,
  endAll,
  endOne,
}: {
  readonly sessions: readonly SessionView[]
  /** Stands there where there are several. */
  readonly endAll: ReactNode
  readonly endOne: (session: SessionView) => ReactNode
}) {
  return (
    <Card title="Signed in now" aside={sessions.length > 1 && endAll}>
      {sessions.length === 0 ? (
        <p className="text-muted text-table">Nowhere.</p>
      ) : (
        <ul className="divide-y">
          {sessions.map((session) => (
            <li key={session.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
              <SessionFacts session={session} />
              {endOne(session)}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** Ends one session; `fields` go along with its id. */
export function EndSession({
  session,
  action,
  fields,
  asksReason,
}: {
  readonly session: Pick<SessionView, 'id' | 'device'>
  readonly action: Action<{ readonly ended: number }>
  readonly fields: Readonly<Record<string, string>>
  readonly asksReason: boolean
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="End"
      title={`End the session “${session.device}”?`}
      description="That browser is signed out at once, and replays that it started stop."
      action={action}
      asksReason={asksReason}
      fields={{ ...fields, sessionId: session.id }}
      onDone={() => router.refresh()}
    />
  )
}

/** What tells a session from others: device, address, how and when. */
function SessionFacts({ session }: { readonly session: SessionView }) {
  const { device, ip, method, signedInAt, lastSeenAt, current } = session
  return (
    <div className="min-w-0 flex-1 basis-60">
      <p className="break-words font-strong text-table">
        {device} {current && <Tag>This one</Tag>}
      </p>
      <p className="break-words text-muted text-sm">
        {method ? signInMethodLabels[method] : 'Unknown way'}, signed in <Time at={signedInAt} />, last seen{' '}
        <Time at={lastSeenAt} />
        {ip && (
          <>
            , from <span className="mono">{ip}</span>
          </>
        )}
      </p>
    </div>
  )
}
