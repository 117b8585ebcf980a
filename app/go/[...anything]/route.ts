import { redirect } from 'next/navigation'
import { decodePathPart } from '#components/decode-path-part.ts'
import { subjectPath } from '#components/subject-path.ts'
import { requirePage } from '#lib/auth/require-page.ts'
import { findSubjects } from '#lib/search/find-subjects.ts'

/** A link in a ticket: opens the one subject that its text names, or else the search for it. */
export async function GET(request: Request, { params }: { params: Promise<{ anything: string[] }> }) {
  const text = (await params).anything.map(decodePathPart).join('/')
  const caller = await requirePage('see-everything', new URL(request.url).pathname)
  const { exact } = await findSubjects(caller, text)
  redirect(exact ? subjectPath(exact) : `/transactions?q=${encodeURIComponent(text)}`)
}
