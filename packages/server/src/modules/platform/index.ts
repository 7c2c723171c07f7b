/** The public interface of the platform's own routes. */
export { mountConsole } from './console-files.ts';
export { keptScriptOrigins } from './installation.ts';
export { platformArea } from './platform.area.ts';
export { mountApiDocs, type PlatformOptions } from './platform.routes.ts';
export { startHousekeeping } from './housekeeping.ts';
