/**
 * This finds words in a text that hint at a check customers must not know of: money laundering, sanctions,
 * suspicion, or a name that did not match. It knows all their languages. Null when there are none.
 */
export function hintsAtCheck(text: string): string | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found) return found[0]
  }
  return null
}

/** The pattern matches whole words only. */
const word = (words: string) => String.raw`(?<!\p{L})(?:${words})(?!\p{L})`

/** This text may separate two words of one clause, or of one sentence. */
const between = (stops: string, words: number) =>
  String.raw`[^\p{L}${stops}]+(?:\p{L}+[^\p{L}${stops}]+){0,${words}}`
const inClause = (words: number) => between(String.raw`.!?;:,\n`, words)
const inSentence = (words: number) => between(String.raw`.!?\n`, words)

/** Each language has its own way to say that names differ. */
interface Mismatch {
  /** `name` matches the name itself, or its owner. */
  readonly name: string
  /** `differs` matches a verb before or after the name: "names do not match", "we could not match the name". */
  readonly differs: string
  /**
   * `different` matches an adjective right beside the name: "a different sender name". Further away it may
   * describe something else.
   */
  readonly different: string
  /** `another` matches only right before the name. */
  readonly another: string
}

const mismatches: readonly Mismatch[] = [
  {
    name: 'names?|surnames?|senders?|payers?|(?:account)?holders?',
    differs: String.raw`differ(?:s|ed|ences?)?|(?:mis)?match(?:es|ed|ing)?|correspond(?:s|ed)?|(?:is|are|was|were) (?:\p{L}+ )?different|not the same`,
    different: 'different|differing|unmatched',
    another: 'another',
  },
  {
    name: String.raw`\p{L}*namens?|\p{L}*name|\p{L}*absenders?|\p{L}*absenderin|\p{L}*auftraggebers?|kontoinhabers?`,
    // "stimmt" alone means that it matches; "nicht" or "überein" makes it differ, and may follow much later.
    differs: String.raw`abweich\p{L}*|abgewichen|weich(?:t|en)|wich(?:en)?|\p{L}*überein\p{L}*|unterscheide\p{L}*|nicht${inClause(1)}(?:zu)?(?:ge)?ordne(?:n|t)|nicht (?:zuordnen|zugeordnet)|nicht (?:\p{L}+ )?(?:passt?|passen|stimmt|stimmen)|(?:passt?|passen|stimmt|stimmen)(?=${inClause(6)}(?:nicht|überein)(?!\p{L}))`,
    different: String.raw`verschieden\p{L}*|unterschiedlich\p{L}*`,
    another: 'andere[nrms]?',
  },
  {
    name: 'nombres?|apellidos?|remitentes?|ordenantes?|titular(?:es)?',
    differs: String.raw`coincid\p{L}*|conc(?:ue|o)rd\p{L}*|corresponde[nr]?|difier\p{L}*|diferir|diferencias?|discrepan?|(?:es|son|era|eran|sea|sean) (?:\p{L}+ )?(?:distint[oa]s?|diferentes?)|no (?:es el mismo|son los mismos)`,
    different: 'distint[oa]s?|diferentes?',
    another: 'otros?',
  },
  {
    name: 'noms?|prénoms?|expéditeurs?|expéditrices?|émetteurs?|émettrices?|titulaires?',
    differs: String.raw`correspond(?:ent|re|ait|aient)?|ne correspondant|diffèr(?:e|ent)|différ(?:er|ait|aient|ences?)|diverge(?:nt)?|concorde(?:nt|r)?|coïncide(?:nt|r)?|(?:est|sont|était|étaient|soit|soient) (?:\p{L}+ )?différente?s?|pas (?:le|les) mêmes?`,
    different: 'différente?s?',
    another: 'autres?',
  },
  {
    name: 'nomes?|apelidos?|sobrenomes?|remetentes?|ordenantes?|titular(?:es)?',
    differs: String.raw`coincid\p{L}*|correspond(?:e|em|er|ia|iam)|difer(?:e|em|ir|ia|iam|enças?)|divergem?|não (?:confere|conferem|bate|batem)|(?:é|são|era|eram|seja|sejam) (?:\p{L}+ )?(?:diferentes?|distint[oa]s?)|não (?:é o mesmo|são os mesmos)`,
    different: 'diferentes?|distint[oa]s?|divergentes?',
    another: 'outros?',
  },
]

const patternsOf = ({ name, differs, different, another }: Mismatch): readonly string[] => [
  `${word(name)}${inSentence(6)}${word(differs)}`,
  `${word(differs)}${inClause(4)}${word(name)}`,
  `${word(`${different}|${another}`)}${inClause(1)}${word(name)}`,
  String.raw`${word(name)}\s+${word(different)}`,
]

const patterns: readonly RegExp[] = [
  word('AML'),
  String.raw`launder\p{L}*|geldwäsche\p{L}*|blanque\p{L}*|blanchi\p{L}*|branquea\p{L}*|lavado de dinero|lavagem`,
  String.raw`sanction\p{L}*|sanktion\p{L}*|sancion\p{L}*|sanç(?:ão|ões)\p{L}*|embargo\p{L}*`,
  String.raw`suspicio\p{L}*|suspect\p{L}*|verdächtig\p{L}*|verdacht\p{L}*|sospech\p{L}*|soupçon\p{L}*|suspeit\p{L}*|fraud\p{L}*|betrug\p{L}*`,
  String.raw`complian\p{L}*|conformit\p{L}*|cumplimiento|conformidade`,
  // These words name a check that searches; "screen" as a display does not.
  word('screening|screened|cribado|filtrage|criblage|triagem|rastreio'),
  word('(?:security|background|risk|regulatory) (?:checks?|reviews?)'),
  String.raw`(?:sicherheits|hintergrund|risiko)(?:über)?prüfung\p{L}*`,
  word('(?:control(?:es)?|revisi(?:ón|ones)|comprobaci(?:ón|ones)|verificaci(?:ón|ones)) de seguridad'),
  word('(?:contrôles?|vérifications?|examens?) de sécurité'),
  word('(?:controlos?|controles?|análises?|verificaç(?:ão|ões)|revis(?:ão|ões)) de segurança'),
  String.raw`mismatch\p{L}*|namens(?:abgleich|abweichung|prüfung|vergleich)\p{L}*`,
  ...mismatches.flatMap(patternsOf),
].map((pattern) => new RegExp(pattern, 'iu'))
