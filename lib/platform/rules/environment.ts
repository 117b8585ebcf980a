/** The colour in which all pages show the environment. */
export const environmentColors = ['grey', 'blue', 'orange', 'green', 'red', 'violet'] as const
export type EnvironmentColor = (typeof environmentColors)[number]

/** An installation works for one environment of the service, whose name all pages show. */
export interface Environment {
  readonly name: string
  readonly color: EnvironmentColor
}

/** Providers call environments for trials by these names, in a host or a path. */
const trial = /(?:^|[./-])(sandbox|staging|stage|test|testing|uat|demo|dev)(?=$|[./-])/i

/**
 * `environmentOf` finds what is shown. Without a name, the address of a service for trials gives one, and any other address is
 * taken for production, which shows nothing.
 * @param name the operator chose it; undefined for none
 */
export function environmentOf(
  serviceBaseUrl: URL,
  name: string | undefined,
  color: EnvironmentColor | undefined,
): Environment | null {
  const found = trial.exec(serviceBaseUrl.hostname + serviceBaseUrl.pathname)?.[1]?.toLowerCase()
  const shown = name ?? (found && found.charAt(0).toUpperCase() + found.slice(1))
  if (shown === undefined || shown === '') return null
  return { name: shown, color: color ?? (/^prod|^live/i.test(shown) ? 'red' : 'orange') }
}
