import type { LinkedFound } from '#lib/search/search.ts'

/** What a search answers that found nothing. */
export const nothingFound: LinkedFound = {
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
