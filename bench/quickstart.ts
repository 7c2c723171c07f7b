/** From the POST to the URL's 200, ten apps in a row; the first one pays for what later ones find ready. */
import { makeApp, makeTeam, startPlatform } from './platform.ts';

export const run = async (): Promise<void> => {
  const platform = await startPlatform();
  try {
    await makeTeam(platform);
    const times: number[] = [];
    for (let index = 0; index < 10; index += 1) times.push(await makeApp(platform, `bench-app-${index}`));
    const sorted = [...times].sort((a, b) => a - b);
    console.table(times.map((ms, index) => ({ app: index + 1, ms: Math.round(ms) })));
    console.log(
      `quickstart: first ${Math.round(times[0] ?? 0)} ms, median ${Math.round(sorted[5] ?? 0)} ms, worst ${Math.round(sorted[9] ?? 0)} ms`,
    );
  } finally {
    await platform.stop();
  }
};
