import 'server-only'
import crypto from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type * as openTelemetry from '@opentelemetry/api'
import type { Attributes, Span } from '@opentelemetry/api'
import { statementText } from './db/statements.ts'
import { readTracing } from './env.ts'
import { isTrustedProxy } from './http/find-address.ts'

// OpenTelemetry traces, for an installation that sets `OTEL_EXPORTER_OTLP_ENDPOINT`. Otherwise nothing is loaded and no span
// is made. Decision 0159.

/** The server and Next's bundle share this. It is missing without tracing. */
declare global {
  var rampartTracing: typeof openTelemetry | undefined
}

/**
 * `startTracing` sends the spans of this process to the collector, by OTLP over HTTP with JSON. The standard variables `OTEL_…`
 * say where, how many, and under which name. Throws a `ConfigurationError` for wrong ones.
 * @param program the program that runs in this process, for example `server`
 */
export async function startTracing(program: string): Promise<void> {
  const settings = readTracing()
  if (settings === null) return
  const { sendSpans } = await import('./send-spans.ts')
  sendSpans(program, settings)
  globalThis.rampartTracing = await import('@opentelemetry/api')
}

/** These addresses are asked all the time, or for hours. */
const untraced = /^\/(healthz|readyz|metrics|api\/live|_next\/)/

/** The work belongs to the span of the request, which ends with the answer. A span says no id and nothing that was typed. */
export function traceRequest<Result>(
  request: IncomingMessage,
  response: ServerResponse,
  work: () => Result,
): Result {
  const route = (request.url ?? '').split('?', 1)[0] ?? ''
  const api = globalThis.rampartTracing
  if (!api || untraced.test(route)) return work()
  const { context, propagation, SpanKind, SpanStatusCode, trace } = api
  const template = route.startsWith('/go/') ? '/go/{text}' : route.replaceAll(someId, '{id}').slice(0, 200)
  const from = propagation.extract(context.active(), request.headers)
  const span = tracerOf(api).startSpan(
    `${request.method} ${template}`,
    {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': request.method ?? '', 'http.route': template },
    },
    from,
  )
  response.once('close', () => {
    span.setAttribute('http.response.status_code', response.statusCode)
    if (!response.writableFinished) span.setAttribute('rampart.answer', 'cut off')
    if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  })
  return context.with(trace.setSpan(from, span), work)
}

/** The logs have the same id. */
export const noteRequestId = (id: string) =>
  globalThis.rampartTracing?.trace.getActiveSpan()?.setAttribute('rampart.request.id', id)

/** Ids in a path are UUIDs, or the texts of codes and links. */
const someId = /(?<=\/)[^/]*\d[^/]*(?=\/|$)/g

/** A span of work that takes time: a call, or a batch. Without tracing only the work is done. */
export async function traceWork<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
  kind: 'internal' | 'client' = 'internal',
): Promise<Result> {
  const api = globalThis.rampartTracing
  if (!api) return work()
  const { context, SpanKind, trace } = api
  const span = tracerOf(api).startSpan(name, {
    kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    attributes,
  })
  try {
    return await context.with(trace.setSpan(context.active(), span), work)
  } catch (error) {
    fail(api, span, error)
    throw error
  } finally {
    span.end()
  }
}

/**
 * A statement within a span gets a span of its own; null outside of one. Its text has no values: statements take them as
 * parameters.
 */
export function beginStatement(statement: unknown): { readonly end: (error?: unknown) => void } | null {
  const api = globalThis.rampartTracing
  if (api?.trace.getActiveSpan()?.isRecording() !== true) return null
  const text = statementText(statement).trim()
  const operation = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'statement'
  const span = tracerOf(api).startSpan(operation, {
    kind: api.SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.text': text.slice(0, 2_000),
    },
  })
  return {
    end(error) {
      if (error) fail(api, span, error)
      span.end()
    },
  }
}

/** The message of an error may hold what a person typed, so the span names only its kind. */
function fail({ SpanStatusCode }: typeof openTelemetry, span: Span, error: unknown) {
  const kind = error instanceof Error ? error.name : 'unknown'
  span.setAttribute('error.type', kind)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const tracerOf = ({ trace }: typeof openTelemetry) => trace.getTracer('rampart')

/** The log would hide a text of 43 characters as one of our tokens. */
const wellFormed = /^[A-Za-z0-9][\w.-]{7,39}$/

/**
 * The request keeps the id that a proxy of `TRUSTED_PROXIES` gave it, so that the logs of both tell of the same request. Any
 * other caller could give one id to many requests, so its request gets a new one.
 */
export function requestIdOf({
  socket,
  headers,
}: Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined }
}): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && wellFormed.test(given) && isTrustedProxy(socket.remoteAddress)
    ? given
    : crypto.randomUUID()
}
