import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { gapOfTransactionAlerts } from '#components/endpoints/gaps/gap-callout.tsx'
import { NotesCard } from '#components/transactions/notes/notes-card.tsx'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { Callout } from '#components/ui/callout.tsx'
import { RefreshEvery, RefreshOnChange } from '#components/ui/live/refresh.tsx'
import { type Alert, AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import { may } from '#lib/access/rules/roles.ts'
import { movesOf } from '#lib/deliveries/rules/steps.ts'
import { subjectId as keyOf } from '#lib/deliveries/rules/subject.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { listGapsOfTransaction } from '#lib/endpoints/gaps/list-gaps-of-transaction.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { readPersonLanguage } from '#lib/people/list-people.ts'
import { readUsualDuration } from '#lib/people/own/own-transactions.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import {
  getTransaction,
  listOthersOfUser,
  readNeighbours,
  type TransactionDetailsView,
} from '#lib/transactions/get-transaction.ts'
import { listNotes } from '#lib/transactions/notes/notes.ts'
import { isMoving } from '#lib/transactions/rules/is-stuck.ts'
import { readUsualNext } from '#lib/transactions/usual-times.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { readWordsOfAll } from '../../../read-words.ts'
import { EventTimeline } from '../../event-timeline.tsx'
import { addNoteAction, changeNoteAction, removeNoteAction } from '../actions.ts'
import { IdsCard, MoneyCard, OthersCard, PartiesCard } from './cards.tsx'
import { Heading, replyTexts } from './heading.tsx'
import { OpenedKeys } from './list-neighbours.tsx'
import { StepRail, stepFacts, UsuallyNext } from './step-rail.tsx'

interface Props {
  readonly params: Promise<{ readonly uuid: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: shortId(decodePathPart((await params).uuid)) }
}

/** The page streams nothing before the transaction is known to exist, so an unknown one is a 404. */
export default async function TransactionDetailsPage({ params }: Props) {
  const uuid = decodePathPart((await params).uuid)
  const caller = await requirePage('see-everything', `/transactions/${encodeURIComponent(uuid)}`)
  const transaction = await getTransaction(caller, uuid)
  if (!transaction) notFound()
  const { finishedAt, userUuid, subjectId, direction, step, stuck } = transaction
  const knowsGaps = may(caller.role, 'see-endpoint-health')
  const steps = movesOf(transaction.events, ({ type }) => type).map(({ subType }) => subType)
  const [gaps, others, notes, settings, all, first, usual, next, inAll] = await Promise.all([
    knowsGaps ? listGapsOfTransaction(caller, { ...transaction, steps }) : [],
    listOthersOfUser(caller, transaction),
    listNotes(caller, subjectId),
    readSettings(),
    readWordsOfAll(),
    readPersonLanguage(caller, userUuid),
    readUsualDuration(caller, transaction),
    finishedAt === null ? readUsualNext(caller, transaction) : null,
    readNeighbours(caller, transaction),
  ])
  const mayReplay = may(caller.role, 'replay-deliveries')
  const words = { all, first }
  return (
    <>
      <RefreshOnChange
        subjects={[subjectId, ...(userUuid === null ? [] : [keyOf({ kind: 'entity', id: userUuid })])]}
      />
      {isMoving(step) && !stuck && <RefreshEvery seconds={30} />}
      <OpenedKeys />
      <Heading
        transaction={transaction}
        mayReplay={mayReplay}
        mayMove={finishedAt === null && gaps.every(({ endedAt }) => endedAt !== null)}
        inAll={inAll}
        reply={{ texts: replyTexts(transaction, all, settings.verificationUrl, usual), first }}
        words={words}
      />
      <AlertSlot alerts={alertsOf(transaction, gaps)} className="mt-4" />
      <StepRail transaction={transaction} />
      {next && <UsuallyNext direction={direction} usual={next} stuck={stuck} />}
      <div className="mt-5 grid grid-cols-[minmax(0,1fr)] items-start gap-5 @min-[60rem]/main:grid-cols-[minmax(0,1fr)_21.25rem]">
        <EventTimeline
          events={transaction.events}
          transaction={transaction}
          factsOf={stepFacts}
          mayReplay={mayReplay}
          words={words}
        />
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 @2xl/main:grid-cols-2 @min-[60rem]/main:grid-cols-1">
          <NotesCard
            subject={subjectId}
            notes={notes}
            ticketAddress={settings.ticketAddress}
            actions={may(caller.role, 'work-on-cases') ? noteActions : null}
          />
          <MoneyCard transaction={transaction} />
          <PartiesCard transaction={transaction} mayCompare={may(caller.role, 'work-on-cases')} />
          <IdsCard transaction={transaction} />
          {userUuid && others.length > 0 && <OthersCard transactions={others} userUuid={userUuid} />}
        </div>
      </div>
      <p className="mt-4 text-muted text-sm">
        <TimesNote />
      </p>
    </>
  )
}

const noteActions = { add: addNoteAction, change: changeNoteAction, remove: removeNoteAction }

function alertsOf(transaction: TransactionDetailsView, gaps: readonly GapView[]): Alert[] {
  const alerts = gapOfTransactionAlerts(gaps, transaction.finishedAt !== null)
  if (transaction.flags.includes('conflict'))
    alerts.push({
      key: 'conflict',
      kind: 'warning',
      shown: (
        <Callout kind="warning" title="Events contradict each other">
          The latest one received counts as the outcome. Ask the provider which one is right.
        </Callout>
      ),
    })
  const left = transaction.events.filter(({ bodyLeft }) => bodyLeft !== null).length
  if (left > 0)
    alerts.push({
      key: 'bodies-left',
      kind: 'info',
      shown: (
        <Callout
          title={
            left === 1 ? 'The body of one event was removed.' : `The bodies of ${left} events were removed.`
          }
        >
          Their retention time is over. Statuses, times, amounts and IDs are kept.
        </Callout>
      ),
    })
  return alerts
}
