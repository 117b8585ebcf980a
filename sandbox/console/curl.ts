import { examplesIn, jsonBodyOf, type Operation, type Schemas } from '../http/document.ts'
import { exampleOf } from '../http/example.ts'

/** The call as a command for a shell in which API_KEY and SESSION_ID are set. */
export function curlOf(origin: string, method: string, path: string, operation: Operation, schemas: Schemas) {
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
