import 'server-only'
import type { IncomingMessage } from 'node:http'

/**
 * Waits for the whole body of a request, counting it, before anybody reads any of it: then it is read from memory, and has its
 * length in the head, however it came. A body that breaks off calls nobody.
 * @param limit in bytes
 */
export function holdBody(
  request: IncomingMessage,
  limit: number,
  { whole, tooLarge }: { readonly whole: (body: Buffer) => void; readonly tooLarge: () => void },
): void {
  const push = request.push.bind(request)
  const held: Buffer[] = []
  let size = 0
  request.push = (chunk: Buffer | null) => {
    size += chunk?.length ?? 0
    if (size > limit) {
      // What else comes is read by nobody, and Node forgets it.
      request.push = push
      tooLarge()
      return true
    }
    if (chunk !== null) {
      held.push(chunk)
      return true
    }
    request.push = push
    const body = Buffer.concat(held)
    delete request.headers['transfer-encoding']
    if (size > 0 || request.method === 'POST') request.headers['content-length'] = String(size)
    if (size > 0) push(body)
    push(null)
    whole(body)
    return true
  }
}
