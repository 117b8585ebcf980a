'use client'

import { Disclosure } from '#components/ui/disclosure.tsx'
import { Link } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { ListTable, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import type { AuditView } from '#lib/audit/audit-view.ts'
import { deviceLabel, unknownDevice } from '#lib/identity/labels/sign-in-labels.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'
import { auditActionLabel, auditOutcomeLabel } from './audit-labels.ts'
import { auditTarget, factLabel, factText } from './entry-labels.ts'

/**
 * Each entry shows who did what, when, from where and why, as this role may see it. A narrow page shows the facts
 * of an entry below each other.
 */
export function AuditTable({
  entries,
  role,
}: {
  readonly entries: readonly AuditView[]
  readonly role: Role
}) {
  return (
    <ListTable>
      <thead className="max-md:sr-only">
        <tr>
          <Th className="w-[13%]">When</Th>
          <Th className="w-[18%]">Who</Th>
          <Th>What</Th>
          <Th className="w-[14%]">Outcome</Th>
          <Th className="w-[20%]">From where</Th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} role={role} />
        ))}
      </tbody>
    </ListTable>
  )
}

function Row({ entry, role }: { readonly entry: AuditView; readonly role: Role }) {
  const { at, action, isCompany, outcome, ip, userAgent } = entry
  const state = auditOutcomeLabel(outcome)
  return (
    <Tr className="align-top max-md:block max-md:px-3.5 max-md:py-3">
      <Td className={cell}>
        <Time at={at} style="clock" className="num" />
      </Td>
      <Td className={cell}>
        <Actor entry={entry} />
      </Td>
      <Td className={cell}>
        <span className="font-strong">{auditActionLabel(action, outcome, isCompany)}</span>
        <Target entry={entry} role={role} />
        <About entry={entry} />
      </Td>
      <Td className={cell}>
        <Pill tone={state.tone}>{state.label}</Pill>
      </Td>
      <Td className={`${cell} text-muted text-sm`}>
        {ip ? <span className="mono">{ip}</span> : 'the server itself'}
        {userAgent && (
          <span className="block truncate text-xs" title={userAgent}>
            {browserOf(userAgent)}
          </span>
        )}
      </Td>
    </Tr>
  )
}

/** The text is "Firefox on Windows". A header without a known browser is shown as it came. */
function browserOf(userAgent: string): string {
  const label = deviceLabel(userAgent)
  return label === unknownDevice ? userAgent : label
}

const cell =
  'h-auto whitespace-normal! py-2.5! [overflow-wrap:anywhere] max-md:block max-md:px-0! max-md:py-0.5!'

function Actor({ entry: { actor } }: { readonly entry: AuditView }) {
  if (!actor) return <span className="text-muted">Unknown</span>
  const role = parseRole(actor.role ?? '')
  return (
    <>
      {actor.name ?? (isUuid(actor.id) ? <ShortId id={actor.id} className="text-sm" /> : actor.id)}
      {actor.role && <span className="block text-muted text-xs">{role ? roleLabels[role] : actor.role}</span>}
    </>
  )
}

/** The target of an action is shown by its name if it has one, and by its id. */
function Target({ entry, role }: { readonly entry: AuditView; readonly role: Role }) {
  const target = auditTarget(role, entry)
  if (!target) return null
  const { word, id, path } = target
  const named = [word, entry.targetName].filter(Boolean).join(': ')
  return (
    <span className="block text-muted text-sm">
      {path ? (
        <Link href={path} className="inline-flex min-h-6 items-center underline underline-offset-2">
          {named}
        </Link>
      ) : (
        named
      )}{' '}
      {isUuid(id) || isDigest(id) ? (
        <ShortId id={id} className="text-xs" />
      ) : (
        <span className="mono">{id}</span>
      )}
    </span>
  )
}

/** A target without a name is called by the fingerprint of its delivery. */
const isDigest = (id: string): boolean => /^[0-9a-f]{64}$/.test(id)

/** The entry shows its reason and its changes. */
function About({ entry }: { readonly entry: AuditView }) {
  const { reason, reasonWithheld, details, changes } = entry
  return (
    <>
      {reason && <q className="block text-sm [overflow-wrap:anywhere]">{reason}</q>}
      {reasonWithheld && (
        <span className="block text-muted text-sm">
          {reasonWithheld === 'erased'
            ? 'The reason was erased with a person’s data.'
            : 'A reason was given. Your role cannot read it.'}
        </span>
      )}
      {changes.length > 0 && (
        <ul className="mt-1 grid gap-0.5 text-sm">
          {changes.map(({ name, before, after }) => (
            <li key={name} className="[overflow-wrap:anywhere]">
              <span className="text-muted">{factLabel(name)}: </span>
              <del className="decoration-faint">{factText(name, before)}</del>
              <span className="text-muted"> → </span>
              <ins className="no-underline">{factText(name, after)}</ins>
            </li>
          ))}
        </ul>
      )}
      {details.length > 0 && (
        <Disclosure summary={details.length === 1 ? '1 detail' : `${details.length} details`}>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-sm">
            {details.map(({ name, value }) => (
              <div key={name} className="contents">
                <dt className="text-muted">{factLabel(name)}</dt>
                <dd className="[overflow-wrap:anywhere]">{factText(name, value)}</dd>
              </div>
            ))}
          </dl>
        </Disclosure>
      )}
    </>
  )
}
