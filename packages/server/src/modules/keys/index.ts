/** The keys' door. */
export { KeyRotator } from './key-rotator.ts';
export { keyRoutes } from './keys.routes.ts';
