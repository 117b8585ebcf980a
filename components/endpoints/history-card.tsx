import type { ReactNode } from 'react'
import { auditActionLabel, auditOutcomeLabel } from '#components/audit/audit-labels.ts'
import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { Time } from '#components/ui/time.tsx'
import type { EndpointChange } from '#lib/audit/list-audit.ts'
import type { SeenState } from '#lib/endpoints/endpoint-states.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { endpointStatusLabel } from './endpoint-labels.ts'

/**
 * The history has every change of an endpoint, newest first: changes made here with person and reason, and changes
 * made elsewhere.
 */
export function HistoryCard({
  changes,
  states,
  earlier,
  audit,
}: {
  readonly changes: readonly EndpointChange[]
  readonly states: readonly SeenState[]
  /** `earlier` is true when older changes exist. */
  readonly earlier: boolean
  /** The audit lists older changes at this address; null when the role may not read it. */
  readonly audit: string | null
}) {
  const entries = [
    ...changes.map((change) => ({ at: change.at, id: change.id, what: <MadeHere change={change} /> })),
    ...foreignChanges(states, changes, earlier).map((change) => ({
      at: change.by,
      id: change.by,
      what: <MadeElsewhere change={change} />,
    })),
  ].toSorted((a, b) => b.at.localeCompare(a.at))
  return (
    <Card title="History">
      {entries.length === 0 ? (
        <p className="text-muted text-sm">
          Nothing was changed here yet. Each change appears with its reason.
        </p>
      ) : (
        <ol className="grid gap-3 text-table">
          {entries.map(({ at, id, what }) => (
            <li key={id} className="grid gap-x-4 sm:grid-cols-[8.5rem_minmax(0,1fr)]">
              <Time at={at} style="clock" className="num text-muted text-sm" />
              <div className="min-w-0">{what}</div>
            </li>
          ))}
        </ol>
      )}
      {earlier && audit && (
        <p className="mt-4 text-sm">
          <Link href={audit} className="underline hover:text-text">
            Earlier changes in the audit
          </Link>
        </p>
      )}
    </Card>
  )
}

function MadeHere({ change: { action, outcome, by, changes } }: { readonly change: EndpointChange }) {
  const switched = outcome === 'done' && switchedTo(changes)
  return (
    <>
      <p>
        <span className="font-strong">{switched || auditActionLabel(action, outcome)}</span>
        {outcome !== 'done' && <span className="text-muted"> · {outcomeWord(outcome)}</span>}
        {by && <span className="text-muted"> by {by.name}</span>}
      </p>
      {by?.reason && <q className="block text-sm [overflow-wrap:anywhere]">{by.reason}</q>}
      {(switched ? [] : changes).map(({ name, before, after }) => (
        <Changed key={name} name={ownValue(changeNames, name) ?? name} before={before} after={after} />
      ))}
    </>
  )
}

/** The state alone was changed, and this is what that is called; null for any other change. */
function switchedTo(changes: EndpointChange['changes']): string | null {
  const [first, ...others] = changes
  if (first?.name !== 'status' || others.length > 0) return null
  return ownValue(switchedNames, first.after) ?? null
}

const switchedNames: Readonly<Record<string, string>> = { active: 'Activated', disabled: 'Disabled' }

function Changed({
  name,
  before,
  after,
}: {
  readonly name: string
  readonly before: ReactNode
  readonly after: ReactNode
}) {
  return (
    <p className="text-sm [overflow-wrap:anywhere]">
      <span className="text-muted">{name}: </span>
      {before || 'every type'} <span className="text-muted">→</span> {after || 'every type'}
    </p>
  )
}

const changeNames: Readonly<Record<string, string>> = {
  deliversTo: 'Delivers to',
  status: 'Status',
  subscribedEvents: 'Events',
}

const outcomeWord = (outcome: string) =>
  outcome === 'begun' ? 'interrupted' : auditOutcomeLabel(outcome).label.toLowerCase()

function MadeElsewhere({ change: { status, surelyForeign } }: { readonly change: ForeignChange }) {
  return (
    <p>
      <span className="font-strong">
        {status === 'auto_disabled'
          ? 'Switched off by the provider'
          : `Became ${endpointStatusLabel(status).label.toLowerCase()}`}
      </span>
      <span className="text-muted">
        {status === 'auto_disabled' || !surelyForeign
          ? ' · seen by this dashboard'
          : ' · not changed from this dashboard'}
      </span>
    </p>
  )
}

/**
 * The watcher sees a change made here at most this many milliseconds later, and the clocks of two processes differ
 * by less.
 */
const slack = 5_000

type ChangeHere = Pick<EndpointChange, 'at' | 'action' | 'outcome'>

/** `surelyForeign`: nobody here asked for this status. */
interface ForeignChange extends SeenState {
  readonly surelyForeign: boolean
}

/**
 * The result has changes of an endpoint's status that this dashboard saw and did not make; the first check is no
 * change. `changes` come newest first; `earlier` is true when older ones exist.
 */
export const foreignChanges = (
  states: readonly SeenState[],
  changes: readonly ChangeHere[],
  earlier: boolean,
): readonly ForeignChange[] =>
  states.flatMap((state) => {
    const { status, after, by } = state
    if (after === null) return []
    const [from, to] = [Date.parse(after) - slack, Date.parse(by) + slack]
    if (status === 'auto_disabled') return [{ ...state, surelyForeign: true }]
    if (changes.some((change) => mayHaveSwitched(change, from, to))) return []
    return [{ ...state, surelyForeign: !earlier || from > oldestOf(changes) }]
  })

const mayHaveSwitched = ({ at, action, outcome }: ChangeHere, from: number, to: number) =>
  action === 'endpoint.set-status' &&
  outcome !== 'refused' &&
  outcome !== 'failed' &&
  Date.parse(at) >= from &&
  Date.parse(at) <= to

const oldestOf = (changes: readonly ChangeHere[]) => Date.parse(changes.at(-1)?.at ?? '')
