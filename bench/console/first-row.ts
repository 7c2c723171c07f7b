/** Opens the console with an empty cache in a browser that is signed in, and measures how soon the list shows its first row, and what came until then. */
import type { Browser, BrowserContext, CDPSession } from '@playwright/test';

export type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>;

export interface FirstRow {
  /** From the navigation to the frame that shows the first row. */
  readonly rowMs: number;
  readonly requests: number;
  readonly scripts: number;
  /** Kilobytes of JavaScript as transferred, which is compressed. */
  readonly scriptKilobytes: number;
  readonly allKilobytes: number;
}

/** A row of the list links to its app; skeletons and the header do not. */
const row = 'main table a[href^="/app/"]';
const deadlineMs = 60_000;

/** Runs in the page before anything else: notes when a row is there, and the frame after it. */
const watch = (selector: string): void => {
  const seen = (): void => {
    if (!document.querySelector(selector)) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => Reflect.set(globalThis, 'firstRowAt', performance.now())));
  };
  const watcher = new MutationObserver(seen);
  watcher.observe(document, { childList: true, subtree: true });
};

interface Loaded {
  readonly startedAt: number;
  readonly type: string;
  bytes: number;
}

/** Every request of the page, by the browser's own clock. */
const recordRequests = async (session: CDPSession): Promise<Map<string, Loaded>> => {
  const loaded = new Map<string, Loaded>();
  session.on('Network.requestWillBeSent', ({ requestId, timestamp, type = 'Other', request }) => {
    if (request.url.startsWith('http')) loaded.set(requestId, { startedAt: timestamp, type, bytes: 0 });
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const known = loaded.get(requestId);
    if (known) known.bytes = encodedDataLength;
  });
  await session.send('Network.enable');
  return loaded;
};

/** `cpu`: how many times slower than this machine the browser's processor is. */
export const measureFirstRow = async (browser: Browser, url: string, state: SignedIn, cpu: number): Promise<FirstRow> => {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const loaded = await recordRequests(session);
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpu });
    await page.addInitScript(watch, row);
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(() => 'firstRowAt' in globalThis, undefined, { timeout: deadlineMs });
    const rowMs = Number(await page.evaluate(() => Reflect.get(globalThis, 'firstRowAt') as unknown));
    const all = [...loaded.values()];
    const begin = Math.min(...all.map(({ startedAt }) => startedAt));
    const until = all.filter(({ startedAt }) => (startedAt - begin) * 1000 <= rowMs);
    const scripts = until.filter(({ type }) => type === 'Script');
    const kilobytes = (list: readonly Loaded[]): number => list.reduce((sum, { bytes }) => sum + bytes, 0) / 1024;
    return { rowMs, requests: until.length, scripts: scripts.length, scriptKilobytes: kilobytes(scripts), allKilobytes: kilobytes(until) };
  } finally {
    await context.close();
  }
};

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Returns the median of each figure, independent of the other figures. */
export const medians = (rounds: readonly FirstRow[]): FirstRow => ({
  rowMs: median(rounds.map(({ rowMs }) => rowMs)),
  requests: median(rounds.map(({ requests }) => requests)),
  scripts: median(rounds.map(({ scripts }) => scripts)),
  scriptKilobytes: median(rounds.map(({ scriptKilobytes }) => scriptKilobytes)),
  allKilobytes: median(rounds.map(({ allKilobytes }) => allKilobytes)),
});
