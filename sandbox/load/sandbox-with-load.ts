import type { Sandbox } from '../state/sandbox.ts'
import type { Load } from './load.ts'

/** What the control interface and the console work with: a load can be started, and a reset stops it. */
export type SandboxWithLoad = Sandbox & { load: Load }
