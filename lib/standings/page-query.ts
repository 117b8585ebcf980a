import 'server-only'
import { z } from 'zod'
import { textParameter } from '#lib/db/text-parameter.ts'
import type { EventType } from '#lib/domain/delivery/event-types.ts'
import { isOfLookStates, lookStatesOfAskedType, type StandingLookKind } from '#lib/overview/standing-looks.ts'
import type { SqlQuery } from '#lib/paging/count-up-to.ts'
import { decodeCursor, encodeCursor } from '#lib/paging/cursor.ts'
import { CursorRefused } from '#lib/request/refusals.ts'
import type { StandingRow } from '#lib/tables/standing.ts'
import { standingColumns } from './standing-view.ts'

export interface StandingFilters {
  readonly types: readonly EventType[]
  readonly state?: string | undefined
  readonly currency?: string | undefined
  /** Those alone that need a look for one of these. */
  readonly looks?: readonly StandingLookKind[] | undefined
  readonly cursor?: string | undefined
}

/**
 * A page of standings, those that moved last first: the newest of each type by its index, merged; of what needs a look the
 * newest of each state.
 * @param which of the rows are listed, as SQL of `standing`
 */
export function pageQuery(filters: StandingFilters, limit: number, which = 'true'): SqlQuery {
  const { from, where, values } = conditionOf(filters, [filters.types, limit])
  const place = filters.cursor === undefined ? null : parseCursor(filters.cursor)
  const beyond = place ? beyondOf(values.push(...place)) : ''
  return {
    sql: `SELECT newest.* FROM ${from}, LATERAL (
        SELECT ${standingColumns} FROM standing
        WHERE standing.type = asked.type${where}${beyond} AND ${which}
        ORDER BY last_move_at DESC, subject_id DESC LIMIT $2) AS newest
      ORDER BY last_move_at DESC, subject_id DESC LIMIT $2`,
    values,
  }
}

/**
 * Those that match in the order of their ids, which stays: who walks through all passes none over and meets none twice,
 * whatever moves meanwhile.
 * @param after the last row of those before
 */
export function walkQuery(
  filters: StandingFilters,
  after: StandingRow | undefined,
  limit: number,
  which = 'true',
): SqlQuery {
  const { from, where, values } = conditionOf(filters, [filters.types, limit])
  const last = after ? values.push(after.subject_id, after.type) : 0
  const beyond = after ? ` AND (standing.subject_id, standing.type) > ($${last - 1}, $${last})` : ''
  // Of all the rows come by the primary key, and are not sorted anew for each page; what needs a look is little.
  const listed = (type: string) =>
    `SELECT ${standingColumns} FROM standing WHERE standing.type = ${type}${where}${beyond} AND ${which}`
  const walked = filters.looks
    ? `SELECT walked.* FROM ${from}, LATERAL (${listed('asked.type')}) AS walked`
    : listed('ANY($1)')
  return { sql: `${walked} ORDER BY subject_id, type LIMIT $2`, values }
}

/** The first `most` that match. */
export function matchingQuery(filters: StandingFilters, most: number, which = 'true'): SqlQuery {
  const { from, where, values } = conditionOf(filters, [filters.types])
  return {
    sql: `SELECT FROM ${from}, LATERAL (
        SELECT FROM standing WHERE standing.type = asked.type${where} AND ${which} LIMIT ${most}) AS matching LIMIT ${most}`,
    values,
  }
}

function conditionOf({ state, currency, looks }: StandingFilters, values: unknown[]) {
  const equals = (column: string, value: string | undefined) =>
    value === undefined ? '' : ` AND standing.${column} = $${values.push(textParameter(value))}`
  const where = equals('state', state) + equals('currency', currency)
  const asked = 'unnest($1::text[]) AS asked (type)'
  if (looks === undefined) return { from: asked, where, values }
  return {
    from: `${asked}, ${lookStatesOfAskedType(looks)}`,
    where: `${where} AND ${isOfLookStates(looks)}`,
    values,
  }
}

const beyondOf = (last: number) =>
  ` AND (standing.last_move_at, standing.subject_id) < ($${last - 1}::timestamptz, $${last})`

export const cursorOf = ({ last_move_at, subject_id }: StandingRow) =>
  encodeCursor([last_move_at.toISOString(), subject_id])

function parseCursor(text: string): [string, string] {
  const place = PlaceSchema.safeParse(decodeCursor(text)).data
  if (!place) throw new CursorRefused()
  return place
}

const PlaceSchema = z.tuple([z.iso.datetime({ precision: 3 }), z.string().regex(/^[^\0]{1,300}$/)])
