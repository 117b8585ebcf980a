import 'server-only'
import type { Statement } from './tables.ts'

/** The parameters of the statements about a person, by what they are of. */
export const parametersOf = (
  userUuid: string,
  { values, exact }: { readonly values: Iterable<string>; readonly exact: Iterable<string> },
): Readonly<Record<Statement['of'], readonly unknown[]>> => ({
  user: [userUuid],
  values: [[...values]],
  addresses: [[...values], [...exact]],
})
