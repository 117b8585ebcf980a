import { expect, it } from 'vitest'
import { judgeArchive } from './database-checks.ts'

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const year = 365 * 24

it.each([
  ['is none while archive_mode is off, whatever was archived before', { archives: false, waits: false }, []],
  ['is none while nothing was ever archived', { archived: null }, []],
  ['is well', { archived: hoursAgo(1) }, ['ok']],
  ['is well while a file of the last hours waits', { archived: hoursAgo(24) }, ['ok']],
  ['is behind when a file has waited for more than a day', { archived: hoursAgo(26) }, ['warning']],
  ['is behind after a year', {}, ['warning']],
  ['is well in a quiet database, whose file is not full yet', { waits: false }, ['ok']],
  ['has failed since', { failed: hoursAgo(1) }, ['failure']],
  ['has recovered', { archived: hoursAgo(1), failed: hoursAgo(2) }, ['ok']],
])('an archive %s', (_, given, states) => {
  const found = judgeArchive({
    archives: true,
    archived: hoursAgo(year),
    failed: null,
    waits: true,
    ...given,
  })
  expect(found.map(({ state }) => state)).toEqual(states)
})
