import { receiveWebRequest } from '#lib/deliveries/ingest/web-http.ts'

export const dynamic = 'force-dynamic'

interface Context {
  readonly params: Promise<{ readonly receiver: string }>
}

// Our own server answers before Next sees the request. Elsewhere this route does, with the same texts.
async function handle(request: Request, { params }: Context): Promise<Response> {
  return receiveWebRequest(request, (await params).receiver)
}

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
}
