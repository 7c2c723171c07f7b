/** The node agent's entry: keeps compiled code between starts, as the server's does, then runs the program. */
import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

enableCompileCache(resolve(import.meta.dirname, '../../../node_modules/.cache/slipway-compile'));
await import('./agent.ts');
