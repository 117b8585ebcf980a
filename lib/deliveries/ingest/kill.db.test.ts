import { type ChildProcess, fork } from 'node:child_process'
import crypto from 'node:crypto'
import http from 'node:http'
import path from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'

const root = path.join(import.meta.dirname, '../../..')
let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

async function startProcess(): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(path.join(root, 'test/ingest-process.ts'), [database.url], {
    execArgv: ['--import', path.join(root, 'bin/hooks.mjs')],
    cwd: root,
  })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)))
    child.once('exit', (code) => reject(new Error(`exit ${code}`)))
  })
  return { child, port }
}

test('nothing that was answered 2xx is missing after a kill -9, twice under load', async () => {
  const { id, authorization } = await addReceiver(pool)
  const ledger = new Set<string>()
  for (const answers of [30, 120]) {
    const { child, port } = await startProcess()
    const before = ledger.size
    const agent = new http.Agent({ keepAlive: true })
    const exited = new Promise((resolve) => child.once('exit', resolve))
    let dead = false
    const send = async () => {
      while (!dead) {
        const mark = crypto.randomUUID()
        const status = await new Promise<number>((resolve) => {
          const request = http.request(
            { port, agent, path: `/api/webhooks/${id}`, method: 'POST', headers: { authorization } },
            (response) => {
              response.resume()
              resolve(response.statusCode ?? 0)
            },
          )
          request.on('error', () => resolve(0))
          request.end(JSON.stringify({ type: 'KYC', uuid: mark }))
        })
        if (status === 200) ledger.add(mark)
      }
    }
    const senders = Array.from({ length: 20 }, send)
    await expect.poll(() => ledger.size - before, { interval: 5, timeout: 20_000 }).toBeGreaterThan(answers)
    child.kill('SIGKILL')
    await exited
    dead = true
    agent.destroy()
    await Promise.all(senders)
  }
  const { rows } = await pool.query<{ mark: string }>(
    `SELECT convert_from(body, 'UTF8')::json->>'uuid' AS mark FROM delivery`,
  )
  const stored = new Set(rows.map(({ mark }) => mark))
  expect([...ledger].filter((mark) => !stored.has(mark))).toEqual([])
  expect(rows.length).toBe(stored.size)
})
