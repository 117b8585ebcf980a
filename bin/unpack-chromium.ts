import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/**
 * Unpacks the Chromium inside `@sparticuz/chromium`, with the shared libraries and fonts that lie beside it and that a
 * bare system lacks.
 * @returns a script that starts it with them; undefined where the package has none for this machine
 */
export async function unpackChromium(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const folder = path.resolve('node_modules/.cache/chromium')
  const script = path.join(folder, 'chromium.sh')
  if (fs.existsSync(script)) return script
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const archives = path.join(
    path.dirname(createRequire(import.meta.url).resolve(chromiumPackage)),
    '..',
    'bin',
  )
  const { inflate } = await import(chromiumPackage)
  const { TMPDIR } = process.env
  // It unpacks into the directory for temporary files, and takes whatever is there for its own.
  process.env.TMPDIR = folder
  for (const archive of ['chromium.br', 'swiftshader.tar.br', 'al2023.tar.br', 'fonts.tar.br'])
    await inflate(path.join(archives, archive))
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  fs.writeFileSync(path.join(folder, 'fonts', 'fonts.conf'), fontsIn(folder))
  // Last, since it says that the rest is there.
  fs.writeFileSync(script, startIn(folder), { mode: 0o755 })
  return script
}

const chromiumPackage = '@sparticuz/chromium'

const startIn = (folder: string) => `#!/bin/sh
export LD_LIBRARY_PATH='${folder}/al2023/lib' FONTCONFIG_PATH='${folder}/fonts'
exec '${folder}/chromium' "$@"
`

const fontsIn = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts/cache</cachedir>
</fontconfig>
`
