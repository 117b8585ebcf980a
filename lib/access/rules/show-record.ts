import { ownValue } from '#lib/platform/rules/own-value.ts'
import { type RecordName, recordFields } from './record-fields.ts'
import type { Role } from './roles.ts'
import { showValue } from './show-value.ts'
import { type Information, visibilityOf } from './visibility.ts'

/**
 * What of a record may leave the server for a role. What is masked is masked in place; what is hidden, or has no row in the
 * table, is null, an empty list or false: the types of our views allow for it where a role that gets the view does not see
 * the field.
 */
export function showRecord<T extends object>(role: Role, name: RecordName, record: T): T {
  return showFields(role, recordFields[name], record, '') as T
}

/** The fields of a record that a role may have shown whole, one by one. */
export function revealableFields(role: Role, name: RecordName, record: object): readonly string[] {
  const rules: Rules = recordFields[name]
  return Object.entries(rules).flatMap(([path, sort]) =>
    fieldOf(record, path) !== null && visibilityOf(role, sort) === 'reveal' ? [path] : [],
  )
}

/** The value at a path such as `parties.sender.iban`; null when there is none. */
export function fieldOf(record: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) ? (ownValue(value, key) ?? null) : null), record)
}

function showFields(role: Role, rules: Rules, record: object, prefix: string): object {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      const path = prefix + key
      const sort = Object.hasOwn(rules, path) ? rules[path] : undefined
      if (sort) return [key, Array.isArray(value) ? showList(role, sort, value) : showOne(role, sort, value)]
      return [key, isObject(value) ? showFields(role, rules, value, `${path}.`) : hiddenLike(value)]
    }),
  )
}

const showOne = (role: Role, sort: Information, value: unknown) =>
  showValue(role, sort, value ?? null) ?? hiddenLike(value)

const showList = (role: Role, sort: Information, values: readonly unknown[]) =>
  values.flatMap((value) => showValue(role, sort, value) ?? [])

function hiddenLike(value: unknown): false | null | readonly never[] {
  if (Array.isArray(value)) return []
  return typeof value === 'boolean' ? false : null
}

type Rules = Readonly<Record<string, Information>>

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
