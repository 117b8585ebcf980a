import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { defineConfig } from 'prisma-cli/config'

const engines = path.dirname(createRequire(import.meta.url).resolve('@prisma/engines/package.json'))
const native = fs.readdirSync(engines).some((name) => name.startsWith('schema-engine-'))
// The CLI reads this before it looks for its engine, so that it never downloads one.
if (!native)
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= path.join(import.meta.dirname, 'prisma/schema-engine.mjs')

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost/rampart' },
})
