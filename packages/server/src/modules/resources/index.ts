/** The public interface of the resource kernel. */
export type { Adapters, Area, AreaContext, AreaOf, Checks } from './area.ts';
export type { Asked, Entity, EntityInput, ListQuery, Names, Write } from './entity.ts';
export { lockEntity, setEntity } from './entity-rows.ts';
export { createEntity, startOn } from './entity-writes.ts';
export { recordChange, type Change } from './record-change.ts';
export { alsoAt, requireEntity, resourceModule } from './resource-module.ts';
