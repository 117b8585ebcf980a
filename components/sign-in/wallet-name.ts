import type { Connector } from 'wagmi'

/** As the wallet calls itself; one that does not announce itself has no name of its own. */
export const walletName = ({ id, name }: Pick<Connector, 'id' | 'name'>) =>
  id === 'injected' ? 'Browser wallet' : name
