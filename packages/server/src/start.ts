/** The entry: keeps compiled code between starts (a third of a warm start is otherwise parsing), then runs the program. */
import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

enableCompileCache(resolve(import.meta.dirname, '../../../node_modules/.cache/slipway-compile'));
await import('./main.ts');
