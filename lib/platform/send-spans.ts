import 'server-only'
import { type Attributes, context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import type { readTracing } from './env.ts'
import { limitedLog } from './log/limited.ts'
import { logOf } from './log.ts'
import { release } from './release.ts'

const limited = limitedLog(logOf('tracing'), 600_000)

/** A collector must answer within this many milliseconds. Spans that it did not take are lost; requests never wait for it. */
const patienceMs = 10_000

type TracingSettings = NonNullable<ReturnType<typeof readTracing>>

/** `sendSpans` keeps the spans of this process for some seconds and sends them in batches. The address is without `/v1/traces`. */
export function sendSpans(program: string, { endpoint, headers, name }: TracingSettings): void {
  const { version, commit } = release()
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': name,
      'service.version': version,
      'service.instance.id': `${program}-${process.pid}`,
      ...(commit === null ? {} : { 'vcs.ref.head.revision': commit }),
    }),
    spanProcessors: [new BatchSpanProcessor(new OtlpExporter(endpoint, headers))],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
}

/**
 * `OtlpExporter` sends spans by OTLP/HTTP with JSON. The exporter of OpenTelemetry would bring 10 MB of metrics and logs, and
 * the installed packages would exceed their limit.
 */
class OtlpExporter implements SpanExporter {
  readonly #address: string
  readonly #headers: Record<string, string>

  constructor(endpoint: string, headers: Readonly<Record<string, string>>) {
    this.#address = `${endpoint.replace(/\/$/, '')}/v1/traces`
    this.#headers = { ...headers, 'content-type': 'application/json' }
  }

  export(spans: ReadableSpan[], done: (result: { code: ExportResultCode }) => void): void {
    this.#send(spans).then(
      () => done({ code: ExportResultCode.SUCCESS }),
      (error: unknown) => {
        limited.warn('not-taken', { err: error, spans: spans.length }, 'The collector did not take spans')
        done({ code: ExportResultCode.FAILED })
      },
    )
  }

  async #send(spans: readonly ReadableSpan[]): Promise<void> {
    const [first] = spans
    const resource = { attributes: listOf(first?.resource.attributes ?? {}) }
    const scopeSpans = [...Map.groupBy(spans, (span) => span.instrumentationScope.name)].map(
      ([name, group]) => ({
        scope: { name },
        spans: group.map(toOtlp),
      }),
    )
    const answer = await fetch(this.#address, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
      signal: AbortSignal.timeout(patienceMs),
      redirect: 'error',
    })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`The collector answered ${answer.status}`)
  }

  async shutdown(): Promise<void> {}
}

/** OTLP counts kinds from 1, and has times as texts, since they exceed the numbers of JSON. */
const toOtlp = (span: ReadableSpan) => ({
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  ...(span.parentSpanContext ? { parentSpanId: span.parentSpanContext.spanId } : {}),
  name: span.name,
  kind: span.kind + 1,
  startTimeUnixNano: nanoseconds(span.startTime),
  endTimeUnixNano: nanoseconds(span.endTime),
  attributes: listOf(span.attributes),
  status: span.status,
})

const nanoseconds = ([seconds, more]: ReadableSpan['startTime']) =>
  `${BigInt(seconds) * 1_000_000_000n + BigInt(more)}`

const listOf = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: toValue(value) }],
  )

function toValue(value: NonNullable<Attributes[string]>): object {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { stringValue: String(value) }
}
