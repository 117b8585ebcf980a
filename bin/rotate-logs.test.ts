import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rotateLogs } from './rotate-logs.ts'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-logs-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true }))

const read = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8')

test('a log that is large becomes the older one, and others stay', () => {
  for (const name of ['server.log', 'server.log.1', 'next.txt'])
    fs.writeFileSync(path.join(folder, name), name)
  fs.writeFileSync(path.join(folder, 'projector.log'), 'few')
  rotateLogs(folder, 5)
  expect(['server.log', 'server.log.1', 'next.txt', 'projector.log'].map(read)).toEqual([
    '',
    'server.log',
    'next.txt',
    'few',
  ])
})

test('a program that goes on writing keeps its log, and its lines come one after the other in whole', async () => {
  const file = path.join(folder, 'writer.log')
  const output = fs.openSync(file, 'a', 0o600)
  const program = `
    const { writeSync } = require('node:fs')
    const line = (n) => writeSync(1, JSON.stringify({ n, text: 'x'.repeat(60) }) + '\\n')
    for (let n = 0; n < 40_000; n++) line(n)
    setTimeout(line, 200, 40_000)`
  const writer = spawn(process.execPath, ['-e', program], { stdio: ['ignore', output, 'inherit'] })
  fs.closeSync(output)
  const gone = once(writer, 'exit')
  let ended = false
  void gone.then(() => {
    ended = true
  })
  const largest: number[] = []
  while (!ended) {
    largest.push(fs.statSync(file).size)
    rotateLogs(folder, 200_000)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await gone
  const lines = [...read('writer.log.1').split('\n'), ...read('writer.log').split('\n')].filter(Boolean)
  const numbers = lines.map((line) => Number(JSON.parse(line).n))
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect(numbers.at(-1)).toBe(40_000)
  expect(numbers.length).toBeLessThan(40_000)
  expect(largest.length).toBeGreaterThan(1)
})
