'use client'

import { useRouter } from 'next/navigation'
import type { ReactNode } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { Card } from '#components/ui/card.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { Tag } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import { unknownDevice } from '#lib/identity/labels/sign-in-labels.ts'
import type { SessionView } from '#lib/identity/sessions/person-sessions.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

/** The caller is signed in in these browsers. Each other session can be ended, or all of them at once. */
export function OwnSessions({
  sessions,
  end,
  endOthers,
  ends,
}: {
  readonly sessions: readonly SessionView[]
  /** `ends` says what the end of a session does, when it does more than for a customer. */
  readonly ends?: string | undefined
  readonly end: Action<{ readonly ended: number }>
  readonly endOthers: Action<{ readonly ended: number }>
}) {
  const router = useRouter()
  const words = useWords()
  return (
    <SessionList
      sessions={sessions}
      endAll={
        <ConfirmedActionButton
          label={words('sessions.endOthers')}
          title={words('sessions.endOthersTitle')}
          description={words('sessions.endOthersBody')}
          action={endOthers}
          asksReason={false}
          fields={{}}
          done={words('sessions.endedOthers')}
          onDone={() => router.refresh()}
        />
      }
      endOne={(session) =>
        !session.current && (
          <EndSession session={session} action={end} fields={{}} asksReason={false} ends={ends} />
        )
      }
    />
  )
}

/** The session that was used last comes first. */
export function SessionList({
  sessions,
  endAll,
  endOne,
}: {
  readonly sessions: readonly SessionView[]
  /** `endAll` is shown when there are several sessions. */
  readonly endAll: ReactNode
  readonly endOne: (session: SessionView) => ReactNode
}) {
  const words = useWords()
  return (
    <Card title={words('sessions.title')} aside={sessions.length > 1 && endAll}>
      {sessions.length === 0 ? (
        <p className="text-muted text-table">{words('sessions.nowhere')}</p>
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

/** The button ends one session; `fields` are sent with its id. */
export function EndSession({
  session,
  action,
  fields,
  asksReason,
  ends,
}: {
  readonly session: Pick<SessionView, 'id' | 'device'>
  readonly action: Action<{ readonly ended: number }>
  readonly fields: Readonly<Record<string, string>>
  readonly asksReason: boolean
  /** `ends` says what the end of the session does, when it does more than for a customer. */
  readonly ends?: string | undefined
}) {
  const router = useRouter()
  const words = useWords()
  return (
    <ConfirmedActionButton
      label={words('sessions.end')}
      of={deviceIn(words, session.device)}
      title={words('sessions.endTitle', { device: deviceIn(words, session.device) })}
      description={ends ?? words('sessions.endBody')}
      action={action}
      asksReason={asksReason}
      fields={{ ...fields, sessionId: session.id }}
      done={words('sessions.ended')}
      onDone={() => router.refresh()}
    />
  )
}

/** A session differs from others by its device, address, method and time. */
function SessionFacts({ session }: { readonly session: SessionView }) {
  const { device, ip, method, signedInAt, lastSeenAt, current } = session
  const words = useWords()
  const given = {
    way: words(method ? `sessions.${method}` : 'sessions.unknownWay'),
    signedIn: () => <Time key="signed in" at={signedInAt} />,
    seen: () => <Time key="seen" at={lastSeenAt} />,
  }
  return (
    <div className="min-w-0 flex-1 basis-60">
      <p className="break-words font-strong text-table">
        {deviceIn(words, device)} {current && <Tag>{words('sessions.thisOne')}</Tag>}
      </p>
      <p className="break-words text-muted text-sm">
        {ip
          ? words.rich('sessions.factsFrom', {
              ...given,
              address: ip,
              ip: (address) => (
                <span key="address" className="mono">
                  {address}
                </span>
              ),
            })
          : words.rich('sessions.facts', given)}
      </p>
    </div>
  )
}

/** The browser and the system are named in the reader's language. */
function deviceIn(words: CustomerWords, device: string): string {
  const [browser, system] = device.split(' on ')
  if (browser && system) return words('sessions.device', { browser, system })
  return device === unknownDevice ? words('sessions.unknownDevice') : device
}
