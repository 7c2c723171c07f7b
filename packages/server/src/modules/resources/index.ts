/** The public interface of the resource kernel. */
export type { Area, AreaContext, AreaOf } from './area.ts';
export type { Entity, ListQuery } from './entity.ts';
export { resourceModule } from './resource-module.ts';
