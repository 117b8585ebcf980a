import fs from 'node:fs'
import zlib from 'node:zlib'
import { z } from 'zod'
import { scriptsOfEmptyPage, walletCode } from '../e2e/load-scripts.ts'

/** The build says that a page fetches these scripts before anybody has used it. */
export interface PageScripts {
  /** The page is named by its files in `app/`: `/(staff)/transactions/[uuid]`. */
  readonly page: string
  /** The size is that of JavaScript beyond an empty page, gzipped. */
  readonly kb: number
  readonly wallets: boolean
}

const folder = '.next/server/app'

/** Each page has the scripts of its own list in the build, without what a browser fetches ahead for the next click. */
export function scriptsOfEveryPage(): PageScripts[] {
  const empty = scriptsOfEmptyPage()
  return fs
    .globSync(`${folder}/**/page_client-reference-manifest.js`)
    .map((manifest) => {
      const files = scriptsIn(manifest).filter((file) => !empty.has(`/_next/${file}`))
      const texts = files.map((file) => fs.readFileSync(`.next/${file}`))
      return {
        page: manifest.slice(folder.length, -'/page_client-reference-manifest.js'.length) || '/',
        kb: texts.reduce((sum, text) => sum + zlib.gzipSync(text).byteLength, 0) / 1024,
        wallets: texts.some((text) => walletCode.test(text.toString())),
      }
    })
    .sort((a, b) => b.kb - a.kb)
}

const ManifestSchema = z.object({ entryJSFiles: z.record(z.string(), z.array(z.string())) })

function scriptsIn(manifest: string): string[] {
  const [, json = ''] = /\] = (\{.*\});?\s*$/s.exec(fs.readFileSync(manifest, 'utf8')) ?? []
  const { entryJSFiles } = ManifestSchema.parse(JSON.parse(json))
  return [...new Set(Object.values(entryJSFiles).flat())]
}
