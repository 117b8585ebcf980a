import { expect, it } from 'vitest'
import { reasonSort } from './visibility.ts'

it.each([
  'overview.mute',
  'read.field',
  'read.body',
  'user.erase',
  'user.export',
  'session.end',
  'note.add',
  'unheard.of',
])('the reason of %s may speak of a customer', (action) => expect(reasonSort(action)).toBe('free-text'))

it.each([
  'endpoint.delete',
  'member.role',
  'settings.change',
  'gap.close',
  'replay.start',
  'transactions.export',
  'accounts.export',
  'companies.export',
  'alert.export',
])('the reason of %s speaks of what is the merchant’s own', (action) =>
  expect(reasonSort(action)).toBe('staff'),
)
