import { freePort } from '../bin/postgres.ts'

/** The variable holds the ports of the dashboard and of its sandbox, as `3105 4105`. */
const portsVariable = 'RAMPART_E2E_PORTS'

// Free ports let two runs share a machine. The runner chooses them when it reads its settings, and its workers inherit them.
process.env[portsVariable] ??= `${await freePort()} ${await freePort()}`
export const [port = 0, sandboxPort = 0] = process.env[portsVariable].split(' ').map(Number)
export const rampartUrl = `http://localhost:${port}`
export const sandboxUrl = `http://localhost:${sandboxPort}`
