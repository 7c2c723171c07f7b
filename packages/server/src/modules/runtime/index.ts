/** The door of the module that drives the runtime. */
export { Reconciler, type ReconcilerOptions } from './reconciler.ts';
export { runtimeCapabilities } from './holder.sql.ts';
