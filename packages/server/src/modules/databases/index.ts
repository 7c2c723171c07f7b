/** The public interface of databases. */
export { databaseArea, type DatabaseOptions } from './databases.area.ts';
