import fs from 'node:fs'

/** By which id a page calls a server action, as the build has named it. */
export function actionId(name: string): string {
  const { node } = JSON.parse(fs.readFileSync('.next/server/server-reference-manifest.json', 'utf8')) as {
    node: Record<string, { exportedName: string }>
  }
  const [id] = Object.entries(node).find(([, one]) => one.exportedName === name) ?? []
  if (!id) throw new Error(`The build has no action ${name}`)
  return id
}
