import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findServerCode } from './find-server-code.ts'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-browser-files-'))
  fs.mkdirSync(path.join(folder, 'chunks'))
})
afterEach(() => fs.rmSync(folder, { recursive: true }))

const write = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text)

test('names each file with a word of server code, however deep it lies', () => {
  write('chunks/page.js', 'fetch("/api/search")')
  write('chunks/session.js', 'headers["service-session-id"]=s')
  write('page.js.map', 'process.env.DATABASE_URL')
  expect(findServerCode(folder).toSorted()).toEqual([
    `${path.join(folder, 'chunks/session.js')}: service-session-id`,
    `${path.join(folder, 'page.js.map')}: DATABASE_URL`,
  ])
})

test('does not take a folder without scripts for a clean one', () => {
  write('chunks/page.css', 'main{}')
  expect(() => findServerCode(folder)).toThrow('holds no script')
})
