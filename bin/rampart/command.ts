/** The options of a command that were given. */
type GivenOptions = Readonly<Record<string, boolean | undefined>>

/** A command of `npm run rampart`. Its help, the list of commands and the completion of shells are made from this. */
export interface Command {
  /** `about` is a sentence for the list of commands. */
  readonly about: string
  /** The usage shows these names of its words, where it takes any. */
  readonly takes?: string
  /** The first word may be one of these. */
  readonly firstWords?: readonly string[]
  /** Each option is a switch, with what it does. */
  readonly options?: Readonly<Record<string, string>>
  /** The help has these lines after the usage. */
  readonly details?: readonly string[]
  /** A command that may run for minutes says what an interruption leaves, and how to go on. */
  readonly interrupted?: string
  /** The exit codes, where they say more than that the command was done. */
  readonly exits?: string
  /** The result is the exit code. The program is loaded only now, so that help costs nothing. */
  run(words: readonly string[], options: GivenOptions): Promise<number>
}
