/** Entry point of the node agent: enables the compile cache, like the server, then runs the program. */
import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

enableCompileCache(resolve(import.meta.dirname, '../../../node_modules/.cache/slipway-compile'));
await import('./agent.ts');
