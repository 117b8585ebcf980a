import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startChild } from './child.ts'
import { keepLogSmall } from './keep-log-small.ts'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-logs-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true }))

const read = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8')

test('a log that is large becomes the older one, and a small one stays', () => {
  for (const name of ['server.log', 'server.log.1', 'few'])
    fs.writeFileSync(path.join(folder, name), name.padEnd(name === 'few' ? 0 : 5))
  for (const name of ['server.log', 'few', 'none'])
    keepLogSmall(path.join(folder, name), { largest: 5, every: 10_000 })()
  expect(['server.log', 'server.log.1', 'few'].map(read)).toEqual(['', 'server.log', 'few'])
  expect(fs.readdirSync(folder)).toHaveLength(3)
})

/**
 * The program writes 20,000 lines while its log is rotated every millisecond, keeps what was rotated, and then dies of an
 * error.
 */
const writer = (file: string, all: string) => `
  import fs from 'node:fs'
  import { createLog } from '${path.resolve('lib/platform/log/create-log.ts')}'
  import { keepLogSmall } from '${path.resolve('bin/keep-log-small.ts')}'
  const log = createLog({ level: 'info' })
  const older = '${file}.1'
  let rotations = 0
  keepLogSmall('${file}', { largest: 50_000, every: 1 })
  const keep = () => {
    if (!fs.existsSync(older)) return
    rotations++
    fs.appendFileSync('${all}', fs.readFileSync(older))
    fs.rmSync(older)
  }
  let n = 0
  const write = () => {
    keep()
    for (let some = 0; some < 20; some++) log.info({ n: n++ }, 'A line')
    if (n < 20_000) setImmediate(write)
    else throw new Error('the end after ' + (rotations > 5) )
  }
  write()`

test('no line is lost while a program writes and its log is rotated, nor the trace of its crash', async () => {
  const [file, all] = [path.join(folder, 'writer.log'), path.join(folder, 'all')]
  const program = path.join(folder, 'writer.mjs')
  fs.writeFileSync(program, writer(file, all))
  const output = fs.openSync(file, 'a', 0o600)
  const child = spawn(process.execPath, [program], { stdio: ['ignore', output, output] })
  fs.closeSync(output)
  await once(child, 'exit')
  const text = read('all') + (fs.existsSync(`${file}.1`) ? read('writer.log.1') : '') + read('writer.log')
  const numbers = [...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n))
  expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, n) => n))
  expect(text).toContain('the end after true')
})

test('a program that we start keeps its own log small, and does not let what it starts do so', async () => {
  const program = path.join(folder, 'program.mjs')
  fs.writeFileSync(
    program,
    `process.on('disconnect', () => process.exit())
     process.send({ kind: process.env.RAMPART_OWN_LOG === undefined ? 'ready' : 'failed', line: 'It would.' })`,
  )
  fs.writeFileSync(path.join(folder, 'program.log'), 'of before')
  fs.truncateSync(path.join(folder, 'program.log'), 21_000_000)
  const child = await startChild('program', program, { variables: {}, logs: folder })
  await child.stop()
  expect(read('program.log')).toBe('')
  expect(read('program.log.1').slice(0, 9)).toBe('of before')
})
