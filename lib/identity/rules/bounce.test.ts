import { expect, it } from 'vitest'
import { bouncedAt } from './bounce.ts'

const received = new Date('2026-02-01T12:00:00.000Z')
const bodyOf = (timestamp: unknown) => new TextEncoder().encode(JSON.stringify({ data: { timestamp } }))

it.each<[string, Uint8Array | null, string]>([
  ['the time that the event gives', bodyOf('2026-02-01T09:00:00Z'), '2026-02-01T09:00:00.000Z'],
  ['that time in its zone', bodyOf('2026-02-01T11:00:00.5+02:00'), '2026-02-01T09:00:00.500Z'],
  ['its receipt, when the given time has no zone', bodyOf('2026-02-01T09:00:00'), received.toISOString()],
  ['its receipt, when the given time is later', bodyOf('2026-02-02T09:00:00Z'), received.toISOString()],
  ['its receipt, when the given time is none', bodyOf('T-Z'), received.toISOString()],
  ['its receipt, when the given time is a number', bodyOf(1), received.toISOString()],
  ['its receipt, when nothing can be read', new Uint8Array(), received.toISOString()],
  ['its receipt, when the body is gone', null, received.toISOString()],
])('a mail bounced at %s', (_, body, at) => {
  expect(bouncedAt(body, received).toISOString()).toBe(at)
})
