import 'server-only'

/** Both names in one; null where neither is known. */
export const fullName = (row: {
  readonly first_name: string | null
  readonly last_name: string | null
}): string | null => [row.first_name, row.last_name].filter(Boolean).join(' ') || null
