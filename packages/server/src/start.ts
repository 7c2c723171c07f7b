/** Entry point: enables the compile cache (parsing would take a third of a warm start), then runs the program. */
import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

enableCompileCache(resolve(import.meta.dirname, '../../../node_modules/.cache/slipway-compile'));
await import('./main.ts');
