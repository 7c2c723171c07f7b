/** Public interface of the databases module. */
export { databaseArea, type DatabaseOptions } from './databases.area.ts';
export { databaseEntity, insertDatabase } from './database-entity.ts';
export type { CredentialDeps } from './credentials.ts';
