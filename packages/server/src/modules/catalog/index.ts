/** The public interface of the catalog. */
export { catalogArea } from './catalog.area.ts';
export { checkLink, noteLink } from './entries/app-link.ts';
export { repairCounts } from './facts/count-check.ts';
