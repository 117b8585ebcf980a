import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { findUserByEmail } from '#lib/identity/users/find-users.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { type ReplayFilter, ReplayFilterSchema } from './replay-forms.ts'

/** What an address says of a filter, as it stands there. */
export type GivenFilter = Readonly<Record<string, string>>

/** Of a parameter that is repeated, the first. */
export function givenFilter(
  parameters: Readonly<Record<string, string | readonly string[] | undefined>>,
): GivenFilter {
  const given: Record<string, string> = {}
  for (const key of ReplayFilterSchema.keyof().options) {
    const value = [parameters[key]].flat()[0]
    if (value) given[key] = value
  }
  return given
}

/** What was understood of a filter, and words beside what was not. */
export interface ReadFilter {
  /** Says nothing when any part was not understood: a filter of the rest would mean more than was asked for. */
  readonly filter: ReplayFilter
  readonly errors: Readonly<Record<string, string>>
}

/** A user may be given by the e-mail that the directory has. Throws `NotAllowed`. */
export async function readReplayFilter(caller: Caller, given: GivenFilter): Promise<ReadFilter> {
  requirePermission(caller, 'replay-deliveries')
  const { data: filter, error } = ReplayFilterSchema.safeParse(given)
  if (error) {
    const byField = Map.groupBy(error.issues, ({ path }) => String(path[0]))
    const errors = [...byField].map(([field, issues]) => [field, issues[0]?.message])
    return { filter: {}, errors: Object.fromEntries(errors) }
  }
  if (!filter.user?.includes('@')) return { filter, errors: {} }
  const person = await findUserByEmail(cleanText(filter.user))
  if (!person) return { filter: {}, errors: { user: 'The directory knows nobody by this e-mail.' } }
  return { filter: { ...filter, user: person.userUuid }, errors: {} }
}
