import { Hono } from 'hono'
import { html } from 'hono/html'
import {
  type Document,
  type DocumentedAnswer,
  exampleOf,
  examplesIn,
  type InlineSchema,
  jsonBodyOf,
  type Operation,
  operationsOf,
  resolve,
  type Schema,
  type Schemas,
  titleOf,
  typesOf,
} from '../http/openapi.ts'
import { refusedAnswers } from '../http/shapes.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { renderPage } from './page.ts'
import { badge, copyButton, type Markup, prose } from './pieces.ts'

interface Described {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

/** The page shows the OpenAPI documents: the service's calls first, then the sandbox's controls. */
export function docsPage(sandbox: SandboxWithLoad, documents: Readonly<Record<string, () => Document>>) {
  const router = new Hono()
  router.get('/', (context) =>
    renderPage(context, sandbox, {
      title: 'API reference',
      path: '/docs',
      docs: true,
      body: docsBody(
        sandbox,
        Object.values(documents).map((document) => document()),
      ),
    }),
  )
  return router
}

function docsBody({ publicUrl }: SandboxWithLoad, documents: Document[]): Markup {
  const schemas: Schemas = Object.assign({}, ...documents.map(({ components }) => components?.schemas))
  const groups = documents.flatMap((document) => {
    const operations: Described[] = operationsOf(document)
    const origin = document.servers?.[0]?.url ?? ''
    return (document.tags ?? []).map((tag) => ({
      ...tag,
      origin,
      operations: operations.filter(({ operation }) => operation.tags?.includes(tag.name)),
    }))
  })
  const [delivery] = documents.flatMap(({ webhooks }) => operationsOf({ paths: webhooks ?? {} }))
  const [about] = documents
  return html`<h1>API reference</h1>
<p class="sub">${prose(about?.info.description ?? '')}</p>
<div class="card pad"><dl class="facts"><dt>Base address</dt><dd class="mono">${publicUrl}</dd>
<dt>Credentials</dt><dd>The raw API key in <code>Authorization</code>, without a Bearer prefix; user-scoped calls carry <code>service-session-id</code> or <code>user-uuid</code> as well (§5.1).</dd>
<dt>For clients</dt><dd>The service’s calls as OpenAPI <a href="/openapi.json">3.1</a> and <a href="/openapi-3.0.json">3.0</a></dd>
<dt>For tests</dt><dd>The sandbox’s controls as OpenAPI <a href="/openapi-controls.json">3.1</a> and <a href="/openapi-controls-3.0.json">3.0</a></dd></dl></div>
<div class="docs">
<div class="toc" role="navigation" aria-label="Operations">${groups.map(tocGroup)}
<h2><a href="#deliveries">Deliveries</a></h2><h2><a href="#refusals">Refusals</a></h2></div>
<div class="operations">${groups.map(
    (
      group,
    ) => html`<h2 id="${slug(group.name)}">${group.name}</h2><p class="sub">${prose(group.description ?? '')}</p>
${group.operations.map((described) => operationCard(described, group.origin, schemas))}`,
  )}
${delivery ? deliveryCard(delivery.operation, schemas) : ''}
${refusalList(schemas)}
${nameList(schemas)}</div></div>`
}

const slug = (name: string) => `group-${name}`.toLowerCase().replaceAll(' ', '-')

const tocGroup = (group: {
  name: string
  operations: Described[]
}) => html`<h2><a href="#${slug(group.name)}">${group.name}</a></h2>
<ul class="list">${group.operations.map(
  ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
)}</ul>`

/** The list shows a body's alternatives one after the other, and nested fields under their path. */
function fieldList(schema: Schema, schemas: Schemas): Markup {
  const { anyOf, oneOf } = resolve(schema, schemas)
  const alternatives = anyOf ?? oneOf
  if (alternatives)
    return html`${alternatives.map(
      (alternative, index) =>
        html`<p class="or">${index === 0 ? 'Either' : 'or'}${alternativeName(alternative, schemas)}</p>${alternativeLabel(alternative, schemas)}${fieldList(alternative, schemas)}`,
    )}`
  const fields = fieldsOf(schema, schemas)
  if (fields.length === 0) return html`<p class="muted">${typeLabel(schema, schemas)}</p>`
  return html`<dl class="fieldlist">${fields.map(
    ({ path, field, required }) =>
      html`<dt><code>${path}</code> <span class="muted">${typeLabel(field, schemas)}</span>${required ? '' : html` <span class="muted">· optional</span>`}</dt><dd>${prose(resolve(field, schemas).description ?? '')}</dd>`,
  )}</dl>`
}

const alternativeName = (alternative: Schema, schemas: Schemas) => {
  const title = titleOf(alternative, schemas)
  return title ? html` <b>${title}</b>` : ''
}

const alternativeLabel = (alternative: Schema, schemas: Schemas) => {
  const { description } = resolve(alternative, schemas)
  return description ? html`<p>${prose(description)}</p>` : ''
}

/** The label says which values a field takes: `string, uuid`, `list of EventType`, `integer, 1 to 7, or null`. */
function typeLabel(schema: Schema, schemas: Schemas): Markup {
  const resolved = resolve(schema, schemas)
  const name = schema.$ref?.split('/').at(-1)
  if (name && resolved.enum) return html`<a href="#${name}">${name}</a>`
  const alternatives = resolved.anyOf ?? resolved.oneOf
  if (alternatives)
    return html`${alternatives.map((alternative, index) => html`${index > 0 ? ' or ' : ''}${typeLabel(alternative, schemas)}`)}`
  if (resolved.items) return html`list of ${typeLabel(resolved.items, schemas)}`
  if (resolved.enum?.length === 1) return html`<code>${resolved.enum[0]}</code>`
  if (resolved.enum) return html`one of ${resolved.enum.join(', ')}`
  const types = typesOf(resolved)
  const plain = types.filter((type) => type !== 'null').join(' or ') || 'anything'
  const words = [plain, resolved.format, range(resolved), defaultLabel(resolved.default)]
    .filter(Boolean)
    .join(', ')
  return html`${words}${types.includes('null') ? ', or null' : ''}`
}

interface Field {
  readonly path: string
  readonly field: Schema
  readonly required: boolean
}

function fieldsOf(schema: Schema, schemas: Schemas, prefix = ''): Field[] {
  const resolved = resolve(schema, schemas)
  if (resolved.items) return fieldsOf(resolved.items, schemas, `${prefix}[]`)
  return Object.entries(resolved.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix ? `${prefix}.${name}` : name
    const required = resolved.required?.includes(name) ?? false
    return [{ path, field, required }, ...fieldsOf(field, schemas, path)]
  })
}

