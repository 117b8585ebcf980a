import { expect, it } from 'vitest'
import type { LinkedFound } from '#lib/search/search.ts'
import { nothingFound } from '../../../test/nothing-found.ts'
import { paletteStatus } from './palette.tsx'

const said = (found: Partial<LinkedFound>) =>
  paletteStatus('ana', {
    state: 'found',
    explanation: 'Name',
    failure: null,
    found: { ...nothingFound, ...found },
  })

const line = {
  text: '',
  explanation: '',
  answer: 'none',
  subject: null,
  why: null,
  person: null,
  count: 0,
  near: null,
  nearNotSearched: false,
} as const

it('counts the answers to a paste, and links to them', () => {
  expect(said({ lines: [line, line] })).toBe('Name · 0 found, Enter shows each')
})

it('counts people and endpoints when nothing else matches', () => {
  const why = { field: 'name', text: 'Ana', marks: [] } as const
  const person = { userUuid: '3046967a', email: null, name: 'Ana', customerNumber: null, why }
  expect(said({ people: [person] })).toBe('Name · one person')
  expect(said({ endpoints: [{ endpointUuid: '1', name: 'Main', status: 'active' }] })).toBe(
    'Name · one endpoint',
  )
})

it('says why the search failed, and how long to wait', () => {
  const failure = 'That is more than one person may ask for. Wait 90 seconds, then try again.'
  expect(paletteStatus('ana', { state: 'failed', explanation: 'Name', failure, found: null })).toBe(
    `Name · the search failed. ${failure}`,
  )
})

it('says that nothing was found', () => {
  expect(said({})).toBe('Name · nothing found')
})
