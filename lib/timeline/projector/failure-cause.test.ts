import pg from 'pg'
import { expect, test } from 'vitest'
import { OutcomeUnknown } from '#lib/platform/db/in-transaction.ts'
import { failureCause, LeaseLost, TimeLimitReached } from './write-changes.ts'

const ofSystem = (code: string) => Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code })

test.each([
  new LeaseLost('Another projector has taken over'),
  new OutcomeUnknown(new Error('Connection terminated unexpectedly')),
  // node-postgres uses this message.
  new Error('Connection terminated'),
  new Error('Connection terminated unexpectedly'),
  new Error('Connection terminated due to connection timeout'),
  new Error('Client has encountered a connection error and is not queryable'),
  new Error('Client was closed and is not queryable'),
  new Error('timeout exceeded when trying to connect'),
  new Error('timeout expired'),
  new Error('SASL: SCRAM-SERVER-FINAL-MESSAGE: server signature is missing'),
  new Error('There was an error establishing an SSL connection'),
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'ENOTFOUND', 'EMFILE'].map(ofSystem),
  Object.assign(new AggregateError([ofSystem('ECONNREFUSED')], ''), { code: 'ECONNREFUSED' }),
  ofSystem('CERT_HAS_EXPIRED'),
  ofSystem('ERR_STREAM_DESTROYED'),
])('is the fault of the machine: %s', (error) => expect(failureCause(error)).toBe('machine'))

test.each([
  new TimeLimitReached('A statement was not done within 12 s'),
  // node-postgres uses this message.
  new Error('Query read timeout'),
])('was too slow: %s', (error) => expect(failureCause(error)).toBe('time-limit'))

test.each([
  new Error('No envelope is kept for event 1'),
  new TypeError("Cannot read properties of undefined (reading 'a')"),
  new RangeError('Invalid string length'),
  new RangeError('Maximum call stack size exceeded'),
  Object.assign(new Error('Cannot create a string longer than 0x1fffffe8'), { code: 'ERR_STRING_TOO_LONG' }),
  'a string that was thrown',
  undefined,
])('is the fault of the delivery: %s', (error) => expect(failureCause(error)).toBe('delivery'))

const said = (code: string | undefined, fields: Partial<pg.DatabaseError> = {}) =>
  Object.assign(new pg.DatabaseError('Max client connections reached', 1, 'error'), { code, ...fields })

test.each([
  ['a pooler', said('XX000'), 'others'],
  ['a pooler that ends the connection', said('XX000', { severity: 'FATAL' }), 'others'],
  ['one without a code', said(undefined), 'others'],
  ['one of a connection', said('08P01'), 'machine'],
  ['PostgreSQL itself', said('XX000', { file: 'relcache.c' }), 'delivery'],
  ['PostgreSQL of an index', said('XX002', { file: 'nbtpage.c' }), 'delivery'],
] as const)(
  'an internal error of %s is no fault of a delivery but where PostgreSQL read it',
  (_who, error, cause) => expect(failureCause(error)).toBe(cause),
)

test.each([
  ['08006', 'connection failure', 'machine'],
  ['0A000', 'a plan that no longer fits, while tables change', 'machine'],
  ['25006', 'reads only, after a change of the leader', 'machine'],
  ['25P03', 'stood still too long', 'time-limit'],
  ['28P01', 'password changed', 'machine'],
  ['3D000', 'no such database', 'machine'],
  ['42501', 'may not write', 'machine'],
  ['42703', 'no such column, while a newer version is installed', 'machine'],
  ['42P01', 'no such table, while a newer version is installed', 'machine'],
  ['53000', 'no resources', 'machine'],
  ['53100', 'disk full', 'machine'],
  ['53200', 'out of memory', 'machine'],
  ['53300', 'too many connections', 'machine'],
  ['57P01', 'shut down by an admin', 'machine'],
  ['57P02', 'shut down by a crash', 'machine'],
  ['57P03', 'not up yet', 'machine'],
  ['57P04', 'database dropped', 'machine'],
  ['57P05', 'session idle too long', 'machine'],
  ['58000', 'system error', 'machine'],
  ['58030', 'the disk does not answer', 'machine'],
  ['40001', 'cannot be serialised', 'others'],
  ['40P01', 'deadlock', 'others'],
  ['55P03', 'a lock not given in time', 'others'],
  ['57014', 'cancelled, or too slow for the database', 'others'],
  ['21000', 'one row twice', 'delivery'],
  ['22P02', 'no such text for a type', 'delivery'],
  ['22003', 'a number out of range', 'delivery'],
  ['22021', 'a character that cannot be kept', 'delivery'],
  ['23502', 'a value is missing', 'delivery'],
  ['23505', 'not unique', 'delivery'],
  ['54000', 'too large for an index', 'delivery'],
  ['54001', 'too deep', 'delivery'],
  ['P0001', 'raised', 'delivery'],
  ['XX000', 'internal', 'delivery'],
  ['XX002', 'an index that is damaged', 'delivery'],
] as const)('PostgreSQL’s %s (%s) is the fault of: %s', (code, _what, cause) =>
  expect(failureCause(said(code, { file: 'pl_exec.c' }))).toBe(cause),
)
