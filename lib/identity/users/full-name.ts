import 'server-only'
import { visibleText } from '#lib/platform/rules/visible-text.ts'

/** Both names in one, as they may be shown; null where neither is known, or has anything to see. */
export const fullName = (row: {
  readonly first_name: string | null
  readonly last_name: string | null
}): string | null =>
  [row.first_name, row.last_name].flatMap((name) => visibleText(name) ?? []).join(' ') || null
