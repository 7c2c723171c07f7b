/** From the POST to the URL's 200, ten apps in a row; the first one pays for what later ones find ready. */
import { comparePairs, type BenchOptions, type Sample } from './compare/pairs.ts';
import { makeApp, makeTeam, startPlatform } from './platform.ts';

const apps = 10;

const measure = async (root?: string): Promise<readonly Sample[]> => {
  const platform = await startPlatform({ ...(root !== undefined && { checkout: root }) });
  try {
    await makeTeam(platform);
    const samples: Sample[] = [];
    for (let index = 0; index < apps; index += 1) {
      const before = platform.processorMs();
      const ms = await makeApp(platform, `bench-app-${index}`);
      samples.push({ what: index === 0 ? 'first' : 'later', ms, processorMs: platform.processorMs() - before });
    }
    return samples;
  } finally {
    await platform.stop();
  }
};

export const run = async ({ against, rounds }: BenchOptions): Promise<void> => {
  if (against !== undefined) return comparePairs('quickstart', { against, rounds }, measure);
  const times = (await measure()).map(({ ms }) => Math.round(ms));
  const sorted = times.toSorted((a, b) => a - b);
  console.table(times.map((ms, index) => ({ app: index + 1, ms })));
  console.log(`quickstart: first ${times[0]} ms, median ${sorted[apps / 2]} ms, worst ${sorted[apps - 1]} ms`);
};
