/** The public interface of the container registry. */
export { containerRegistryArea } from './container-registry.routes.ts';
export { enqueueEmbeddedEvent } from './webhooks/index.ts';
export { imageRules } from './policy/pull-verdict.ts';
export { scanArea, type ScanOptions } from './scans/scan.area.ts';
export { filesAt, NoAdvisories, TooManyAdvisories } from './advisories/advisory-files.ts';
export { seedDemoAdvisories } from './advisories/demo-advisories.ts';
export { importAdvisories } from './advisories/import-advisories.ts';
