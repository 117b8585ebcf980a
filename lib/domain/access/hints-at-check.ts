/**
 * What a text says of a check that a customer must not know of, in any of their languages: money laundering, sanctions,
 * suspicion, or that a name did not match. Null when it says nothing of the kind.
 */
export function hintsAtCheck(text: string): string | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found) return found[0]
  }
  return null
}

const patterns: readonly RegExp[] = [
  /\bAML\b/i,
  /launder\w*|geldwäsche\w*|blanque\w*|blanchi\w*|branquea\w*|lavado de dinero|lavagem/iu,
  /sanction\w*|sanktion\w*|sancion\w*|sanç(?:ão|ões)\w*|embargo\w*/iu,
  /suspicio\w*|suspect\w*|verdächtig\w*|verdacht\w*|sospech\w*|soupçon\w*|suspeit\w*|fraud\w*|betrug\w*|fraude\w*/iu,
  /complian\w*|compliance|conformit\w*|cumplimiento|conformidade/iu,
  /mismatch\w*|(?:name|names|sender)\W+(?:\w+\W+){0,3}(?:differ\w*|match\w*)|different name/iu,
  /(?:name|namen|absender\w*)\W+(?:\w+\W+){0,4}(?:abweich\w*|überein\w*|stimm\w*|passt)|abweichende\w* name\w*/iu,
  /(?:nombre|remitente)\W+(?:\w+\W+){0,4}(?:coincid\w*|difer\w*|distint\w*)/iu,
  /(?:nom|expéditeur|émetteur)\W+(?:\w+\W+){0,4}(?:correspond\w*|diff\w*)/iu,
  /(?:nome|remetente)\W+(?:\w+\W+){0,4}(?:coincid\w*|correspond\w*|difer\w*)/iu,
]
