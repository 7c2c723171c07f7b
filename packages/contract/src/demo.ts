/** The demo scene: teams and apps of a shipping company that fill every area. Administrators create it and remove it. */
import * as z from 'zod/mini';
import { Instant } from './kernel/fields.ts';
import { route } from './kernel/kernel.ts';

export const demoStates = ['NONE', 'FILLING', 'FILLED', 'REMOVING'] as const;
export const DemoScene = z.object({
  state: z.enum(demoStates),
  /** The current step, or the one that failed. Null before the first step and after the last. */
  step: z.nullable(z.string()),
  /** Completed steps while it is filled, removed objects while it is removed. */
  done: z.number(),
  total: z.number(),
  /** Why the work stopped. Asking again continues it. */
  failure: z.nullable(z.string()),
  /** Number of objects that belong to the scene. */
  objects: z.number(),
  /** True if the platform has no team besides those of the scene. */
  isPlatformEmpty: z.boolean(),
  startedAt: z.nullable(Instant),
  endedAt: z.nullable(Instant),
});
export type DemoScene = z.infer<typeof DemoScene>;

const shared = { tag: 'Platform', access: 'administrator', response: DemoScene, codes: ['NotAnAdministrator'] } as const;
export const demoSceneView = route('demoSceneView', 'GET /api/v1/platform/demo', {
  ...shared,
  summary: 'State of the demo scene',
});
export const demoSceneFill = route('demoSceneFill', 'POST /api/v1/platform/demo', {
  ...shared,
  summary: 'Create the demo scene, or complete it. The work goes on in the background',
  status: 202,
});
export const demoSceneRemove = route('demoSceneRemove', 'DELETE /api/v1/platform/demo', {
  ...shared,
  summary: 'Remove everything that the demo scene created, and nothing else. The work goes on in the background',
  status: 202,
});
