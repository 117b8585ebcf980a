import type { Envelope } from './envelope.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from './json.ts'
import { amountNames, transactionFields } from './transaction-fields.ts'

/**
 * A copy of the envelope with only the fields that the fold reads, so that a subject can be kept in memory
 * without its bodies. `whole` and `text` are empty.
 */
export function summaryOf(envelope: Envelope): Envelope {
  return {
    type: copyOf(envelope.type),
    subType: copyOf(envelope.subType),
    uuid: copyOf(envelope.uuid),
    data: envelope.data && pickFields(envelope.data, fields),
    fields: nothing,
    text: '',
  }
}

const nothing: JsonObject = new Map()

/** Names of fields, with those inside an object. */
export interface FieldTree extends ReadonlyMap<string, FieldTree | null> {}

/** @param paths such as `senderDetails.senderName` */
export function fieldTree(paths: readonly string[]): FieldTree {
  const split = paths.map((path) => path.split('.'))
  return new Map(
    [...Map.groupBy(split, ([name = '']) => name)].map(([name, some]) => {
      const inner = some.flatMap(([, ...rest]) => (rest.length > 0 ? [rest.join('.')] : []))
      return [name, inner.length > 0 ? fieldTree(inner) : null] as const
    }),
  )
}

const accountOf = (party: string) =>
  ['currency', 'iban', 'accountNumber', 'bankCode', 'bankName'].map(
    (name) => `${party}.accountDetails.${name}`,
  )

/** The fields of `data` that the fold reads. */
export const foldedPaths: readonly string[] = [
  'status',
  'direction',
  'currency',
  ...Object.keys(transactionFields),
  'sendingAddress',
  'sendingWalletAddress',
  'senderDetails.senderName',
  'senderDetails.senderCountry',
  ...accountOf('senderDetails'),
  'beneficiaryDetails.receiverName',
  ...accountOf('beneficiaryDetails'),
]

const fields = fieldTree(foldedPaths)

/** The texts and numbers of these fields; any other kind of value is left out, of an amount all but that it is none. */
export function pickFields(object: JsonObject, wanted: FieldTree): JsonObject {
  const picked = new Map<string, Json>()
  for (const [name, inner] of wanted) {
    const value = object.get(name)
    const kept = inner
      ? isJsonObject(value) && pickFields(value, inner)
      : (scalarOf(value) ?? (value != null && amountNames.includes(name)))
    if (kept) picked.set(name, kept)
  }
  return picked
}

/** Texts are cut where `textField` cuts them anyway: one character more shows it that there was more. */
function scalarOf(value: Json | undefined): Json {
  if (typeof value === 'string') return copyOf(value.slice(0, longest + 1))
  return value instanceof JsonNumber ? new JsonNumber(copyOf(value.digits)) : null
}

const longest = 500

/** Copies the text: a slice would keep the whole body in memory. */
function copyOf<T extends string | null>(text: T): T
function copyOf(text: string | null): string | null {
  return text === null ? null : ` ${text}`.slice(1)
}
