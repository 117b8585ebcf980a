import { exportUser } from '#lib/people/erasure/export-user.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import { answerFile, ticketOf } from '../../../answer-file.ts'

interface Context {
  readonly params: Promise<{ readonly uuid: string }>
}

/** The JSON file has all data of a person. The session must have been allowed to fetch it. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { uuid } = await params
  return answerFile(request, `user-${uuid}.json`, 'application/json', async (caller) =>
    isLowerCaseUuid(uuid) ? exportUser(caller, uuid, ticketOf(request)) : null,
  )
}
