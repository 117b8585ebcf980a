import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startPostgres } from './postgres.ts'

test('a first start that was killed while creating the cluster is repaired by the next', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-postgres-'))
  fs.chmodSync(folder, 0o711)
  const dataDir = path.join(folder, 'postgres')
  fs.mkdirSync(path.join(dataDir, 'base'), { recursive: true })
  fs.writeFileSync(path.join(dataDir, 'PG_VERSION'), '18\n')
  fs.writeFileSync(`${dataDir}.unfinished`, '')
  const options = { dataDir, password: 'test', logFile: path.join(folder, 'postgres.log') }
  const first = await startPostgres(options)
  const client = new pg.Client({ connectionString: first.url('postgres') })
  await client.connect()
  await client.query('CREATE DATABASE kept')
  await client.end()
  await first.stop()

  const second = await startPostgres(options)
  const again = new pg.Client({ connectionString: second.url('kept') })
  await again.connect()
  expect((await again.query('SELECT current_database() AS name')).rows).toEqual([{ name: 'kept' }])
  await again.end()
  await second.stop()
  fs.rmSync(folder, { recursive: true })
})
