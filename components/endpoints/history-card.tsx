import type { ReactNode } from 'react'
import { auditActionLabel, auditOutcomeLabel } from '#components/audit/audit-labels.ts'
import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { Time } from '#components/ui/time.tsx'
import type { EndpointChange } from '#lib/audit/list-audit.ts'
import type { SeenState } from '#lib/endpoints/endpoint-states.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { endpointStatusLabel } from './endpoint-labels.ts'
import { type ForeignChange, foreignChanges } from './foreign-changes.ts'

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
