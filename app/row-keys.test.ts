import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

// The list of keys promises `j` and `k` on every list. Rows without them would break the promise silently.

const pages = fs
  .globSync('app/(staff)/**/page.tsx')
  .map((page) => [page, [page, ...layoutsOf(page)]] as const)

it.each(pages)('the rows of %s are walked with j and k', (_page, files) => {
  const sources = [...reachedFrom(files)].map((file) => fs.readFileSync(file, 'utf8'))
  const has = (text: string | RegExp) => sources.some((source) => source.search(text) !== -1)
  expect(!has(/^\s*data-row$|<Link[^>]* data-row\b/m) || has(/^\s*(use|<)RowKeys\b/m)).toBe(true)
})

/** These files draw these components; the files themselves are among them. */
function reachedFrom(files: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const toRead = [...files]
  for (let file = toRead.pop(); file; file = toRead.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    const source = fs.readFileSync(file, 'utf8')
    for (const [, from = ''] of source.matchAll(/(?:from|import\()\s*'([^']+\.tsx)'/g))
      toRead.push(from.startsWith('#') ? from.slice(1) : path.join(path.dirname(file), from))
  }
  return reached
}

/** These layouts are around a page, below that of all staff, which has the palette's rows. */
function layoutsOf(page: string): string[] {
  const folder = path.dirname(page)
  if (folder === 'app/(staff)') return []
  const layout = path.join(folder, 'layout.tsx')
  return [...(fs.existsSync(layout) ? [layout] : []), ...layoutsOf(`${folder}.tsx`)]
}
