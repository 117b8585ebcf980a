import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import { docsStyle } from './docs-style.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/**
 * The console's stylesheets, script and typeface, each at an address of its own: what stands inside a page would break
 * its policy whenever the script reads that page again.
 */
export function assets() {
  const router = new Hono()
  for (const [path, { type, text }] of Object.entries(files)) {
    router.get(path, (context) => context.body(text, 200, { ...forGood, 'Content-Type': type }))
  }
  router.get('/fonts/:file', async (context) => {
    const file = fontFiles.get(context.req.param('file'))
    if (!file) return context.notFound()
    const bytes = new Uint8Array(await readFile(file))
    return context.body(bytes, 200, { ...forGood, 'Content-Type': 'font/woff2' })
  })
  return router
}

/** The address of a file, which is another whenever the file is. */
export const assetPath = (path: keyof typeof files): string =>
  `${path}?v=${createHash('sha256').update(files[path].text).digest('hex').slice(0, 12)}`

const forGood = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** The typefaces of the dashboard, from the same packages. */
const typefaces = ['@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono']

/** Each file of a typeface, by the name under which it is served. */
const fontFiles = new Map<string, URL>()

/** A typeface that comes late is used from the next page on: nothing moves under the reader. */
const fontFaces = typefaces.map((typeface) => {
  const sheet = new URL(import.meta.resolve(`${typeface}/wght.css`))
  const faces = readFileSync(sheet, 'utf8').replaceAll('font-display: swap', 'font-display: optional')
  return faces.replaceAll(/url\(\.\/files\/([\w.-]+)\)/g, (_whole, name: string) => {
    fontFiles.set(name, new URL(`files/${name}`, sheet))
    return `url(/fonts/${name})`
  })
})

const files = {
  '/console.css': { type: 'text/css; charset=utf-8', text: fontFaces.join('\n') + style },
  '/docs.css': { type: 'text/css; charset=utf-8', text: docsStyle },
  '/console.js': { type: 'text/javascript; charset=utf-8', text: script },
} as const
