import { resolve, type Schema, type Schemas, typesOf } from './document.ts'

/** A value that fits a schema: its own example where it has one, else the first that its rules allow. */
export function exampleOf(given: Schema, schemas: Schemas): unknown {
  const schema = resolve(given, schemas)
  const [first] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []
  if (schema.example !== undefined) return schema.example
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (first) return exampleOf(first, schemas)
  const type = typesOf(schema)[0]
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property, schemas)]),
    )
  if (type === 'array') return schema.items ? [exampleOf(schema.items, schemas)] : []
  if (type === 'string') return formats.get(schema.format ?? '')
  if (type === 'boolean') return true
  return type === 'number' || type === 'integer' ? (schema.minimum ?? 1) : null
}

const formats = new Map([
  ['uuid', '0b6f9a52-7c1e-4d38-9a47-5e2f8c3d1b60'],
  ['date-time', '2026-11-20T12:00:00.000Z'],
  ['date', '1990-05-17'],
  ['email', 'someone@demo.test'],
  ['uri', 'https://merchant.example/hook'],
])
