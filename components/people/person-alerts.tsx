import { Eraser } from 'lucide-react'
import { Callout } from '#components/ui/callout.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Pill } from '#components/ui/pill.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { RetryButton } from '#components/ui/shared/retry-button.tsx'
import { Time } from '#components/ui/time.tsx'
import type { ErasureView } from '#lib/people/erasure/erasure-store.ts'
import type { PersonDetailsView, SignInHelp } from '#lib/people/get-person.ts'
import { counted } from '#lib/words/labels/formats.ts'

/** The page of a person says first what may be old, and what keeps them from signing in. */
export const personAlerts = ({
  profile,
  person,
  signIn,
}: Pick<PersonDetailsView, 'profile' | 'person' | 'signIn'>): Alert[] => [
  ...unavailableAlerts(profile, person !== null),
  ...(signIn ? [...bounceAlerts(signIn), ...strangerAlerts(signIn)] : []),
]

const unavailableAlerts = (profile: PersonDetailsView['profile'], isKnown: boolean): Alert[] =>
  profile.kind !== 'unavailable'
    ? []
    : [
        {
          key: 'profile',
          kind: 'error',
          shown: (
            <Callout kind="error" title={profile.title} actions={<RetryButton />}>
              {profile.next}
              {isKnown && ' Below is the last known state.'}
            </Callout>
          ),
        },
      ]

/** The alarm is kept for longer than the strangers are stopped. */
export const strangersAreStopped = ({ strangersStoppedAt, waits }: SignInHelp): boolean =>
  strangersStoppedAt !== null && (waits.strangers ?? waits.strangersTyping) !== null

const bounceAlerts = ({ bounce }: SignInHelp): Alert[] =>
  bounce?.lasts
    ? [
        {
          key: 'bounce',
          kind: 'warning',
          shown: (
            <Callout kind="warning" title="The mail with a code bounced">
              <BounceFacts bounce={bounce} />
            </Callout>
          ),
        },
      ]
    : []

/** The facts are when the mail bounced, and the mail server's answer. */
export function BounceFacts({ bounce }: { readonly bounce: NonNullable<SignInHelp['bounce']> }) {
  return (
    <>
      <Time at={bounce.at} />
      {bounce.failureType && `, ${bounce.failureType}`}
      {bounce.diagnosticCode && <span className="mono block break-words">{bounce.diagnosticCode}</span>}
    </>
  )
}

const strangerAlerts = (help: SignInHelp): Alert[] =>
  help.strangersStoppedAt && strangersAreStopped(help)
    ? [
        {
          key: 'strangers',
          kind: 'warning',
          shown: (
            <Callout kind="warning" title="Strangers tried codes for this address">
              They were blocked for the day, <Time at={help.strangersStoppedAt} />. Until tomorrow, codes work
              only in browsers that used this address before.
            </Callout>
          ),
        },
      ]
    : []

/** An erased person or company has this page: the proof that it happened, and no data of theirs. */
export function ErasedPerson({ erasure }: { readonly erasure: ErasureView }) {
  const { id, isCompany, beganAt, finishedAt, subjects, deliveries } = erasure
  return (
    <>
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            <Eraser className="size-5 text-muted" aria-hidden />
            This {isCompany ? 'company' : 'person'} was erased
            {finishedAt ? <Pill tone="done">Done</Pill> : <Pill tone="move">Under way</Pill>}
          </span>
        }
        actions={
          isCompany ? (
            <ButtonLink href="/companies">All companies</ButtonLink>
          ) : (
            <ButtonLink href="/users">All people</ButtonLink>
          )
        }
      >
        {isCompany
          ? 'What comes about it later is kept without its data. Amounts of its transactions stay.'
          : 'What comes about them later is kept without their data. Amounts of their transactions stay.'}
      </PageHeader>
      <Card title="What is kept as proof" className="mt-5 max-w-[46rem]">
        <Facts>
          <Fact name="Mark">
            <span className="mono break-all">{id}</span>
          </Fact>
          <Fact name="Begun">
            <Time at={beganAt} style="exact" className="num" />
          </Fact>
          <Fact name="Done">
            {finishedAt ? (
              <Time at={finishedAt} style="exact" className="num" />
            ) : (
              'Not yet: everything is gone through'
            )}
          </Fact>
          <Fact name="Overwritten">
            {counted(deliveries, 'delivery', 'deliveries')} of {counted(subjects, 'subject', 'subjects')}
          </Fact>
        </Facts>
      </Card>
      {!finishedAt && <RefreshEvery seconds={1} />}
    </>
  )
}
