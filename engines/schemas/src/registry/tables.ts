/** The engine's tables. In the platform its migrations create them, and a test compares both. */
import { readFileSync } from 'node:fs';

export const tables = readFileSync(new URL('tables.sql', import.meta.url), 'utf8');
