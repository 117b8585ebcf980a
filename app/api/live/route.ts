import { openLiveWebRequest } from '#lib/live/open-live-stream.ts'

export const dynamic = 'force-dynamic'

/** `server.ts` answers this address itself; here it is for a server that cannot be ours. */
export const GET = (request: Request): Promise<Response> => openLiveWebRequest(request)
