import {
  exportStandings,
  StandingsExportSchema,
  standingsFileName,
} from '#lib/people/standings/export-standings.ts'
import { json } from '../../answer-caller.ts'
import { answerFile, ticketOf, typeOfFormat } from '../../answer-file.ts'

/** The file has the accounts or companies of a list, as CSV or lines of JSON. */
export async function GET(request: Request): Promise<Response> {
  const asked = StandingsExportSchema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!asked.success) return json({ error: 'These are no filters of a list' }, 400)
  const name = standingsFileName(asked.data, Date.now())
  return answerFile(request, name, typeOfFormat[asked.data.format], (caller) =>
    exportStandings(caller, asked.data, ticketOf(request)),
  )
}
