import 'server-only'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { emailKey, toTerm } from '#lib/identity/users/person-texts.ts'
import { unionAll } from '#lib/transactions/row-condition.ts'
import { type FoundByPart, findIds, idsBeginningWith, idsEndingWith } from './find-ids.ts'
import type { NearMiss } from './found.ts'
import {
  backwards,
  halvesOf,
  meantBeginnings,
  meantEmails,
  nearable,
  nearableEnding,
  type Slip,
  slipAtEnd,
  slipBetween,
  withDigits,
} from './rules/near-miss.ts'
import { beginning, ending, type Probe } from './rules/probes.ts'
import type { QueryReading } from './rules/read-query.ts'
import { searchQuery } from './search-query.ts'

const mostNear = 3

/**
 * A text that finds nothing gets suggestions: ids, and e-mail addresses for roles that see them, that differ by
 * one character or by letters that look like digits. Account numbers are never suggested, and wallets only to roles
 * that see them.
 */
export async function findNear(role: StaffRole, { probes, email }: QueryReading): Promise<NearMiss[]> {
  if (email !== undefined)
    return visibilityOf(role, 'person') === 'plain' ? nearEmails(toTerm(emailKey(email))) : []
  const byPart = { accountNumbers: false, wallets: visibilityOf(role, 'wallet') === 'plain' }
  const [first] = probes
  const typed = nearable(probes)
  const end = nearableEnding(probes)
  const part = first?.prefix ?? first?.suffix ?? null
  const corrected = part === null ? null : withDigits(part)
  const meant = corrected === null ? new Map() : await lookAlike(corrected, probes, byPart)
  if (typed !== null && meant.size === 0)
    for (const [value, slip] of await oneSlip(typed, byPart)) meant.set(value, slip)
  if (end !== null && meant.size === 0)
    for (const [value, slip] of await oneSlipAtEnd(end, byPart)) meant.set(value, slip)
  if (meant.size === 0) return []
  const values = [...meant.keys()]
  const rows = await searchQuery<{ value: string; subject_id: string }>(
    unionAll(values.map((_, i) => newestOf(`$${i + 1}`))),
    values,
  )
  return rows.map((row) => ({
    subjectId: row.subject_id,
    value: row.value,
    slip: meant.get(row.value) ?? null,
  }))
}

async function nearEmails(typed: string): Promise<NearMiss[]> {
  const rows = await searchQuery<{ value: string; user_uuid: string }>(EMAILS, [meantEmails(typed)])
  return rows.map(({ value, user_uuid }) => ({
    subjectId: subjectId({ kind: 'entity', id: user_uuid }),
    value,
    slip: slipBetween(typed, value, true),
  }))
}

/** Each address costs one descent of the index of terms. */
const EMAILS = `
  SELECT term AS value, user_uuid FROM person_term WHERE term = ANY($1) ORDER BY term, user_uuid LIMIT ${mostNear}`

async function lookAlike(
  corrected: string,
  typed: readonly Probe[],
  byPart: FoundByPart,
): Promise<Map<string, Slip | null>> {
  const probes = [
    ...(typed.some(({ prefix }) => prefix !== null) ? beginning(corrected) : []),
    ...(typed.some(({ suffix }) => suffix !== null) ? ending(corrected) : []),
  ]
  const named = await Promise.all(probes.map((probe) => findIds(searchQuery, probe, byPart)))
  const values = named.flatMap((each) => each.values)
  return new Map(values.slice(0, mostNear).map((value) => [value, null]))
}

async function oneSlip(typed: string, byPart: FoundByPart): Promise<Map<string, Slip | null>> {
  const [halves, beginnings] = await Promise.all([
    Promise.all(halvesOf(typed).map((probe) => findIds(searchQuery, probe, byPart))),
    idsBeginningWith(searchQuery, meantBeginnings(typed), byPart),
  ])
  const slips = [...halves.flatMap(({ values }) => values), ...beginnings].flatMap((value) => {
    const slip = slipBetween(typed, value)
    return slip ? [[value, slip] as const] : []
  })
  return new Map(slips.slice(0, mostNear))
}

/** An ending is searched like a beginning that is written backwards. */
async function oneSlipAtEnd(typed: string, byPart: FoundByPart): Promise<Map<string, Slip | null>> {
  const back = backwards(typed)
  const halves = halvesOf(back).map(({ prefix }) => ({
    prefix: null,
    suffix: backwards(prefix ?? ''),
    exact: false,
  }))
  const [found, endings] = await Promise.all([
    Promise.all(halves.map((probe) => findIds(searchQuery, probe, byPart))),
    idsEndingWith(searchQuery, meantBeginnings(back).map(backwards), byPart),
  ])
  const slips = [...found.flatMap(({ values }) => values), ...endings].flatMap((value) => {
    const slip = slipAtEnd(typed, value)
    return slip ? [[value, slip] as const] : []
  })
  return new Map(slips.slice(0, mostNear))
}

/** The newest subject with this id. */
const newestOf = (value: string) =>
  `(SELECT value, subject_id FROM identifier WHERE value = ${value} ORDER BY started_at DESC LIMIT 1)`
