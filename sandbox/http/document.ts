import type { OpenAPIHono } from '@hono/zod-openapi'

/** An OpenAPI 3.1 document and its parts, as the library types them. */
export type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>
export type Operation = NonNullable<PathItem['get']>
export type DocumentedAnswer = Exclude<NonNullable<Components['responses']>[string], { $ref: string }>
export type Content = Extract<NonNullable<Operation['requestBody']>, { content: unknown }>['content']
export type Media = Content[string]
export type Schemas = NonNullable<Components['schemas']>
export type Schema = Schemas[string]
export type InlineSchema = Exclude<Schema, { $ref: string }>
type PathItem = NonNullable<Document['paths']>[string]
type Components = NonNullable<Document['components']>

/** Every operation, in the order of the document's paths; on each path what makes a thing before what reads it. */
export const operationsOf = ({ paths }: Pick<Document, 'paths'>) =>
  Object.entries(paths ?? {}).flatMap(([path, item]) =>
    (['post', 'get', 'patch', 'delete'] as const).flatMap((method) => {
      const operation: Operation | undefined = item[method]
      return operation ? [{ path, method, operation }] : []
    }),
  )

/** The schema itself, where a reference to one of the document's may stand. */
export function resolve(schema: Schema, schemas: Schemas): InlineSchema {
  if (isInline(schema)) return schema
  const named = schemas[schema.$ref.split('/').at(-1) ?? '']
  return named ? resolve(named, schemas) : {}
}

const isInline = (schema: Schema): schema is InlineSchema => !schema.$ref

export const typesOf = ({ type }: InlineSchema) => [type ?? []].flat()

/** The name that tells an alternative from the others: the one value that its first property may have, or its schema's. */
export function titleOf(alternative: Schema, schemas: Schemas): string | undefined {
  const [first] = Object.values(resolve(alternative, schemas).properties ?? {})
  return (first && resolve(first, schemas).enum?.join()) ?? alternative.$ref?.split('/').at(-1)
}

/** The JSON body that a call takes, as its document has it. */
export const jsonBodyOf = ({ requestBody }: Operation): Media | undefined =>
  requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined

/** The examples of a body: the one, or one per alternative. */
export const examplesIn = ({ example, examples }: Media): unknown[] =>
  examples ? Object.values(examples).map((named) => ('value' in named ? named.value : undefined)) : [example]
