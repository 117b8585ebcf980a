import 'server-only'
import { ReplayFilter } from './replay-forms.ts'

/** A filter as it stands in an address: what was given, what was understood, and words beside what was not. */
export interface ReadFilter {
  readonly given: Readonly<Record<string, string>>
  /** Says nothing when any part was not understood: a filter of the rest would mean more than was asked for. */
  readonly filter: ReplayFilter
  readonly errors: Readonly<Record<string, string>>
}

/** Reads the parameters of an address; of one that is repeated, the first. */
export function readReplayFilter(
  parameters: Readonly<Record<string, string | readonly string[] | undefined>>,
): ReadFilter {
  const given: Record<string, string> = {}
  for (const key of ReplayFilter.keyof().options) {
    const value = [parameters[key]].flat()[0]
    if (value) given[key] = value
  }
  const { data, error } = ReplayFilter.safeParse(given)
  const errors: Record<string, string> = {}
  for (const { path, message } of error?.issues ?? []) errors[String(path[0])] ??= message
  return { given, filter: data ?? {}, errors }
}
