import 'server-only'

/** Levels of an action's arguments: a form has two. */
const deepest = 16
/** An action has at most two, a state and a form. */
const mostArguments = 4

/**
 * Answers whether a body holds the arguments of an action as our pages write them: JSON, or a form with its fields. Next would answer
 * anything else with 500, after it has followed whatever references a caller made up.
 */
export async function isActionBody(body: Buffer, contentType = ''): Promise<boolean> {
  if (!contentType.toLowerCase().startsWith('multipart/')) return isArguments(body.toString(), isPlainText)
  const form = await formOf(body, contentType)
  const root = form?.get('0')
  if (!form || typeof root !== 'string' || form.getAll('0').length !== 1) return false
  for (const [name, value] of form)
    if (name !== '0' && (typeof value !== 'string' || !fieldOfForm.test(name))) return false
  return isArguments(root, (text) => isPlainText(text) || reference.test(text))
}

/** React names a field by the number of its form, and says in the arguments where that form stands. */
const fieldOfForm = /^_[1-9a-f][0-9a-f]?_/
const reference = /^\$K[1-9a-f][0-9a-f]?$/

/** React puts a second `$` before a text that begins with one. */
const isPlainText = (text: string) =>
  !text.startsWith('$') ||
  text.startsWith('$$') ||
  text === '$undefined' ||
  /^\$D\d{4}-[\d:.TZ-]+$/.test(text)

async function formOf(body: Buffer, contentType: string): Promise<FormData | null> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

function isArguments(text: string, isAllowed: (text: string) => boolean): boolean {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return false
  }
  if (!Array.isArray(given) || given.length > mostArguments) return false
  // Level by level, since a body can be deeper than the stack.
  let level: unknown[] = given
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false
    if (!level.every((value) => typeof value !== 'string' || isAllowed(value))) return false
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
  return true
}
