import 'server-only'
import type { LookKind } from '../rules/look-kinds.ts'
import { type ListedLook, listLooks, most, notMuted } from './list-looks.ts'

/** Open gaps, the oldest first, but for those that last because an endpoint is not active. */
export const listGapLooks = (): Promise<ListedLook[]> => listLooks(gapLooks)

const isOff = `ended_at IS NULL AND kind IN ('disabled', 'auto-disabled')`

const open = (kind: LookKind, condition: string) => `
  SELECT id::text AS about, began_at AS since FROM gap
  WHERE outcome IS NULL AND ${condition} AND ${notMuted('id::text', 'began_at', kind)}
  ORDER BY began_at LIMIT ${most}`

export const gapLooks = open('gap', `NOT (${isOff})`)

/** Open gaps that last because an endpoint is not active: they are listed with the endpoints. */
export const gapsOfEndpoints = open('endpoint', isOff)
