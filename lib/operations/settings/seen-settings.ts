import 'server-only'
import crypto from 'node:crypto'
import { changedMeanwhile } from '#lib/access/refused-changes.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type Settings, SettingsSchema, withDefaults } from '#lib/platform/settings/settings.ts'

/** Null gives a setting its default again; one that is not named stays as it is. */
export type SettingsChange = { readonly [Name in keyof Settings]?: Settings[Name] | null | undefined }

/** What a form shows of some settings, for a hidden field: so short whatever their size. */
export const seenOf = (settings: Settings, names: readonly (keyof Settings)[]): string =>
  names.map((name) => `${name}:${digestOf(settings[name])}`).join(' ')

/**
 * What a form changes of what it had shown; what it only repeats stays as others have made it meanwhile. Throws `Refused` for
 * what others have changed too, to something else.
 */
export function changeOfSeen(
  before: Settings,
  change: SettingsChange,
  seen: string,
): Readonly<Record<string, unknown>> {
  const wanted = withDefaults(change)
  const shown = digestsOf(seen)
  const changed = SettingsSchema.keyof().options.filter((name) => {
    const digest = digestOf(wanted[name])
    return Object.hasOwn(change, name) && digest !== shown.get(name) && digest !== digestOf(before[name])
  })
  if (changed.some((name) => digestOf(before[name]) !== shown.get(name))) throw new Refused(changedMeanwhile)
  return Object.fromEntries(changed.map((name) => [name, change[name]]))
}

/** Answers whether a form was sent as it had been shown. */
export function isAsSeen(change: SettingsChange, seen: string): boolean {
  const wanted = withDefaults(change)
  const shown = digestsOf(seen)
  return SettingsSchema.keyof().options.every(
    (name) => !Object.hasOwn(change, name) || digestOf(wanted[name]) === shown.get(name),
  )
}

const digestsOf = (seen: string) =>
  new Map(seen.split(' ').map((one) => [one.split(':')[0], one.split(':')[1]]))

/** In whatever order a list of names comes. */
const digestOf = (value: Settings[keyof Settings]) => {
  const text = JSON.stringify(
    typeof value === 'object' && value ? Object.entries(value).toSorted(byName) : value,
  )
  return crypto.createHash('sha256').update(text).digest('base64url').slice(0, 12)
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : 1