function range({ minimum, exclusiveMinimum, maximum, minLength, maxLength, minItems }: InlineSchema) {
  if (maxLength !== undefined)
    return `${minLength ? `${minLength} to` : 'at most'} ${maxLength.toLocaleString('en')} characters`
  if (minItems) return `at least ${minItems}`
  if (exclusiveMinimum !== undefined && maximum !== undefined)
    return `more than ${exclusiveMinimum}, at most ${maximum.toLocaleString('en')}`
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum.toLocaleString('en')}`
  return ''
}

const defaultLabel = (value: unknown) =>
  value === undefined || typeof value === 'object' ? '' : `otherwise ${value}`

const operationCard = ({ path, method, operation }: Described, origin: string, schemas: Schemas): Markup => {
  const curl = curlOf(origin, method, path, operation, schemas)
  return html`<section class="card pad op" id="${operation.operationId}" aria-labelledby="${operation.operationId}-title">
<h3 id="${operation.operationId}-title"><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="call"><span class="verb">${method.toUpperCase()}</span> <code>${path}</code></p>
<p>${prose(operation.description ?? '')}</p>
<h4>Credentials</h4><p>${credentialLabel(operation)}</p>
${parameterList(operation, schemas)}${bodyPart(operation, schemas)}
<h4>Answers</h4>${answerList(operation, schemas)}
<h4>Example</h4><div class="example"><pre tabindex="0" role="region" aria-label="Command: ${operation.summary}">${curl}</pre>${copyButton(curl, `command: ${operation.summary}`)}</div></section>`
}

function credentialLabel({ security = [], parameters = [] }: Operation): Markup {
  if (security.some((alternative) => Object.keys(alternative).length === 0))
    return html`None, or the key of a namespace; only this machine is answered.`
  const also = parameters.flatMap((parameter) =>
    'name' in parameter && parameter.in === 'header' ? [parameter.name] : [],
  )
  return html`API key${also.length > 0 ? html`, and ${also.map((header, index) => html`${index > 0 ? ' or ' : ''}<code>${header}</code>`)}` : ''}.`
}

function parameterList({ parameters = [] }: Operation, schemas: Schemas): Markup | '' {
  const shown = parameters.flatMap((parameter) => ('name' in parameter ? [parameter] : []))
  if (shown.length === 0) return ''
  return html`<h4>Parameters</h4><dl class="fieldlist">${shown.map(
    (parameter) =>
      html`<dt><code>${parameter.name}</code> <span class="muted">${parameter.in}, ${parameter.schema ? typeLabel(parameter.schema, schemas) : 'string'}</span>${parameter.required ? '' : html` <span class="muted">· optional</span>`}</dt><dd>${prose(parameter.description ?? '')}</dd>`,
  )}</dl>`
}

function bodyPart(operation: Operation, schemas: Schemas): Markup | '' {
  const schema = jsonBodyOf(operation)?.schema
  if (!schema) return ''
  const required =
    operation.requestBody && 'required' in operation.requestBody && operation.requestBody.required
  return html`<h4>Body${required ? '' : html` <span class="muted">· optional</span>`}</h4>${fieldList(schema, schemas)}`
}

/** The list shows a call's successful answers with their fields. The page explains refusals once for all calls. */
function answerList({ summary, responses = {} }: Operation, schemas: Schemas): Markup {
  const statuses = Object.keys(responses)
  const refused = statuses.filter((status) => status >= '400')
  return html`${statuses
    .filter((status) => status < '400')
    .map((status) => answerPart(`${status} to: ${summary}`, status, responses[status], schemas))}
