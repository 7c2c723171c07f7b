/** The public interface of the resource kernel. */
export type { Area, AreaContext, AreaOf } from './area.ts';
export type { Call, Entity, EntityInput, Inserted, ListQuery, Write } from './entity.ts';
export { lockEntity, setEntity } from './entity-rows.ts';
export { startOn } from './entity-writes.ts';
export { recordChange } from './record-change.ts';
export { alsoAt, requireEntity, resourceModule } from './resource-module.ts';
