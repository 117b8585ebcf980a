import crypto from 'node:crypto'
import fs from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'

const ComposeSchema = z.object({
  services: z.object({
    rampart: z.object({
      hostname: z.string(),
      build: z.object({ args: z.record(z.string(), z.string()) }),
      environment: z.record(z.string(), z.string()),
      stop_grace_period: z.string(),
      networks: z.object({ front: z.object({ ipv4_address: z.string() }) }),
      volumes: z.array(z.string()),
      tmpfs: z.array(z.string()),
    }),
    nginx: z.object({ networks: z.object({ front: z.object({ ipv4_address: z.string() }) }) }),
    postgres: z.object({ environment: z.record(z.string(), z.string()) }),
  }),
})

export const readCompose = () => ComposeSchema.parse(parse(fs.readFileSync('ops/compose.yaml', 'utf8')))

/** The file has a variable in each line, as Docker and systemd read it. A line with # is no variable. */
export function readEnvironmentFile(file: string): Record<string, string> {
  const lines = fs.readFileSync(file, 'utf8').split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value]]
    }),
  )
}

/** The secrets that ops/compose.env.example asks for. */
export function newPasswords(): Record<string, string> {
  const names = Object.keys(readEnvironmentFile('ops/compose.env.example'))
  return Object.fromEntries(names.map((name) => [name, crypto.randomBytes(24).toString('hex')]))
}

/** Rampart gets these settings from ops/compose.yaml and a copy of ops/rampart.env.example that somebody has filled in. */
export function settingsOfCompose(passwords: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...readEnvironmentFile('ops/rampart.env.example'),
    NEXTAUTH_SECRET: crypto.randomBytes(32).toString('base64'),
    RAMPART_KEYS: `k1:${crypto.randomBytes(32).toString('base64')}`,
    ...Object.fromEntries(
      Object.entries(readCompose().services.rampart.environment).map(([name, value]) => [
        name,
        value.replace(/\$\{(\w+)\}/g, (_whole, password) => passwords[password] ?? ''),
      ]),
    ),
  }
}

/** The statements make the roles and the database, with these passwords in place of psql's variables. */
export function roleStatements({ OWNER_PASSWORD, APP_PASSWORD }: Readonly<Record<string, string>>): string[] {
  const [, sql = ''] =
    /<<'SQL'\n([\s\S]*)\nSQL\n/.exec(fs.readFileSync('ops/postgres/create-roles.sh', 'utf8')) ?? []
  return sql
    .replace(/^\\getenv .*\n/gm, '')
    .replace(":'owner_password'", `'${OWNER_PASSWORD}'`)
    .replace(":'app_password'", `'${APP_PASSWORD}'`)
    .split('\n')
}
