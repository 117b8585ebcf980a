import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { z } from 'zod'

export interface CheckedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export type AnswerCheck = (method: string, url: string, answer: CheckedAnswer) => void

/**
 * The check throws when the OpenAPI 3.1 document does not have this answer for the call. Status, content type, body and
 * instructing headers must be documented, with no further properties. Paths outside the document are not checked.
 */
export function createAnswerCheck(openapi: unknown): AnswerCheck {
  const { paths, components, servers } = DocumentSchema.parse(openapi)
  const [base = ''] = servers.map(({ url }) => new URL(url).pathname.replace(/\/$/, ''))
  const validate = createValidation(openapi)
  const routes = Object.entries(paths).map(([path, item]) => ({
    path,
    item,
    pattern: patternOf(base + path),
  }))
  const areas = new Set(Object.keys(paths).map((path) => areaOf(base + path)))
  const refusals = new Map(
    Object.values(paths)
      .flatMap((item) => Object.values(item).flatMap(({ responses }) => Object.entries(responses)))
      .flatMap(([status, { $ref }]) => ($ref ? [[status, $ref.split('/').at(-1) ?? '']] : [])),
  )

  return (method, url, answer) => {
    const { pathname } = new URL(url, 'http://localhost')
    if (!areas.has(areaOf(pathname))) return
    const asked = method === 'HEAD' ? 'get' : method.toLowerCase()
    const fault = findFault()
    if (fault)
      throw new Error(
        `${method} ${pathname} answered ${answer.status} ${answer.text.slice(0, 500)}\nagainst the document: ${fault}`,
      )

    function findFault(): string | undefined {
      const [pointer, documented] = findDocumented()
      if (!documented) return 'it has no such status here'
      return headerFault(documented, pointer) ?? bodyFault(documented, pointer)
    }

    /** A missing operation and a requested fault are answered like any refusal. */
    function findDocumented(): [pointer: string, answer: DocumentedAnswer | undefined] {
      const route = routes.find(({ item, pattern }) => item[asked] && pattern.test(pathname))
      if (isInjected(answer)) return named(refusals.get(`${answer.status}`) ?? 'NotFound')
      if (!route && isRefusal(answer)) return named('NotFound')
      const documented = route?.item[asked]?.responses[answer.status]
      const name = documented?.$ref?.split('/').at(-1)
      if (name) return named(name)
      return [`#/paths/${escaped(route?.path ?? '')}/${asked}/responses/${answer.status}`, documented]
    }

    function named(name: string): [string, DocumentedAnswer | undefined] {
      return [`#/components/responses/${name}`, components.responses[name]]
    }

    function headerFault({ headers }: DocumentedAnswer, pointer: string): string | undefined {
      const reported = telling.filter((name) => answer.headers.has(name) && !headers[name])
      if (reported.length > 0) return `it has no header ${reported.join(', ')} here`
      for (const [name, { required }] of Object.entries(headers)) {
        const value = answer.headers.get(name)
        if (value === null && required) return `the header ${name} is missing`
        const fault = value && validate(`${pointer}/headers/${name}/schema`, Number(value))
        if (fault) return `the header ${name}: ${fault}`
      }
      return undefined
    }

    function bodyFault({ content }: DocumentedAnswer, pointer: string): string | undefined {
      const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
      const types = Object.keys(content)
      if (types.length === 0) return answer.text || type ? 'it has no body here' : undefined
      if (!types.includes(type)) return `its Content-Type is ${types.join(' or ')}`
      if (method === 'HEAD') return answer.text ? 'HEAD has no body' : undefined
      const body = type === 'application/json' ? JSON.parse(answer.text) : answer.text
      return validate(`${pointer}/content/${escaped(type)}/schema`, body)
    }
  }
}

/** The schema at a pointer is compiled at its first use. The answer says what is wrong. */
function createValidation(openapi: unknown) {
  const closed: Record<string, unknown> = JSON.parse(JSON.stringify(openapi), closeObject)
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
  addFormats.default(ajv)
  ajv.addVocabulary(['example', 'discriminator', ...Object.keys(closed)])
  ajv.addSchema(closed, 'openapi', false, false)
  return (pointer: string, value: unknown): string | undefined => {
    const schema = ajv.getSchema(`openapi${pointer}`)
    if (!schema) return `no schema at ${pointer}`
    return schema(value) ? undefined : ajv.errorsText(schema.errors, { dataVar: 'body' })
  }
}

/** An object has only the properties that its schema lists, unless the schema says otherwise. */
function closeObject(_key: string, node: unknown): unknown {
  const open = typeof node === 'object' && node && 'properties' in node && !('additionalProperties' in node)
  return open ? { ...node, additionalProperties: false } : node
}

/** An answer instructs its client with these headers. */
const telling = ['Retry-After', 'Location', 'Allow', 'WWW-Authenticate', 'Set-Cookie']

const AnswerSchema = z.object({
  $ref: z.string().optional(),
  headers: z.record(z.string(), z.object({ required: z.boolean().default(false) })).default({}),
  content: z.record(z.string(), z.unknown()).default({}),
})
type DocumentedAnswer = z.output<typeof AnswerSchema>

const DocumentSchema = z.object({
  servers: z.array(z.object({ url: z.url() })).default([]),
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), AnswerSchema) })),
  ),
  components: z.object({ responses: z.record(z.string(), AnswerSchema) }),
})

const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/\/$/, '').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)

/** The first step of a path separates the contract from the control interface. */
const areaOf = (path: string) => path.split('/')[1] ?? ''

const escaped = (path: string) => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))

const isRefusal = ({ status }: CheckedAnswer) => status >= 400 && status < 500

/** The call failed on purpose, see the control interface's faults. */
const isInjected = ({ status, text }: CheckedAnswer) =>
  status >= 400 && text.includes('"name":"InjectedFaultError"')
