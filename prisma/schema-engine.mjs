#!/usr/bin/env node
// Stands in for Prisma's native `schema-engine` where that binary cannot be downloaded: answers the
// same JSON-RPC on stdin and stdout by the WebAssembly build of the same engine.
import fs from 'node:fs'
import readline from 'node:readline'
import { fileURLToPath } from 'node:url'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import * as wasm from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'

const words = process.argv.slice(2)
const all = (name) => words.flatMap((word, i) => (word === name ? [words[i + 1]] : []))
const datasource = JSON.parse(all('--datasource')[0] ?? '{}')
const url = datasource.url ?? process.env.DATABASE_URL

if (words.includes('--version')) console.log('schema-engine-cli wasm')
else await serve()

async function serve() {
  let engine
  const reply = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line || '{}')
    if (!method) continue // the answer to our own `print`
    try {
      engine ??= await startEngine()
      if (method === 'getDatabaseVersion') reply({ id, result: await engine.version(null) })
      else if (method === 'diff') {
        const { stdout, exitCode } = await engine.diff(params)
        if (stdout != null) reply({ id: 1_000_000, method: 'print', params: { content: stdout } })
        reply({ id, result: { exitCode, stdout: null } })
      } else reply({ id, result: (await engine[method](params)) ?? {} })
    } catch (error) {
      const { message, code, meta } = error
      reply({
        id,
        error: { code: 4466, message, data: { is_panic: false, message, error_code: code, meta } },
      })
    }
  }
  process.exit(0)
}

async function startEngine() {
  const file = new URL(
    './schema_engine_bg.wasm',
    import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'),
  )
  const imports = { './schema_engine_bg.js': wasm }
  const { instance } = await WebAssembly.instantiate(fs.readFileSync(fileURLToPath(file)), imports)
  wasm.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => process.stderr.write(`${message}\n`) }
  const datamodels = all('--datamodels').map((name) => [name, fs.readFileSync(name, 'utf8')])
  const options = datamodels.length > 0 ? { datamodels } : {} // an empty list makes it panic
  return wasm.SchemaEngine.new(options, () => {}, bindMigrationAwareSqlAdapterFactory(await adapter()))
}

async function adapter() {
  if (!url) throw new Error('DATABASE_URL is required: a PostgreSQL to compare the schema with')
  const { hostname, port, username, password, pathname } = new URL(url)
  // Separate fields: with a connection string, node-postgres would ignore the shadow database's name.
  const config = {
    host: hostname,
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
  }
  const factory = new PrismaPg(config)
  await teachCharType(factory)
  factory.connectToShadowDb = () => shadowDatabase(config)
  return factory
}

/** The adapter cannot type the catalogue's "char" columns (OID 18): call them characters (OID 1042). */
async function teachCharType(factory) {
  const connection = await factory.connect()
  let prototype = connection
  while (!Object.hasOwn(prototype, 'queryRaw')) prototype = Object.getPrototypeOf(prototype)
  const { queryRaw } = prototype
  prototype.queryRaw = async function (query) {
    const result = await this.performIO(query)
    const chars = (result?.fields ?? []).flatMap((field, i) => (field.dataTypeID === 18 ? [i] : []))
    for (const i of chars) result.fields[i].dataTypeID = 1042
    const rows = await queryRaw.call(Object.create(this, { performIO: { value: async () => result } }), query)
    for (const i of chars) rows.columnTypes[i] = ColumnTypeEnum.Character
    return rows
  }
  // A script goes to PostgreSQL whole: the adapter would cut a function's body at its semicolons.
  Object.getPrototypeOf(connection).executeScript = async function (script) {
    await this.client.query(script)
  }
  await connection.dispose()
}

/** The adapter's own drops the database while its pool is still open, which hangs. */
async function shadowDatabase(config) {
  const name = `prisma_migrate_shadow_db_${crypto.randomUUID()}`
  const admin = new pg.Client(config)
  await admin.connect()
  await admin.query(`CREATE DATABASE "${name}"`)
  const shadow = await new PrismaPg({ ...config, database: name }).connect()
  const dispose = shadow.dispose.bind(shadow)
  shadow.dispose = async () => {
    await dispose()
    await admin.query(`DROP DATABASE "${name}" WITH (FORCE)`)
    await admin.end()
  }
  return shadow
}
