/** Measures lists, pages and the choices in forms for one app with very many topics, schemas and accounts. */
import { loadApp, widestAccount } from '../../packages/server/src/testing/load/streaming-load.ts';
import { startPlatform, token } from '../platform.ts';
import type { Scene } from './scene.ts';

const base = `/api/v1/apps/${loadApp}/development`;
const REQUESTS = 30;
const page = 'size=25';

const requests: readonly (readonly [name: string, path: string])[] = [
  ['topics', `topics?${page}`],
  ['topics, page 20', `topics?${page}&page=20`],
  ['topics, last page', `topics?${page}&page=399`],
  ['topics, by partitions', `topics?${page}&sort=-partitions`],
  ['topics, newest', `topics?${page}&sort=-createdAt`],
  ['topics, search few', `topics?${page}&query=abc`],
  ['topics, search all', `topics?${page}&query=happened`],
  ['topics, search none', `topics?${page}&query=nowhere`],
  ['topics, of others', `topics?${page}&owned=false&shared=true`],
  ['choice of topics', 'topics?size=50&readyOnly=true&owned=true&query=ab'],
  ['schemas', `schemas?${page}`],
  ['schemas, last page', `schemas?${page}&page=79`],
  ['choice of schemas', 'schemas?size=50&readyOnly=true&query=ab'],
  ['accounts', `accounts?${page}`],
  ['accounts, last page', `accounts?${page}&page=39`],
  ['accounts, search', `accounts?${page}&query=ab`],
  ['account with 500 topics', `accounts/${widestAccount}`],
];

interface Figures {
  readonly 'p50 ms': number;
  readonly 'p95 ms': number;
  readonly KiB: number;
}

const measure = async (address: string): Promise<Figures> => {
  const took: number[] = [];
  let bytes = 0;
  for (let count = 0; count <= REQUESTS; count += 1) {
    const startedAt = performance.now();
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    bytes = (await answer.text()).length;
    if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
    // The first is there to be remembered.
    if (count > 0) took.push(performance.now() - startedAt);
  }
  took.sort((one, other) => one - other);
  const at = (share: number): number => Math.round((took[Math.floor(took.length * share)] ?? 0) * 10) / 10;
  return { 'p50 ms': at(0.5), 'p95 ms': at(0.95), KiB: Math.round(bytes / 1024) };
};

/** The real server over HTTP; it does no rounds meanwhile. */
export const measureLists = async ({ url }: Scene): Promise<{ readonly figures: Record<string, Figures>; readonly worst: number }> => {
  const platform = await startPlatform({ env: { DATABASE_URL: url, SLIPWAY_ROLES: 'api' } });
  try {
    const figures: Record<string, Figures> = {};
    for (const [name, path] of requests) figures[name] = await measure(`${platform.url}${base}/${path}`);
    return { figures, worst: Math.max(...Object.values(figures).map((figure) => figure['p95 ms'])) };
  } finally {
    await platform.stop();
  }
};
