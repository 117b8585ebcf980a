import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDataDirectory } from './data-directory.ts'

let parent: string
let folder: string
let warnings: string[]
beforeEach(() => {
  parent = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-data-'))
  folder = path.join(parent, 'data')
  warnings = []
})
afterEach(() => fs.rmSync(parent, { recursive: true }))

const open = (withPostgres = true) =>
  openDataDirectory(folder, { withPostgres, warn: (line) => warnings.push(line) })

const modeOf = (place: string) => (fs.statSync(place).mode & 0o7777).toString(8)

function make(mode: number) {
  fs.mkdirSync(folder)
  fs.chmodSync(folder, mode)
}

test('a folder that is made is private, and keeps its secrets', () => {
  const first = open()
  first.close()
  expect(modeOf(folder)).toBe('700')
  expect(modeOf(path.join(folder, 'secrets.json'))).toBe('600')
  const second = open()
  expect(second.secrets).toEqual(first.secrets)
  second.close()
  expect(fs.readdirSync(folder).sort()).toEqual(['logs', 'secrets.json'])
  expect(warnings).toEqual([])
})

test('a password that somebody empties is made anew, and no other secret is', () => {
  const first = open()
  first.close()
  const file = path.join(folder, 'secrets.json')
  const emptied = { ownerPassword: '', applicationPassword: '', sandboxPassword: '' }
  fs.writeFileSync(file, JSON.stringify({ ...first.secrets, ...emptied }))
  const second = open()
  second.close()
  const passwords = Object.keys(emptied)
  for (const [name, value] of Object.entries(second.secrets)) {
    expect(value).not.toBe('')
    expect(Object.entries(first.secrets).some(([, before]) => before === value)).toBe(
      !passwords.includes(name),
    )
  }
})

test.each([0o1777, 0o755])(
  'a folder that was there keeps its mode %o, and what is put there is private',
  (mode) => {
    make(mode)
    open().close()
    expect(modeOf(folder)).toBe(mode.toString(8))
    expect(modeOf(path.join(folder, 'secrets.json'))).toBe('600')
    expect(modeOf(path.join(folder, 'logs'))).toBe('700')
    expect(warnings).toEqual([])
  },
)

test('a folder where others can remove the secrets keeps its mode, and is named', () => {
  make(0o777)
  open().close()
  expect(modeOf(folder)).toBe('777')
  expect(warnings).toEqual([
    `Other users can write to ${folder} (mode 777) and so remove what Rampart keeps there. Take that from them: chmod go-w ${folder}`,
  ])
})

test.each([
  ['logs/server.log', 'logs holds "server.log", which Rampart did not put there'],
  ['postgres/dumps/dump.sql', 'postgres holds "dumps", which Rampart did not put there'],
  ['postgres/PG_VERSION', 'secrets.json is missing, without which the database in'],
  ['secrets.json', `secrets.json does not hold Rampart's secrets`],
  ['rampart.pid', `rampart.pid is not Rampart's`],
])('%s of somebody else is left alone before anything is written', (name, words) => {
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, 'theirs')
  const before = fs.readdirSync(folder)
  expect(() => open()).toThrow(words)
  expect(fs.readdirSync(folder)).toEqual(before)
  expect(fs.readFileSync(file, 'utf8')).toBe('theirs')
})

test('a folder named postgres is nobody’s business where the database is elsewhere', () => {
  fs.mkdirSync(path.join(folder, 'postgres', 'dumps'), { recursive: true })
  open(false).close()
})

test('a folder that cannot be made, or is a file, is named in one line', () => {
  folder = '/proc/rampart/data'
  expect(() => open()).toThrow(
    /^Rampart cannot work in RAMPART_DATA_DIR=\/proc\/rampart\/data: ENOENT: .*\. Put that right, or/,
  )
  folder = path.join(parent, 'file')
  fs.writeFileSync(folder, '')
  expect(() => open()).toThrow(`RAMPART_DATA_DIR=${folder} is a file. Give a folder`)
  folder = path.join(parent, 'file', 'below')
  expect(() => open()).toThrow(
    /^Rampart cannot work in RAMPART_DATA_DIR=.*: ENOTDIR: .*\. Put that right, or/,
  )
})
