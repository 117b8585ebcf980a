// Plain JavaScript without packages. npm runs it after each install: it removes a third of what is installed, files that no
// program here loads. Decision 0110.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'node_modules')

const unused = [
  // To compile C++ against the Node that we bring.
  /^node-linux-[^/]+\/(include|share)\//,
  // To make pictures smaller, which no page asks for: `images` in next.config.mjs.
  /^(sharp|@img)\//,
  // Source maps of packages, for those who debug them.
  /\.map$/,
  // CommonJS copies of viem and ox, which are only imported.
  /^(viem|ox)\/_cjs\//,
  // Other databases than PostgreSQL, and other ways to load the one for it than the client's own.
  /^@prisma\/client\/runtime\/query_compiler_(small_bg|fast_bg\.(?!postgresql))/,
  /^@prisma\/client\/runtime\/query_compiler_.*\.wasm-base64\.js$/,
]

for (const entry of fs.readdirSync(packages, { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath ?? entry.path, entry.name)
  if (entry.isFile() && unused.some((place) => place.test(path.relative(packages, file)))) fs.rmSync(file)
}
