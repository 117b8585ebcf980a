import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { PersonNameSchema } from '#lib/platform/forms/person-name.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { linkFaults } from './link-faults.ts'

export const NameYourselfSchema = z.object({ name: PersonNameSchema })

/** Whoever sets up a way to sign in says what the others call them. Throws `Refused`. */
export async function nameYourself(
  { memberId }: Caller,
  { name }: z.output<typeof NameYourselfSchema>,
): Promise<{ readonly name: string }> {
  const { rowCount } = await pool().query(NAME, [memberId, name])
  if (rowCount !== 1) throw new Refused(linkFaults.withdrawn)
  return { name }
}

const NAME = 'UPDATE member SET name = $2 WHERE id = $1 AND joined_at IS NULL'
