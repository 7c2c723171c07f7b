/** Notes the codes that tests reached over HTTP: after the whole run none of the catalogue's may be missing (scripts/test-runs/reached-codes.ts). */
import { appendFileSync } from 'node:fs';

const file = process.env['SLIPWAY_TEST_REACHED'];
const noted = new Set<string>();

/** An error's code, or `{step}.{message}` of a pipeline. */
export const noteReached = (code: string): void => {
  if (file === undefined || noted.has(code)) return;
  noted.add(code);
  appendFileSync(file, `${code}\n`);
};
