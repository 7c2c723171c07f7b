/** The door of the platform's own routes. */
export { mountConsole } from './console-files.ts';
export { EventHub } from './event-hub.ts';
export { mountApiDocs, platformRoutes, type PlatformDeps } from './platform.routes.ts';
export { startHousekeeping } from './housekeeping.ts';
