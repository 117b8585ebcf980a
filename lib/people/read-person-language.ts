import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type Language, languageOfCountry } from '#lib/platform/rules/language.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'

/** In which language a person is likely to be spoken to, by their country in the directory; null where that says nothing. Throws `NotAllowed`. */
export async function readPersonLanguage(caller: Caller, userUuid: string | null): Promise<Language | null> {
  requirePermission(caller, 'see-everything')
  if (userUuid === null || !isUuid(userUuid)) return null
  const { rows } = await pool().query<{ country: string | null }>(
    'SELECT country FROM person WHERE user_uuid = $1',
    [userUuid],
  )
  return languageOfCountry(rows[0]?.country ?? null)
}
