import 'server-only'
import { z } from 'zod'
import { ReasonSchema, reasonMissing } from '#lib/platform/forms/reason.ts'
import { InvalidInput } from '#lib/platform/refusals.ts'
import { readSettings } from '#lib/platform/settings/read-settings.ts'
import { readPattern } from '#lib/platform/settings/settings.ts'

/** Why somebody asks; absent where the table asks for no reason. */
export const RevealReasonSchema = z.preprocess(
  (text) => (text === '' ? undefined : text),
  ReasonSchema.optional(),
)

/** The reason, where the table asks for one; it names a ticket where the settings have a pattern. Throws `InvalidInput`. */
export async function requireReason(reason: string | undefined): Promise<string> {
  const { revealTicketPattern } = await readSettings()
  if (!reason) throw new InvalidInput({ reason: reasonMissing })
  if (revealTicketPattern !== null && !readPattern(revealTicketPattern)?.test(reason))
    throw new InvalidInput({ reason: `Name the ticket: your admins ask for ${revealTicketPattern}.` })
  return reason
}
