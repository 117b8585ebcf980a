import type { OpenAPIHono } from '@hono/zod-openapi'

export type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>
export type Operation = NonNullable<PathItem['get']>
export type DocumentedAnswer = Exclude<NonNullable<Components['responses']>[string], { $ref: string }>
export type Content = Extract<NonNullable<Operation['requestBody']>, { content: unknown }>['content']
type Media = Content[string]
export type Schemas = NonNullable<Components['schemas']>
export type Schema = Schemas[string]
export type InlineSchema = Exclude<Schema, { $ref: string }>
type PathItem = NonNullable<Document['paths']>[string]
type Components = NonNullable<Document['components']>

/** Operations follow the order of the document's paths. On each path, creating comes before reading. */
export const operationsOf = ({ paths }: Pick<Document, 'paths'>) =>
  Object.entries(paths ?? {}).flatMap(([path, item]) =>
    (['post', 'get', 'patch', 'delete'] as const).flatMap((method) => {
      const operation: Operation | undefined = item[method]
      return operation ? [{ path, method, operation }] : []
    }),
  )

/** `resolve` follows a reference to a schema of the document. */
export function resolve(schema: Schema, schemas: Schemas): InlineSchema {
  if (isInline(schema)) return schema
  const named = schemas[schema.$ref.split('/').at(-1) ?? '']
  return named ? resolve(named, schemas) : {}
}

const isInline = (schema: Schema): schema is InlineSchema => !schema.$ref

export const typesOf = ({ type }: InlineSchema) => [type ?? []].flat()

/** An alternative's title is the single value of its first property, or else its schema's name. */
export function titleOf(alternative: Schema, schemas: Schemas): string | undefined {
  const [first] = Object.values(resolve(alternative, schemas).properties ?? {})
  return (first && resolve(first, schemas).enum?.join()) ?? alternative.$ref?.split('/').at(-1)
}

export const jsonBodyOf = ({ requestBody }: Operation): Media | undefined =>
  requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined

/** A body has one example, or one for each alternative. */
export const examplesIn = ({ example, examples }: Media): unknown[] =>
  examples ? Object.values(examples).map((named) => ('value' in named ? named.value : undefined)) : [example]

/** The value fits the schema: it is the schema's own example, or else the first value that the rules allow. */
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
