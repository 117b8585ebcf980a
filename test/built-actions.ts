import fs from 'node:fs'
import { z } from 'zod'

const ManifestSchema = z.object({
  node: z.record(z.string(), z.object({ exportedName: z.string(), filename: z.string() })),
})

/** The server actions of the built pages are listed by the ids under which they are called. */
export const builtActions = () =>
  ManifestSchema.parse(JSON.parse(fs.readFileSync('.next/server/server-reference-manifest.json', 'utf8')))
    .node

export function builtActionId(name: string): string {
  const [id] = Object.entries(builtActions()).find(([, one]) => one.exportedName === name) ?? []
  if (!id) throw new Error(`${name} is not built`)
  return id
}
