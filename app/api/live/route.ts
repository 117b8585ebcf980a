import { openLiveWebRequest } from '#lib/live/open-live-stream.ts'

export const dynamic = 'force-dynamic'

/** `server.ts` answers this address itself. This route is for another server. */
export const GET = (request: Request): Promise<Response> => openLiveWebRequest(request)
