/** The public interface of the module that drives the runtime. */
export { runtimeArea, type RuntimeOptions } from './runtime.area.ts';
export { runtimeCapabilities } from './leader.sql.ts';
export { summed } from './exposition.ts';
export { lastScrape, scrapeState, scrapeText } from './scrape.sql.ts';
export { areReadableSettings } from './spec-shape.ts';
export type { TaskTimings } from './leader-tasks.ts';
export { boundsOf, revisionSeries, serviceSeries, spans } from './metrics.sql.ts';
