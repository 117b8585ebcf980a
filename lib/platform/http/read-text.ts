import 'server-only'
import { mostOfBody } from './refusal-of-body.ts'

/** The text of a body, counted as it comes, whatever stands in front of its route; null when it has more than 64 KB. */
export async function readText({ body }: Request): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > mostOfBody) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
