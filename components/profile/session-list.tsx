'use client'

import { useRouter } from 'next/navigation'
import type { SessionView } from '#lib/auth/list-sessions.ts'
import type { Action } from '#lib/forms/action-state.ts'
import { signInMethodLabels } from '#lib/labels/sign-in-method-labels.ts'
import { ConfirmedActionButton } from '../form/confirmed-action-button.tsx'
import { Card } from '../ui/card.tsx'
import { Tag } from '../ui/pill.tsx'
import { Time } from '../ui/time.tsx'

/** Where somebody is signed in; each session can be ended, or all others at once. */
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
    <Card
      title="Signed in now"
      aside={
        sessions.length > 1 && (
          <ConfirmedActionButton
            label="Sign out everywhere else"
            title="Sign out everywhere else?"
            description="Every other browser in which you are signed in is signed out at once. This one stays."
            action={endOthers}
            asksReason={false}
            fields={{}}
            onDone={() => router.refresh()}
          />
        )
      }
    >
      <ul className="divide-y">
        {sessions.map((session) => (
          <li key={session.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
            <SessionFacts session={session} />
            {!session.current && (
              <ConfirmedActionButton
                label="End"
                title={`End the session “${session.device}”?`}
                description="That browser is signed out at once, and replays that it started stop."
                action={end}
                asksReason={false}
                fields={{ sessionId: session.id }}
                onDone={() => router.refresh()}
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** What tells a session from others: device, address, how and when. */
export function SessionFacts({ session }: { readonly session: SessionView }) {
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