<p class="refused"><span class="muted">Refused with</span> ${refused.map((status) => html`<a href="#refused-${status}">${status}</a> `)}</p>`
}

function answerPart(
  label: string,
  status: string,
  { description, content = {} }: DocumentedAnswer,
  schemas: Schemas,
): Markup {
  const [[type, media] = []] = Object.entries(content)
  const [example] = examplesIn(media ?? {})
  const said = html`${badge('done', status)} <span>${prose(description ?? '')}</span>`
  if (!media?.schema) return html`<p class="answer">${said} <span class="muted">· no body</span></p>`
  return html`<details class="answer"><summary>${said}<span class="muted small">${type}</span></summary>
<div>${fieldList(media.schema, schemas)}<pre tabindex="0" role="region" aria-label="Example of ${label}">${
    typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  }</pre></div></details>`
}

/** The card describes the call that the sandbox makes to the receiver (§5.5, §6). */
const deliveryCard = (operation: Operation, schemas: Schemas) => html`<h2 id="deliveries">Deliveries</h2>
<p class="sub">What the service sends to an endpoint.</p>
<section class="card pad op" id="${operation.operationId}" aria-labelledby="${operation.operationId}-title">
<h3 id="${operation.operationId}-title"><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="call"><span class="verb">POST</span> to the endpoint’s <code>url</code></p>
<p>${prose(operation.description ?? '')}</p>
${parameterList(operation, schemas)}${bodyPart(operation, schemas)}</section>`

const refusalList = (schemas: Schemas) => html`<h2 id="refusals">Refusals</h2>
<p class="sub">Every refusal has this body. A client should go by the status alone (§7).</p>
<section class="card pad op" aria-label="Refusals">${fieldList({ $ref: '#/components/schemas/Error' }, schemas)}
<h3 class="statuses">Statuses</h3><dl class="fieldlist">${Object.entries(refusedAnswers).map(
  ([status, [name, when]]) =>
    html`<dt id="refused-${status}"><code>${status}</code> ${name}</dt><dd>${prose(when)}</dd>`,
)}</dl></section>`

/** The list shows the closed sets that fields refer to by name. */
const nameList = (schemas: Schemas) =>
  Object.entries(schemas)
    .filter(([, schema]) => resolve(schema, schemas).enum)
    .map(
      ([
        name,
        schema,
      ]) => html`<h2 id="${name}">${name}</h2><p class="sub">${prose(schema.description ?? '')}</p>
<p class="card pad mono">${resolve(schema, schemas).enum?.join(', ')}</p>`,
    )

/** The command runs in a shell in which API_KEY and SESSION_ID are set. */
function curlOf(origin: string, method: string, path: string, operation: Operation, schemas: Schemas) {
  const [credentials = {}] = operation.security ?? []
  const [body] = examplesIn(jsonBodyOf(operation) ?? {})
  const lines = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} '${origin}${fill(path, operation, schemas)}'`,
    ...('apiKey' in credentials ? ['-H "Authorization: $API_KEY"'] : []),
    ...(takesSession(operation) ? ['-H "service-session-id: $SESSION_ID"'] : []),
    ...(body && Object.keys(body).length > 0
      ? [
          "-H 'Content-Type: application/json'",
          `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
        ]
      : []),
  ]
  return lines.join(' \\\n  ')
}

const takesSession = ({ parameters = [] }: Operation) =>
  parameters.some((parameter) => 'name' in parameter && parameter.name === 'service-session-id')

const fill = (path: string, { parameters = [] }: Operation, schemas: Schemas) =>
  path.replaceAll(/\{(\w+)\}/g, (whole, name) => {
    const parameter = parameters.find((known) => 'name' in known && known.name === name)
    return parameter && 'schema' in parameter && parameter.schema
      ? String(exampleOf(parameter.schema, schemas))
      : whole
  })
