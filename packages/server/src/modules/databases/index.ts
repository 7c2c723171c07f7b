/** Public interface of the databases module. */
export { databaseArea, type DatabaseOptions } from './databases.area.ts';
