import { expect, it } from 'vitest'
import type { LinkedFound } from '#lib/search/search.ts'
import { paletteStatus } from './palette-status.ts'

const nothing: LinkedFound = {
  explanation: '',
  people: [],
  endpoints: [],
  named: [],
  rows: [],
  why: {},
  exact: null,
  next: null,
  total: null,
  cut: false,
  near: [],
  absence: null,
  text: 'ana',
  link: null,
  lines: null,
}

const said = (found: Partial<LinkedFound>) =>
  paletteStatus('ana', { state: 'found', explanation: 'Name', found: { ...nothing, ...found } })

const line = {
  text: '',
  explanation: '',
  answer: 'none',
  subject: null,
  why: null,
  person: null,
  count: 0,
  near: null,
} as const

it('counts the answers to what was pasted, and leads to them', () => {
  expect(said({ lines: [line, line] })).toBe('Name · 0 found, ↵ shows each')
})

it('says that nothing was found', () => {
  expect(said({})).toBe('Name · nothing found')
})
